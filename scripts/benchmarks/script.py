"""What a person says in the twenty turns that `turns` and `start` play: made up, in two languages."""

SCRIPT = (
    "Hello! My name is Zhang Wei.",
    "My order number is AB-20417, it should arrive on Friday.",
    "I like green tea and I don't eat pork.",
    "What is my name?",
    "你好，我住在杭州，养了一只叫团团的猫。",
    "What is the capital of Portugal?",
    "What is my order number?",
    "我周末喜欢去西湖边骑自行车。",
    "Can you explain in two sentences why the sky is blue?",
    "I bought a used telescope from a neighbour last week, and the eyepiece is scratched.",
    "我的猫叫什么名字？",
    "How do I clean an eyepiece without making it worse?",
    "My sister Lily is coming to visit in March, and she is allergic to cats.",
    "请用一句话介绍一下西湖。",
    "Which animal is Lily allergic to?",
    "That sounds good, thank you.",
    "What did I buy from my neighbour?",
    "我周末喜欢做什么？",
    "Give me three ideas for a rainy afternoon.",
    "What should I remember when Lily visits?",
)


def turns(count: int) -> list[str]:
    """The first `count` turns; after the twentieth it starts again."""
    return [SCRIPT[number % len(SCRIPT)] for number in range(count)]
