"""What a person tells in turns 1 to 10, talks about until 49, and asks from 50 on: made up, in two languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """A question for what was told, and what its answer must hold: any of these."""

    question: str
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    """One talk: facts in ten turns, small talk in 39, then questions."""

    language: str
    told: tuple[str, ...]
    between: tuple[str, ...]
    asked: tuple[Asked, ...]


ENGLISH = Talk(
    "en",
    told=(
        "Hi! My name is Oliver Brandt.",
        "I live in Lisbon, close to the river.",
        "My phone number is +351 912 345 678.",
        "My order number is KX-90417, a standing desk.",
        "My birthday is on 14 September.",
        "I'm allergic to peanuts, by the way.",
        "We have a dog called Biscuit, he is nine.",
        "My sister Hannah works as a nurse in Bergen.",
        "I repaired the old accordion together with my neighbour Paulo last weekend.",
        "The boiler shows error E07 when it is cold, and the plumber comes on Thursday.",
    ),
    between=(
        "The weather is nice today.", "Can you tell me why the sky is blue?", "I had soup for lunch.",
        "What is a good way to store onions?", "I watched a film about trains.", "It was a bit long.",
        "How many legs does a spider have?", "I should sleep more.", "Give me a word that rhymes with stone.",
        "The tram was late again.", "What does a barometer measure?", "My coffee got cold.",
        "Tell me something about owls.", "I like quiet mornings.", "How do I get ink out of a shirt?",
        "The market was crowded.", "What is seven times eight?", "I bought two lemons.",
        "Is it healthy to run every day?", "My shoes are worn out.", "Name three kinds of cheese.",
        "I heard a song that I knew from school.", "What is the opposite of narrow?", "The lift is broken.",
        "How long do eggs have to boil?", "I painted the fence green.", "Why do cats purr?",
        "It gets dark early now.", "What is a haiku?", "I lost a button.", "Can plants hear music?",
        "The bakery has new bread.", "How far away is the moon?", "I read half a book.", "What is basalt?",
        "My back hurts a little.", "Which planet has rings?", "I swept the stairs.", "Thanks, that was interesting.",
    ),
    asked=(
        Asked("What is my name?", ("Oliver",)),
        Asked("Which city do I live in?", ("Lisbon",)),
        Asked("What is my phone number?", ("912 345 678", "912345678")),
        Asked("What is the number of my order?", ("KX-90417",)),
        Asked("When is my birthday?", ("14 Sep", "September 14", "14 of Sep", "14th of Sep", "14th Sep")),
        Asked("What am I allergic to?", ("peanut",)),
        Asked("What is my dog called?", ("Biscuit",)),
        Asked("What does my sister do for a living?", ("nurse",)),
        Asked("Where does Hannah work?", ("Bergen",)),
        Asked("Who helped me with the accordion?", ("Paulo",)),
        Asked("Which error does the boiler show?", ("E07",)),
        Asked("On which day does the plumber come?", ("Thursday",)),
    ),
)  # fmt: skip

CHINESE = Talk(
    "zh",
    told=(
        "你好！我叫陈思远。",
        "我住在厦门，离海边很近。",
        "我的手机号是 13950012345。",
        "我的订单号是 XM20771，买的是一张升降桌。",
        "我的生日是9月14日。",
        "顺便说一下，我对花生过敏。",
        "我家有一只狗，叫豆包，九岁了。",
        "我姐姐陈思敏在成都当护士。",
        "上周末我和邻居老吴一起修好了那台旧手风琴。",
        "热水器天冷时显示故障码 E07，水管工周四来。",
    ),
    between=(
        "今天天气不错。", "天空为什么是蓝色的？", "我中午喝了汤。", "洋葱怎么保存比较好？", "我看了一部火车电影。",
        "有点长。", "蜘蛛有几条腿？", "我应该多睡一会儿。", "说一个和石头有关的成语。", "公交车又晚点了。",
        "气压计是测什么的？", "我的咖啡凉了。", "讲讲猫头鹰吧。", "我喜欢安静的早晨。", "衬衫上的墨水怎么洗掉？",
        "菜市场人很多。", "七乘八等于多少？", "我买了两个柠檬。", "每天跑步健康吗？", "我的鞋穿坏了。", "说三种水果。",
        "我听到一首上学时的歌。", "“狭窄”的反义词是什么？", "电梯坏了。", "鸡蛋要煮多久？", "我把篱笆刷成了绿色。",
        "猫为什么会打呼噜？", "现在天黑得早。", "什么是俳句？", "我掉了一颗扣子。", "植物能听见音乐吗？",
        "面包店有新面包。", "月亮离我们有多远？", "我看了半本书。", "什么是玄武岩？", "我的背有点疼。",
        "哪颗行星有环？", "我扫了楼梯。", "谢谢，很有意思。",
    ),
    asked=(
        Asked("我叫什么名字？", ("陈思远",)),
        Asked("我住在哪个城市？", ("厦门",)),
        Asked("我的手机号是多少？", ("13950012345",)),
        Asked("我的订单号是多少？", ("XM20771",)),
        Asked("我的生日是哪天？", ("9月14", "九月十四")),
        Asked("我对什么过敏？", ("花生",)),
        Asked("我的狗叫什么？", ("豆包",)),
        Asked("我姐姐是做什么工作的？", ("护士",)),
        Asked("陈思敏在哪里工作？", ("成都",)),
        Asked("谁和我一起修了手风琴？", ("老吴", "邻居")),
        Asked("热水器显示什么故障码？", ("E07",)),
        Asked("水管工星期几来？", ("周四", "星期四")),
    ),
)  # fmt: skip

TALKS = (ENGLISH, CHINESE)
