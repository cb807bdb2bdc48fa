"""Which replies only say the person's own words back, also while they come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.echoes import echo_of


def echoed(message: str, reply: str, *, cut: bool = False) -> bool:
    echo = echo_of(message)
    return echo is not None and echo.is_echoed(reply, cut=cut)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("I love coffee.", "I love coffee."),
        ("I love coffee.", '"i LOVE  coffee"!! 😀'),
        ("I love coffee.", "You love coffee."),
        ("I'm 30 and my cat is Tom", "You’re 30 and your cat is Tom."),
        ("I am tired", "I'm tired."),
        ("What is my name?", "What is your name?"),
        ("I like tea?", "I like tea."),
        ("I love tea. I hate rain. I live in Rome.", "I hate rain."),
        ("I love tea. I hate rain. I live in Rome.", "I hate rain. I live in Rome."),
        ("My dog is Rex. What is his name?", "What is his name?"),
        ("Remember that I love coffee.", "You love coffee."),
        ("Tell me a joke.", "Tell me a joke."),
        ("我喜欢喝咖啡。", "我喜欢喝咖啡。"),
        ("我喜欢喝咖啡。", "你喜欢喝咖啡！"),
        ("我喜欢喝咖啡😀", "您喜欢喝咖啡"),
        ("我住在哪里？", "你住在哪里？"),
        ("请记住，我喜欢喝咖啡。", "我喜欢喝咖啡。"),
        ("我今年３０岁。我住在杭州。", "你住在杭州。"),
        ("请写一首诗。", "请写一首诗。"),
    ],
)
def test_an_echo(message: str, reply: str) -> None:
    assert echoed(message, reply)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("I love coffee.", "I love coffee too!"),
        ("I love coffee.", "I love"),
        ("I love coffee.", ""),
        ("I love coffee.", "😀"),
        ("😀", "😀"),
        ("", ""),
        ("Hello!", "Hello!"),
        ("OK. I am home.", "OK."),
        ("My dog is Rex. What is his name?", "Your dog is Rex."),
        ("I like tea?", "You like tea."),
        ("Tea or coffee?", "Tea"),
        ("Say: I love coffee.", "I love coffee."),
        ("Correct this sentence. I love coffee.", "I love coffee."),
        ("我喜欢喝咖啡。", "我也喜欢喝咖啡。"),
        ("我喜欢喝咖啡。", "我喜欢喝咖啡，你呢？"),
        ("我喜欢喝咖啡吗？", "你喜欢喝咖啡。"),
        ("我的狗叫小白。它叫什么？", "你的狗叫小白。"),
        ("跟我念：我爱北京。", "我爱北京。"),
        ("把这句话翻译成英文。我爱北京。", "我爱北京。"),
        ("你好。", "你好。"),
    ],
)
def test_no_echo(message: str, reply: str) -> None:
    assert not echoed(message, reply)


LONG = "I walked along the river with my brother and we talked about the boat that he wants to build next year."


def test_a_reply_cut_short_inside_an_echo_is_one() -> None:
    assert echoed(LONG, LONG[:58], cut=True)
    assert not echoed(LONG, LONG[:58])
    assert not echoed(LONG, "I walked along", cut=True)
    assert not echoed(f"{LONG} Where?", "Where? I do not know, as I have said it to you before", cut=True)
    assert echoed("我昨天和哥哥沿着河边走了很久，谈到了他明年想造的船。", "你昨天和哥哥沿着河边走了很", cut=True)


@pytest.mark.parametrize(
    "said",
    [
        "",
        " ",
        "I",
        "I lo",
        "You lov",
        "I love coffee",
        "I love coffee.",
        "I love coffee. You'",
        "I love coffee. You're 3",
        "I'm",
        "😀",
        '"I love',
    ],
)
def test_what_may_still_become_an_echo(said: str) -> None:
    echo = echo_of("I love coffee. I'm 30.")
    assert echo is not None
    assert echo.may_become(said)


@pytest.mark.parametrize("said", ["Yes", "I lover", "I love coffee too", "I'm 30. A", "He", "." * 80, "好"])
def test_what_can_become_none_any_more(said: str) -> None:
    echo = echo_of("I love coffee. I'm 30.")
    assert echo is not None
    assert not echo.may_become(said)


def test_words_that_may_turn_are_held_back_in_chinese() -> None:
    echo = echo_of("我喜欢喝咖啡。")
    assert echo is not None
    assert [echo.may_become(said) for said in ("你", "您喜欢", "我喜欢喝咖啡。", "我也", "好")] == [True] * 3 + [
        False
    ] * 2


def test_of_a_request_only_the_whole_is_held_back() -> None:
    echo = echo_of("Correct this sentence. I love coffee.")
    assert echo is not None
    assert echo.wants_reply
    assert echo.may_become("Correct this")
    assert not echo.may_become("I love")


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Can a cat swim?", "Noted"),
        ("Tell me a joke.", "noted."),
        ("猫会游泳吗？", "记下了。"),
        ("讲个笑话。", "记下了"),
    ],
)
def test_what_only_takes_note_is_no_reply_to_who_wants_one_once_it_was_said(message: str, reply: str) -> None:
    noting = ["Noted.", "记下了。"]
    echo = echo_of(message, [("I love tea.", "Noted."), ("我喜欢茶。", "记下了。")], noting)
    assert echo is not None
    assert echo.is_echoed(reply)
    assert all(echo.may_become(reply[:at]) for at in range(len(reply)))
    for earlier, stated in (([("I love tea.", "Nice.")], message), ([("I love tea.", reply)], "I love tea.")):
        other = echo_of(stated, earlier, noting)
        assert other is not None
        assert not other.is_echoed(reply)


@given(st.text(alphabet="I you love 我你喜欢茶.?!。？ '😀ab\n", max_size=40))
def test_each_message_is_an_echo_of_itself_and_held_back_all_along(message: str) -> None:
    echo = echo_of(message)
    if echo is not None:
        assert echo.is_echoed(message)
        assert all(echo.may_become(message[:at]) for at in range(len(message) + 1))


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_an_echo_may_have_become_one(message: str, reply: str) -> None:
    echo = echo_of(message)
    assert echo is None or not echo.is_echoed(reply) or len(reply) > 2 * len(message) + 24 or echo.may_become(reply)
