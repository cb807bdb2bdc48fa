"""A relation that has a name: what was told by either is found by both; two of one relation stay apart."""

from __future__ import annotations

import pytest

from edge.engine.answers import Answers
from edge.memory.units import NAME, Stage
from tests.engine.making import ANN, MAIN, OTHER, Desk
from tests.engine.test_recall import ask, contents
from tests.memory.test_rules import RULES

TWO_SISTERS = ("My sister Hannah lives in Bergen.", "My sister Ruth lives in Leeds.")
TWO_SISTERS_ZH = ("我姐姐思敏住在杭州。", "我妹妹小雨住在北京。")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def answer(desk: Desk, question: str) -> str | None:
    return Answers(RULES, fast=True).reply(question, ask(desk, question, session=OTHER))


def tell(desk: Desk, *messages: str) -> None:
    for message in messages:
        desk.say(message)


@pytest.mark.parametrize(
    ("told", "questions", "wanted"),
    [
        (["My sister Hannah lives in Bergen."], ["Where does Hannah live?", "Where does my sister live?"], "Bergen"),
        (["My sister's name is Hannah.", "My sister lives in Oslo."], ["Where does Hannah live?"], "Oslo"),
        (["My sister lives in Oslo.", "My sister is called Hannah."], ["where does hannah live?"], "Oslo"),
        (["My wife Anna's phone is 0151 2345678."], ["What's Anna's number?", "My wife's number?"], "0151 2345678"),
        (["我姐姐思敏住在杭州。"], ["思敏住在哪里？", "我姐姐住在哪里？", "我姐姐思敏住在哪里？"], "杭州"),
        (["我妹妹叫小雨。", "我妹妹住在北京。"], ["小雨住在哪里？", "我妹妹住在哪里？"], "北京"),
        (["我妹妹住在北京。", "我妹妹叫思敏。"], ["思敏住在哪里？"], "北京"),
        (["我老婆王丽的电话是13800138000。"], ["王丽的电话是多少？", "我老婆的电话是多少？"], "13800138000"),
    ],
)
def test_either_name_finds_what_was_told_by_the_other(
    desk: Desk, told: list[str], questions: list[str], wanted: str
) -> None:
    tell(desk, *told)
    for question in questions:
        assert wanted in (answer(desk, question) or ""), question


@pytest.mark.parametrize(
    ("told", "question", "wanted"),
    [
        ("My sister Hannah works as a nurse in Bergen.", "Where does Hannah work?", "Bergen"),
        ("My sister Hannah works as a nurse in Bergen.", "Where does my sister work?", "Bergen"),
        ("我姐姐思敏在杭州当护士。", "思敏在哪里工作？", "杭州"),
        ("我姐姐思敏在杭州当护士。", "我姐姐在哪里工作？", "杭州"),
    ],
)
def test_words_that_say_more_than_the_slot_are_not_refused_as_anothers(
    desk: Desk, told: str, question: str, wanted: str
) -> None:
    tell(desk, told)
    found = ask(desk, question, session=OTHER)
    assert found.empty_slot is None
    assert any("nurse" in content or "护士" in content for content in contents(found))
    assert not any(why == "about somebody else" for _, why in found.dropped)


@pytest.mark.parametrize(
    ("told", "questions"),
    [
        (TWO_SISTERS, {"Where does Hannah live?": ("Bergen", "Leeds"), "Where does Ruth live?": ("Leeds", "Bergen")}),
        (TWO_SISTERS, {"Where does my sister Ruth live?": ("Leeds", "Bergen")}),
        (TWO_SISTERS_ZH, {"思敏住在哪里？": ("杭州", "北京"), "我妹妹小雨住在哪里？": ("北京", "杭州")}),
    ],
)
def test_two_sisters_are_not_mixed(desk: Desk, told: tuple[str, ...], questions: dict[str, tuple[str, str]]) -> None:
    tell(desk, *told)
    for question, (wanted, anothers) in questions.items():
        said = answer(desk, question) or ""
        assert wanted in said
        assert anothers not in said


