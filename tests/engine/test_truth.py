"""Contradictions from the words that bring them to the answer that settles them; the same told in other words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from edge.engine.model_ports import Embedded
from edge.engine.ports import Scope, Written
from edge.engine.truth import AskBack, Doubts
from edge.memory.units import Ending, Kind, SessionId, TurnId, TurnState, Unit
from tests.engine.making import ANN, BOB, MAIN, OTHER, Desk
from tests.fakes.embedder import HashEmbedder
from tests.memory.test_rules import RULES


@pytest.fixture
def desk() -> Desk:
    return Desk()


def say(desk: Desk, message: str, session: SessionId = MAIN) -> tuple[Written, AskBack | None]:
    """A whole turn, with the question at its end where there is one."""
    desk.clock.pass_by(hours=1)
    written = desk.remember.begin_turn(ANN, session, message, desk.clock.now())
    assert written.turn is not None
    asked = desk.remember.question(ANN, session, message, written)
    reply = "I see." + (asked.after("I see.") if asked else "")
    desk.remember.finish_turn(
        ANN, session, written.turn, reply, TurnState.DONE, [message], desk.clock.now(), asked, session_only=False
    )  # fmt: skip
    return written, asked


def homes(desk: Desk) -> list[tuple[str | None, Ending | None]]:
    return [(unit.value, unit.ended_why) for unit in desk.units() if unit.slot == "home"]


CASES = {
    "en": ("I live in Berlin.", "I live in Hamburg.", "berlin", "hamburg"),
    "zh": ("我住在柏林。", "我住在汉堡。", "柏林", "汉堡"),
}
QUESTIONS = {
    "en": "You told me earlier that you live in Berlin. Is it Hamburg now?",
    "zh": "你之前说住在柏林，现在是汉堡了吗？",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_asked_in_the_turn_that_brings_it_and_never_again(desk: Desk, language: str) -> None:
    first, second, _, _ = CASES[language]
    assert say(desk, first)[1] is None
    _, asked = say(desk, second)
    assert asked is not None
    assert asked.words == QUESTIONS[language]
    for _ in range(3):
        assert say(desk, "The sun is out today." if language == "en" else "今天天气不错。")[1] is None
    assert say(desk, "Where do I live?" if language == "en" else "我住在哪里？")[1] is None


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "yes"),
        ("en", "right, since May"),
        ("en", "Hamburg"),
        ("en", "I live in Hamburg."),
        ("zh", "对"),
        ("zh", "汉堡"),
    ],
)
def test_the_newer_stays(desk: Desk, language: str, answer: str) -> None:
    first, second, older, newer = CASES[language]
    say(desk, first)
    say(desk, second)
    _, asked = say(desk, answer)
    assert asked is None
    assert homes(desk) == [(older, Ending.NEWER), (newer, None)]
    assert next(unit for unit in desk.units() if unit.value == newer).access_count == 1


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "no"),
        ("en", "No, Berlin."),
        ("en", "I live in Berlin."),
        ("zh", "不，还是柏林"),
        ("zh", "不是"),
        ("zh", "还是柏林"),
    ],
)
def test_the_older_comes_back(desk: Desk, language: str, answer: str) -> None:
    first, second, older, newer = CASES[language]
    say(desk, first)
    say(desk, second)
    _, asked = say(desk, answer)
    assert asked is None
    assert homes(desk) == [(older, Ending.NEWER), (newer, Ending.SETTLED), (older, None)]
    scope = Scope(ANN, MAIN, desk.clock.now(), present=True)
    assert [unit.value for unit in desk.store.slot_units(scope, ["home"], None)] == [older]


@pytest.mark.parametrize(("language", "yes"), [("en", "yes"), ("zh", "对"), ("en", "no"), ("zh", "不是")])
def test_an_answer_counts_only_right_after_the_question_and_in_its_session(desk: Desk, language: str, yes: str) -> None:
    first, second, older, newer = CASES[language]
    say(desk, first)
    say(desk, second)
    say(desk, yes, OTHER)
    say(desk, "The sun is out today.")
    say(desk, yes)
    assert homes(desk) == [(older, Ending.NEWER), (newer, None)]
    assert all(unit.access_count == 0 for unit in desk.units() if unit.slot == "home")


@pytest.mark.parametrize(
    ("language", "answer", "holds"),
    [
        ("en", "It's Hamburg, by the way.", "hamburg"),
        ("en", "Hamburg is right.", "hamburg"),
        ("en", "I live in Hamburg.", "hamburg"),
        ("en", "It's Berlin, not Hamburg.", "berlin"),
        ("en", "I live in Berlin.", "berlin"),
        ("zh", "是汉堡。", "汉堡"),
        ("zh", "汉堡是对的", "汉堡"),
        ("zh", "还是柏林", "柏林"),
        ("zh", "我住在柏林。", "柏林"),
    ],
)
def test_a_clear_answer_settles_it_some_turns_later(desk: Desk, language: str, answer: str, holds: str) -> None:
    first, second, older, _ = CASES[language]
    say(desk, first)
    say(desk, second)
    for other in ("The sun is out today.", "今天天气不错。"):
        assert say(desk, other)[1] is None
    assert say(desk, answer)[1] is None
    scope = Scope(ANN, MAIN, desk.clock.now(), present=True)
    assert [unit.value for unit in desk.store.slot_units(scope, ["home"], None)] == [holds]
    assert desk.store.truth.unsettled(ANN, MAIN) == []
    assert homes(desk)[1][1] is (Ending.SETTLED if holds == older else None)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Is it Hamburg?"), ("en", "Hamburg is nice."), ("en", "What's on in Berlin today?"), ("en", "Berlin"),
        ("zh", "是汉堡吗？"), ("zh", "汉堡很美。"), ("zh", "柏林今天有什么？"), ("zh", "柏林"),
    ],
)  # fmt: skip
def test_a_question_or_a_mention_settles_nothing_later(desk: Desk, language: str, words: str) -> None:
    first, second, older, newer = CASES[language]
    for message in (first, second, "The sun is out today. 今天天气不错。", words):
        say(desk, message)
    assert homes(desk) == [(older, Ending.NEWER), (newer, None)]
    assert len(desk.store.truth.unsettled(ANN, MAIN)) == 1


@pytest.mark.parametrize(("session", "between"), [(OTHER, 1), (MAIN, 7)])
def test_a_late_answer_is_one_of_the_session_and_not_too_late(desk: Desk, session: SessionId, between: int) -> None:
    say(desk, "I live in Berlin.")
    say(desk, "I live in Hamburg.")
    for number in range(between):
        say(desk, f"The sun is out for {number} hours.")
    say(desk, "It's Berlin.", session)
    assert homes(desk) == [("berlin", Ending.NEWER), ("hamburg", None)]


def test_a_third_value_settles_it_too(desk: Desk) -> None:
    say(desk, "I live in Berlin.")
    say(desk, "I live in Hamburg.")
    say(desk, "No, I live in Bonn.")
    assert homes(desk) == [("berlin", Ending.NEWER), ("hamburg", Ending.CORRECTED), ("bonn", None)]
    assert say(desk, "yes")[1] is None
    assert homes(desk)[-1] == ("bonn", None)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_told_outside_a_turn_is_asked_about_in_the_next(desk: Desk, language: str) -> None:
    first, second, _, _ = CASES[language]
    for statement in (first, second):
        desk.clock.pass_by(hours=1)
        desk.remember.statement(ANN, None, statement, desk.clock.now())
    assert desk.remember.question(BOB, MAIN, "Hello!", Written()) is None
    _, asked = say(desk, "Hello!" if language == "en" else "你好！", OTHER)
    assert asked is not None
    assert asked.words == QUESTIONS[language]


def test_what_is_asked_about_comes_first(desk: Desk) -> None:
    for statement in ("I live in Berlin.", "I live in Hamburg.", "My name is Will.", "My name is Tom."):
        desk.clock.pass_by(hours=1)
        desk.remember.statement(ANN, None, statement, desk.clock.now())
    _, asked = say(desk, "Where do I live?")
    assert asked is not None
    assert "Berlin" in asked.words
    _, asked = say(desk, "Nice.")
    assert asked is not None
    assert "Will" in asked.words


def test_the_question_is_no_words_of_the_assistants_own(desk: Desk) -> None:
    say(desk, "I live in Berlin.")
    say(desk, "I live in Hamburg.")
    assert all("earlier" not in unit.content for unit in desk.units() if unit.kind is Kind.EPISODE)
    assert desk.store.turns(ANN, MAIN, last=1)[0].reply.endswith("Is it Hamburg now?")


def test_nothing_is_asked_where_nobody_doubts(desk: Desk) -> None:
    assert Doubts(desk.store.truth, RULES).question(ANN, MAIN, "Hello", Written(TurnId(1))) is None


# --- doubles ---


class Alike(HashEmbedder):
    """To which all texts are alike, so that the words alone decide."""

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        alike = np.float32(1 / np.sqrt(self.dimension))
        return [Embedded(np.full_like(each.vectors, alike), each.codes) for each in super().embed(texts)]


@pytest.fixture
def alike() -> Desk:
    return Desk(embedder=Alike())


def state(desk: Desk, text: str, session: SessionId | None = None) -> None:
    desk.clock.pass_by(minutes=1)
    desk.remember.statement(ANN, session, text, desk.clock.now())
    desk.embed()


def compare(desk: Desk) -> list[Unit]:
    while desk.doubles.step():
        pass
    return [unit for unit in desk.units() if unit.kind is Kind.FACT_REFERENCE]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("The tap in the kitchen drips.", "The kitchen tap drips."),
        ("The wifi code of the cabin is 4471.", "The cabin's wifi code is 4471."),
        ("厨房的水龙头漏水。", "厨房水龙头漏水。"),
        ("备份每天夜里两点运行。", "备份每天夜里2点运行。"),
    ],
)
def test_the_same_in_other_words_becomes_one(alike: Desk, first: str, again: str) -> None:
    state(alike, first)
    state(alike, "The moon is far.")
    state(alike, again)
    kept, moon, double = compare(alike)
    assert (kept.superseded_by, kept.access_count) == (None, 1)
    assert moon.superseded_by is None
    assert (double.superseded_by, double.ended_why) == (kept.id, Ending.SAME)
    assert not alike.doubles.step()


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("The tap in the kitchen drips.", "The tap in the kitchen doesn't drip."),
        ("The wifi code of the cabin is 4471.", "The cabin's wifi code is 4417."),
        ("厨房的水龙头漏水。", "厨房的水龙头不漏水。"),
        ("备份每天夜里两点运行。", "备份每天夜里三点运行。"),
    ],
)
def test_what_differs_in_a_number_or_a_not_stays(alike: Desk, first: str, other: str) -> None:
    state(alike, first)
    state(alike, other)
    assert [unit.superseded_by for unit in compare(alike)] == [None, None]


def test_sessions_and_owners_are_not_joined(alike: Desk) -> None:
    state(alike, "For now the kitchen tap drips.", MAIN)
    state(alike, "For now, the tap in the kitchen drips.", OTHER)
    alike.remember.statement(BOB, None, "The kitchen tap drips.", alike.clock.now())
    alike.embed()
    assert [unit.superseded_by for unit in compare(alike)] == [None, None]
    assert all(unit.superseded_by is None for unit in alike.units(BOB))


def test_nothing_is_compared_before_all_is_embedded(alike: Desk) -> None:
    alike.remember.statement(ANN, None, "The kitchen tap drips.", alike.clock.now())
    assert not alike.doubles.step()
    assert not Desk(attached=False).doubles.step()
    alike.embed()
    assert alike.doubles.step()


def test_the_words_of_a_turn_are_never_joined(alike: Desk) -> None:
    alike.say("The kitchen tap drips.")
    alike.say("The tap in the kitchen drips.")
    assert compare(alike) == []
    assert all(unit.superseded_by is None for unit in alike.units())
