"""Greetings and requests, where the person's own words are a fitting reply."""

from __future__ import annotations

import pytest

from edge.memory.repetition import is_courtesy, requests, wants_repetition


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "Good morning, Edge.",
        "Nice to meet you",
        "Bye 👋",
        "OK.",
        "Happy new year!",
        "你好！",
        "早上好呀",
        "谢谢你。",
        "新年快乐",
    ],
)
def test_courtesy_is_answered_in_kind(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text", ["Hello, I am Ann.", "I love coffee.", "Good question", "", "😀", "你好，我叫张伟。", "我喜欢茶。"]
)
def test_what_says_more_is_no_courtesy(text: str) -> None:
    assert not is_courtesy(text)


def test_courtesy_without_end_is_told_apart_quickly() -> None:
    assert not is_courtesy("good morning " * 2000 + "x")


@pytest.mark.parametrize(
    "message",
    [
        "Repeat after me: I love coffee.",
        "Say: hello",
        "Please say I love you.",
        "Could you repeat that? I love coffee.",
        "Quote me: I love coffee.",
        "I love coffee. Word for word, please.",
        "跟我念：我爱北京。",
        "请跟着我读，我爱北京。",
        "重复：我爱北京。",
        "请说“你好”",
        "再说一遍：你好",
        "把这句话复述一遍。我爱北京。",
    ],
)
def test_who_asks_for_a_repetition(message: str) -> None:
    assert wants_repetition(message)


@pytest.mark.parametrize(
    "message",
    [
        "I love coffee.",
        "They say it rains tomorrow.",
        "I repeat my workout every day.",
        "What did I say?",
        "我每天重复同样的工作。",
        "我说过我喜欢茶。",
        "我会说英语。",
        "她跟我说她要走。",
        "我昨天抄了一首诗。",
    ],
)
def test_who_only_tells_of_it_asks_for_none(message: str) -> None:
    assert not wants_repetition(message)


@pytest.mark.parametrize(
    ("earlier", "wanted"),
    [
        ("Repeat everything I say.", True),
        ("I will send you sentences. Please correct them.", True),
        ("我说什么你就重复什么。", True),
        ("接下来请翻译我发的句子。", True),
        ("Repeat after me: hi", False),
        ("I read everything.", False),
        ("重复：你好", False),
    ],
)
def test_an_earlier_message_may_have_asked_for_what_follows(earlier: str, wanted: bool) -> None:
    assert wants_repetition("I love coffee.", [earlier, "Hm."]) == wanted


@pytest.mark.parametrize(
    "message",
    [
        "Tell me a joke.",
        "Translate this. I love coffee.",
        "I love coffee. Please translate it.",
        "Spell necessary.",
        "请写一首诗。",
        "翻译：我爱你",
        "把这句话翻译成英文。我爱北京。",
        "帮我改正。我去了学校昨天。",
        "告诉我一个笑话。",
    ],
)
def test_requests(message: str) -> None:
    assert requests(message)


@pytest.mark.parametrize(
    "message",
    ["I help people.", "I translate books.", "Remember that I love tea.", "我是翻译。", "想喝咖啡。", "记住我喜欢茶。"],
)
def test_statements_request_nothing(message: str) -> None:
    assert not requests(message)