@pytest.mark.parametrize(
    ("told", "question", "wanted"),
    [
        (TWO_SISTERS, "Where does my sister live?", ("Hannah lives in Bergen", "Ruth lives in Leeds")),
        (TWO_SISTERS_ZH, "我姐姐住在哪里？", ("思敏住在杭州", "小雨住在北京")),
    ],
)
def test_a_relation_that_two_have_is_answered_with_both(
    desk: Desk, told: tuple[str, ...], question: str, wanted: tuple[str, str]
) -> None:
    tell(desk, *told)
    said = answer(desk, question) or ""
    assert all(words in said for words in wanted)


@pytest.mark.parametrize(
    ("told", "later", "question", "wanted", "gone"),
    [
        ("My sister Hannah lives in Bergen.", "My sister moved to Oslo.", "Where does Hannah live?", "Oslo", "Bergen"),
        (
            "My sister lives in Oslo.",
            "My sister Hannah moved to Bergen.",
            "Where does my sister live?",
            "Bergen",
            "Oslo",
        ),
        ("我姐姐思敏住在杭州。", "我姐姐搬到北京了。", "思敏住在哪里？", "北京", "杭州"),
    ],
)
def test_what_is_told_by_one_name_follows_what_was_told_by_the_other(
    desk: Desk, told: str, later: str, question: str, wanted: str, gone: str
) -> None:
    tell(desk, told, later)
    said = answer(desk, question) or ""
    assert wanted in said
    assert gone not in said


def test_a_given_name_does_not_end_the_full_one(desk: Desk) -> None:
    tell(desk, "My wife is called Anna Maria.", "My wife Anna lives in Bergen.")
    assert "Anna Maria" in (answer(desk, "What is my wife's name?") or "")
    assert "Bergen" in (answer(desk, "Where does Anna live?") or "")


def test_what_is_told_of_a_relation_that_two_have_ends_nothing_of_either(desk: Desk) -> None:
    tell(desk, *TWO_SISTERS, "My sister moved to Oslo.")
    assert "Bergen" in (answer(desk, "Where does Hannah live?") or "")
    assert "Oslo" in (answer(desk, "Where does my sister live?") or "")


@pytest.mark.parametrize(
    ("told", "by_name"),
    [
        (["My sister is called Hannah.", "My sister lives in Oslo."], "Where does Hannah live?"),
        (["我姐姐叫思敏。", "我姐姐住在杭州。"], "思敏住在哪里？"),
    ],
)
def test_a_name_that_is_forgotten_leads_nowhere(desk: Desk, told: list[str], by_name: str) -> None:
    tell(desk, *told)
    assert [found.stage for found in ask(desk, by_name).recalled] == [Stage.RULE]
    page = desk.store.page(
        ANN, session=MAIN, kinds=None, before=None, limit=50, as_of=desk.clock.now(), include_past=True
    )
    names = [unit.id for unit in page.units if unit.slot == NAME]
    assert len(names) == 1
    desk.forget(ANN, names)
    assert not [found for found in ask(desk, by_name).recalled if found.stage is Stage.RULE]


@pytest.mark.parametrize(
    ("question", "named"), [("What's my dog's name?", "your dog's name"), ("我的狗叫什么名字？", "你的狗的名字")]
)
def test_a_name_that_is_not_known_is_called_as_it_was_asked_for(desk: Desk, question: str, named: str) -> None:
    assert named in (answer(desk, question) or "")


@pytest.mark.parametrize(
    ("told", "question", "wanted"),
    [
        (
            (
                "My sister Hannah works as a nurse in Bergen.",
                "I bought olives.",
                "The printer is broken.",
                "I sowed peas.",
            ),
            "Where does my sister work?",
            "My sister Hannah works as a nurse in Bergen.",
        ),
        (
            ("我姐姐思敏在杭州当护士。", "我买了橄榄。", "打印机坏了。", "我种了西红柿。", "周日我们去了海边。"),
            "我姐姐在哪里工作？",
            "我姐姐思敏在杭州当护士。",
        ),
    ],
)
def test_what_has_nothing_to_do_with_who_is_asked_about_is_not_told(
    desk: Desk, told: tuple[str, ...], question: str, wanted: str
) -> None:
    tell(desk, *told)
    said = contents(ask(desk, question, session=OTHER))
    assert wanted in said
    assert not set(said) & set(told[1:])
