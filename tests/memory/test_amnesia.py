"""How a reply sounds that comes from somebody who forgot, in English and Chinese, and what only looks like it."""

from __future__ import annotations

import pytest

from edge.memory.questions import ends_asking
from edge.prompt.replies import ACKNOWLEDGEMENTS, nothing_known, unknown_slot
from tests.memory.test_rules import RULES

DOES_NOT_REMEMBER = [
    "I don't remember your dentist's name.",
    "I don’t recall what you ordered.",
    "Sorry, I can't remember that.",
    "I do not seem to recall the address.",
    "I have no memory of that conversation.",
    "I don't have that information yet.",
    "I don't have any information about your car.",
    "真的想不起来了。",
    "I don't have any record of your phone number.",
    "I don't have access to our previous conversations.",
    "I do not have enough information about your sister.",
    "I've completely forgotten where you live.",
    "I'm unable to recall the order number.",
    "You haven't told me your birthday.",
    "You never mentioned your dog's name; you did not tell me that.",
    "I don't know what your favourite colour is.",
    "I DON'T REMEMBER.",
    "我不记得你的牙医叫什么。",
    "抱歉，我记不清了。",
    "我忘了你住在哪里。",
    "我没有关于你妹妹的信息。",
    "我这里没有相关记录。",
    "你还没有告诉我你的生日。",
    "您之前没跟我说过这个。",
    "我不知道你的电话号码。",
    "我實在想不起來。",
    "我還不知道你的訂單號。",
]
ASKS_AGAIN = [
    "Could you repeat that, please?",
    "Can you remind me what your order number is?",
    "Please tell me again where you live.",
    "What was your dog's name again?",
    "Could you say that again?",
    "Could you repeat your order number?",
    "Please repeat.",
    "请你再说一遍。",
    "可以再告诉我一次吗？",
    "能提醒我一下你的地址吗？",
    "麻烦您重复一下。",
]
HEDGES = [
    "I'm not sure which airline you prefer.",
    "I am not entirely certain.",
    "If I remember correctly, it was a Tuesday.",
    "I think you mentioned a red bike.",
    "You may have told me about it.",
    "As far as I recall, it is blue.",
    "我不太确定。",
    "我不能肯定你喜欢哪一种。",
    "如果我没记错的话，是星期二。",
    "你好像说过是蓝色的。",
    "可能你之前提过。",
]
NEAR_MISSES = [
    "Your order number is A-20391-XK.",
    "Don't forget to call Ann at six.",
    "I won't forget it. I'll remember that.",
    "I remember: your dentist is Dr. Lin.",
    "Remember to take an umbrella.",
    "I'll remind you tomorrow. You asked me to remind you.",
    "If you don't remember your password, reset it on the login page.",
    "Many people don't remember their dreams.",
    'The song is called "I don\'t remember you".',
    "He said that he doesn't recall the accident.",
    "I don't know of a better recipe.",
    "I don't mind. Are you sure?",
    "The uncertainty principle says that one cannot be sure of both.",
    "Could you repeat the exercise tomorrow? Repeat it ten times.",
    "Could you tell me more about the trip?",
    "You told me that you like tea.",
    "Paris is the capital of France.",
    "Please repeat steps 2 and 3 until it is smooth.",
    "Can you repeat the exercise?",
    "I don't have any information about tomorrow's weather.",
    "Scientists don't yet know what dark matter is.",
    "科学家还不知道暗物质是什么。",
    "他怎么也想不起来。",
    "请重复第二步和第三步。",
    "I forgot to mention that the shop is closed on Sundays.",
    "你的订单号是A-20391-XK。",
    "别忘了六点给安打电话。",
    "我会记住的，我不会忘记。",
    "我记得你的牙医是林医生。",
    "如果你不记得密码，可以在登录页重置。",
    "他说他不记得那次事故了。",
    "这首歌叫「我不记得你」。",
    "海森堡的不确定性原理很有名。",
    "大概需要三十分钟。",
    "再说了，今天是星期天。",
    "请再加一点盐。",
    "我会提醒你明天带伞。",
    "你告诉过我你喜欢喝茶。",
    "你没有说错，就是星期二。",
    "能告诉我旅行的更多情况吗？",
    "没有问题。",
]


@pytest.mark.parametrize("reply", [*DOES_NOT_REMEMBER, *ASKS_AGAIN, *HEDGES])
def test_a_reply_that_forgot(reply: str) -> None:
    assert RULES.amnesia.shows_in(reply)


@pytest.mark.parametrize("reply", ["", *NEAR_MISSES, *ACKNOWLEDGEMENTS])
def test_one_that_only_looks_like_it(reply: str) -> None:
    assert not RULES.amnesia.shows_in(reply)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_runtime_says_when_it_knows_nothing_counts(language: str) -> None:
    replies = [
        nothing_known(language),
        unknown_slot("电话", language, own=True),
        unknown_slot("x", language, own=False),
    ]
    for reply in replies:
        assert ends_asking(reply)
        assert RULES.amnesia.shows_in(reply)


def test_it_says_so_early_or_not_at_all() -> None:
    assert RULES.amnesia.shows_in("I don't remember. " + "word " * 10_000)
    assert not RULES.amnesia.shows_in("word " * 10_000 + "I don't remember.")


def test_a_long_reply_takes_no_time_worth_a_word() -> None:
    for text in ("i " * 40_000, '"' * 40_000, "我" * 40_000, "you never " * 10_000, "」「" * 20_000):
        assert not RULES.amnesia.shows_in(text)
