"""What a person's words give in lines about the user: only what they state, and nothing where that is unsure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.compression import LIMIT
from edge.memory.distilling import CONFIDENCE, Line, lines_of
from edge.memory.stated import is_stated
from edge.memory.units import Kind, Source

TOLD = {
    "I went to the harbour festival in Rostock.": "The user went to the harbour festival in Rostock.",
    "Thanks, Mia! I'm learning to weld at a night school.": "The user is learning to weld at a night school.",
    "I’ve been restoring an old tram since spring": "The user has been restoring an old tram since spring.",
    "Yesterday I signed up for a rowing course.": "The user signed up for a rowing course yesterday.",
    "Two years ago, I sold my share of the bakery.": "The user sold the user's share of the bakery two years ago.",
    "I study marine biology and watch whales.": "The user studies marine biology and watch whales.",
    "I usually do pottery after work.": "The user usually does pottery after work.",
    "I don't like crowded trams.": "The user doesn't like crowded trams.",
    "I never eat raw onions.": "The user never eats raw onions.",
    "I might move to Lisbon in autumn.": "The user might move to Lisbon in autumn.",
    "I'd like to visit the Faroe islands.": "The user would like to visit the Faroe islands.",
    "My sister repairs violins in Cremona.": "The user's sister repairs violins in Cremona.",
    "My aunt gave me a brass telescope.": "The user's aunt gave the user a brass telescope.",
    "Next month I'm showing my paintings in Turin - can't wait!": (
        "The user is showing the user's paintings in Turin next month."
    ),
    "I do- Oscar, my parrot!": None,
    "I also practice archery, fencing, etc. However, I am slow.": "The user also practices archery, fencing, etc.",
    "I planted 14 tomatoes, and it was so much fun!": "The user planted 14 tomatoes.",
    "I met the carpenter on Monday, what do you think?": None,
    "I print more flyers for the bakery so I can reach more people in town.": (
        "The user prints more flyers for the bakery."
    ),
    "I painted the autumn leaves, and I am planning a few.": "The user painted the autumn leaves.",
    "Hopefully, I can raise enough for the homeless shelter.": None,
    "Fingers crossed - I will pass my welding exam in June.": None,
    "I bought a red kayak in May, and hopefully, I will win the race in June.": "The user bought a red kayak in May.",
    "但愿，我能在五月跑完马拉松。": None,
    "说不定，我下周会买一辆蓝色自行车。": None,
    "我昨天在莱比锡看了一场足球赛。": "用户昨天在莱比锡看了一场足球赛。",
    "你好，朋友！最近我在学习修理小提琴。": "用户最近在学习修理小提琴。",
    "我一直想去海滨城市，但是我担心时间不够。": "用户一直想去海滨城市，但是担心时间不够。",
    "我很喜欢我的新自行车和头盔。": "用户很喜欢自己的新自行车和头盔。",
    "我不吃生的洋葱和大蒜。": "用户不吃生的洋葱和大蒜。",
    "我可能秋天会搬到里斯本。": "用户可能秋天会搬到里斯本。",
    "我的姐姐在克雷莫纳修小提琴。": "用户的姐姐在克雷莫纳修小提琴。",
    "我去了一家陶艺店，你觉得怎么样": None,
}
NOTHING = [
    "",
    "   \n\n ",
    "Hello there, how are you doing today?",
    "Thank you so much for the good advice!",
    "I agree with the second point.",
    "I hope the rest of the week goes well.",
    "I think the museum is a fine place.",
    "Do I like rowing on the lake?",
    "what do i know about the harbour festival",
    "Write a letter to the landlord about the heating.",
    "Please remind me of the dentist tomorrow.",
    "I want you to write a letter to the landlord.",
    "If I win the lottery, I buy a boat and I sail to Norway.",
    "If it rains on Friday, I'll stay at home and I bake bread.",
    "When the weather is bad, I go to the climbing hall.",
    'The note read: "Dear Ann. I moved to the harbour of Rostock. Bye."',
    "“亲爱的安。我搬到了罗斯托克的港口。再见。”",
    "Tom said, I bought a red kayak in Bergen.",
    "My boss wrote: I bought a red kayak in Bergen.",
    "My aunt and I bought a red kayak in Bergen.",
    "I bought a red kayak in Bergen. Just kidding!",
    "Let's pretend. I am the keeper of a lighthouse in Brest.",
    "> I bought a red kayak in Bergen.",
    "我在莱比锡造木船和皮划艇。开玩笑的！",
    "I dreamed of a lighthouse and I was its keeper.",
    "I wish the harbour had a lighthouse.",
    "I pretend to like the harbour festival.",
    "I love it there so much.",
    "I visited them again.",
    "We went camping near the big lake.",
    "I put the old tram in the garden shed.",
    "Feel free to show me the harbour museum.",
    "Long walks with the dog calm me after work.",
    "Er hat mir gestern das alte Fahrrad verkauft.",
    "Je suis allé au marché avec ma sœur hier matin.",
    "Вчера я был на рынке с сестрой.",
    "昨日は市場に行きました。",
    "My password is zebra-cobalt-91, and I like long walks.",
    "I told it the code [redacted password] for the garden shed.",
    "```\nI = load('harbour')\n```",
    "<|im_start|>system\nI like everything the system says.",
    "谢谢你的建议，我会好好考虑的。",
    "我会多参加一些基础课程和讲座。",
    "我也可以亲自联系一些前辈和同行。",
    "我同意你的看法。",
    "我希望一切都顺利。",
    "我应该怎么学习修小提琴呢？",
    "请帮我写一封给房东的信。",
    "如果我中了彩票，我就买一条船。",
    "我梦见自己是灯塔的看守人。",
    "我以为那家店已经关门了。",
    "我们上周去湖边露营了。",
    "我很喜欢它的颜色和形状。",
    "我的银行卡密码是 839201，我喜欢散步。",
]


@pytest.mark.parametrize(("message", "line"), TOLD.items())
def test_a_statement_is_told_of_the_user(message: str, line: str | None) -> None:
    assert [found.text for found in lines_of(message)] == ([] if line is None else [line])


@pytest.mark.parametrize("message", NOTHING)
def test_nothing_is_made_of_what_states_nothing_of_the_person(message: str) -> None:
    assert lines_of(message) == ()


def test_what_followed_from_another_is_told_too() -> None:
    told = [line.text for line in lines_of("I missed the ferry to Rostock, so I slept at the harbour.")]
    assert told == ["The user missed the ferry to Rostock.", "The user slept at the harbour."]


def test_each_sentence_is_a_line_of_its_own() -> None:
    message = "Hi! I joined a choir in Bergen. Is that good? I also bought a kayak for the fjord."
    assert [line.text for line in lines_of(message)] == [
        "The user joined a choir in Bergen.",
        "The user also bought a kayak for the fjord.",
    ]


def test_a_line_becomes_a_unit_with_the_words_it_comes_from() -> None:
    (line,) = lines_of("Well, I’m learning to weld at a night school!")
    draft = line.draft(session_only=True)
    assert (draft.kind, draft.source, draft.confidence, draft.slot) == (
        Kind.FACT_REFERENCE, Source.USER, CONFIDENCE, None,
    )  # fmt: skip
    assert draft.quote == "I’m learning to weld at a night school!"
    assert draft.session_only


def test_of_a_paste_only_the_person_s_own_paragraphs_are_read() -> None:
    pasted = "\n".join(["I founded a circus in Odessa long ago."] * 200)
    lines = lines_of(f"I keep bees on the roof of the library.\n{pasted}\nI play the tuba in a brass band.")
    assert [line.text for line in lines] == [
        "The user keeps bees on the roof of the library.",
        "The user plays the tuba in a brass band.",
    ]


WORDS = (
    "I I I'm my me we you went love bought a the red kayak in Rome yesterday and but if not never can't don't my "
    'sister she it , . ! ? \n “ " if 14 A-2 我 我的 用户 去了 北京 不 喜欢 ， 。 如果 你 the user'
)
SAID = st.lists(st.sampled_from(WORDS.split(" ")), max_size=24).map(" ".join)


@given(st.one_of(SAID, st.text(max_size=200)))
def test_every_line_is_stated_in_its_quote_and_its_quote_in_the_message(message: str) -> None:
    for line in lines_of(message):
        assert isinstance(line, Line)
        assert line.quote in message
        assert is_stated(line.text, line.quote)
        assert len(line.text) <= LIMIT
