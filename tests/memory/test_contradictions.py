"""When the person is to be asked which of two statements holds, and what their answer means."""

from __future__ import annotations

import pytest

from edge.engine.ports import Scope
from edge.memory.contradictions import differing, read_answer, signals_change, with_doubts
from edge.memory.lifecycle import Known, Lifespans, key_of, plan_changes, slots_touched
from edge.memory.units import Draft, Insert, Kind, Outcome, Source
from tests.memory.test_lifecycle import ANN, MAIN, MANY, Memory
from tests.memory.test_rules import RULES


def doubts(before: str, words: str) -> list[str | None]:
    """The values that a message contradicts, after another."""
    memory = Memory()
    memory.say(before)
    drafts = RULES.find_facts(words)
    scope = Scope(ANN, MAIN, memory.at)
    slots = memory.store.slot_units(scope, slots_touched(drafts), None)
    known = Known(memory.store.known(scope, [key_of(draft) for draft in drafts]), slots)
    changes = plan_changes(drafts, MAIN, memory.at, known, MANY, Lifespans())
    marked = with_doubts(changes, slots, words, MANY)
    found = {unit for change in marked if isinstance(change, Insert) for unit in change.doubts}
    return [unit.value for unit in slots if unit.id in found]


@pytest.mark.parametrize(
    ("before", "words", "contradicted"),
    [
        ("I live in Berlin.", "I live in Hamburg.", ["berlin"]),
        ("I live in Berlin.", "Hello! I live in Hamburg. The sun is out.", ["berlin"]),
        ("My phone number is 0151 2345678.", "My phone number is 0151 9999999.", ["01512345678"]),
        ("My name is Will.", "My name is Tom.", ["will"]),
        ("我住在柏林。", "我住在汉堡。", ["柏林"]),
        ("我的电话是13800138000。", "我的电话是13900139000。", ["13800138000"]),
        ("我叫李雷。", "我叫韩梅梅。", ["李雷"]),
    ],
)
def test_equals_without_a_word_of_change_contradict(before: str, words: str, contradicted: list[str]) -> None:
    assert doubts(before, words) == contradicted


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("I live in Berlin.", "I live in Hamburg now."),
        ("I live in Berlin.", "I moved. I live in Hamburg."),
        ("I live in Berlin.", "Actually, I live in Hamburg."),
        ("I live in Berlin.", "Sorry, I live in Hamburg."),
        ("I live in Berlin.", "I live in Hamburg, not in Berlin any more."),
        ("My phone number is 0151 2345678.", "My new phone number is 0151 9999999."),
        ("我住在柏林。", "我现在住在汉堡。"),
        ("我住在柏林。", "我搬到汉堡了。"),
        ("我住在柏林。", "不对，我住在汉堡。"),
        ("我的电话是13800138000。", "我的电话换成13900139000了。"),
        ("我的电话是13800138000。", "我的新电话是13900139000。"),
        # Both can be true.
        ("I like tea.", "I like coffee."),
        ("我喜欢茶。", "我喜欢咖啡。"),
        ("My order number is A-1001.", "My order number is A-1002."),
        # It changes by itself, or is the next one.
        ("I am 30 years old.", "I am 31 years old."),
        ("我今年三十岁。", "我今年三十一岁。"),
        # The same in other words.
        ("My birthday is 4 March.", "My birthday is March 4th."),
        ("My birthday is 4 March.", "我的生日是3月4日。"),
        ("My rent is 900 euros.", "房租是九百欧。"),
        # Hers, not mine.
        ("I live in Berlin.", "My sister lives in Hamburg."),
    ],
)
def test_nothing_to_ask_about(before: str, words: str) -> None:
    assert doubts(before, words) == []


def test_only_equals_contradict() -> None:
    memory = Memory()
    memory.take([Draft(Kind.USER_PROFILE, "guess", source=Source.ASSISTANT, slot="home", value="berlin")])
    draft = Draft(Kind.USER_PROFILE, "I live in Hamburg.", slot="home", value="hamburg")
    slots = memory.store.slot_units(Scope(ANN, MAIN, memory.at), ["home"], None)
    (change,) = plan_changes([draft], MAIN, memory.at, Known({}, slots), MANY, Lifespans())
    (marked,) = with_doubts([change], slots, draft.content, MANY)
    assert isinstance(marked, Insert)
    assert (marked.doubts, [why.value for why in marked.endings]) == ((), ["outranked"])


@pytest.mark.parametrize(
    "words", ["I live there now", "we moved in May", "my new number", "我换号了", "其实不是", "又搬家"]
)
def test_signs_of_change(words: str) -> None:
    assert signals_change(words)


@pytest.mark.parametrize("words", ["I live in Hamburg.", "My name is Tom", "我住在汉堡", "电话是138"])
def test_no_sign_of_change(words: str) -> None:
    assert not signals_change(words)


# --- the answer ---

OLDER, NEWER = ["berlin", "Berlin", "柏林"], ["hamburg", "Hamburg", "汉堡"]


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "Yes, Hamburg.",
        "Hamburg",
        "right, since May",
        "correct",
        "not Berlin any more",
        "I moved from Berlin to Hamburg",
        "Yes, Berlin was before",
        "it's Hamburg",
        "have moved to Hamburg",
        "was Berlin",
        "对",
        "是的",
        "对，五月搬的",
        "汉堡",
        "没错",
        "thats right",
        "precisely",
        "对啦",
        "现在是汉堡",
        "嗯",
        "不是柏林了",
    ],
)
def test_the_newer_holds(answer: str) -> None:
    assert read_answer(answer, OLDER, NEWER, RULES.assent) is Outcome.NEWER


@pytest.mark.parametrize(
    "answer",
    [
        "no",
        "No, Berlin.",
        "no, I meant my brother",
        "still Berlin",
        "Berlin",
        "No, not Hamburg",
        "nope",
        "it's still Berlin",
        "不，还是柏林",
        "不是",
        "还是柏林",
        "柏林",
        "没有，还是柏林",
        "没变",
        "说错了，是柏林",
        "that is not right",
        "incorrect",
        "false",
        "不对不对",
    ],
)
def test_the_older_holds(answer: str) -> None:
    assert read_answer(answer, OLDER, NEWER, RULES.assent) is Outcome.OLDER


@pytest.mark.parametrize(
    "answer",
    [
        "What's the weather?",
        "no problem",
        "ok",
        "I like tea",
        "Is Berlin nice?",
        "How is the weather in Berlin",
        "I was thinking of a trip to Berlin next week",
        "right now I am tired",
        "no idea",
        "不知道",
        "不客气",
        "对了，明天天气怎么样",
        "是不是要下雨",
        "是不是柏林",
        "不对吗？",
        "not right now",
        "how about Berlin",
        "柏林天气怎么样",
        "我喜欢茶",
        "",
        "yes " * 60,
    ],
)
def test_neither(answer: str) -> None:
    assert read_answer(answer, OLDER, NEWER, RULES.assent) is None


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("no, 0151 2345678", Outcome.OLDER), ("0151-9999999", Outcome.NEWER), ("不，是01512345678", Outcome.OLDER)],
)
def test_numbers_are_found_however_they_are_spaced(answer: str, outcome: Outcome) -> None:
    assert read_answer(answer, ["01512345678"], ["01519999999"], RULES.assent) is outcome


@pytest.mark.parametrize(
    ("older", "newer", "value"),
    [
        ("The user lives in Berlin.", "The user lives in Hamburg.", "Hamburg"),
        ("The user's phone number is 13800138000.", "The user's phone number is 13900139000.", "13900139000"),
        ("用户住在柏林。", "用户住在汉堡。", "汉堡"),
        ("用户的电话号码是13800138000。", "用户的电话号码是13900139000。", "13900139000"),
        ("用户的邮箱是a@b.com。", "用户的邮箱是ac@b.com。", "ac@b.com"),
        ("用户住在柏林。", "The user lives in Hamburg.", None),
        ("The user lives in Berlin.", "The user lives in Berlin.", None),
    ],
)
def test_what_differs(older: str, newer: str, value: str | None) -> None:
    assert differing(older, newer) == value
