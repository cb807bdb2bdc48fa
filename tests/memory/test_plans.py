"""The table of plans: which message is answered with how much, in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge.memory.intents import Intent, Label, Move
from edge.memory.plans import PLAIN, PLANS, Hint, plan_of
from tests.memory.test_rules import RULES


def intent(label: Label, move: Move = Move.ASK, confidence: float = 0.9) -> Intent:
    return Intent(label, confidence, "as the test says", move)


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ("When did Melanie get hurt?", Label.TEMPORAL),
        ("梅拉妮什么时候受的伤？", Label.TEMPORAL),
        ("What books has Tim read?", Label.AGGREGATE),
        ("蒂姆读过哪些书？", Label.AGGREGATE),
        ("good morning!", Label.SMALL_TALK),
        ("早上好呀", Label.SMALL_TALK),
    ],
)
def test_a_message_has_the_plan_of_its_label(message: str, label: Label) -> None:
    assert plan_of(RULES.intent_of(message), message) == PLANS[label]


@pytest.mark.parametrize("label", [Label.PROFILE, Label.STATE_CHANGE, Label.GENERAL])
def test_most_labels_ask_for_nothing_more(label: Label) -> None:
    assert plan_of(intent(label), "where is the key?") is PLAIN


def test_a_label_that_is_not_sure_has_no_plan() -> None:
    assert plan_of(intent(Label.SMALL_TALK, confidence=0.4), "hm") is PLAIN


@pytest.mark.parametrize("message", ["What did Ann see on 3 May?", "安娜5月3日看了什么？"])
def test_who_only_names_a_time_asks_for_none(message: str) -> None:
    assert plan_of(intent(Label.TEMPORAL), message) is PLAIN


@pytest.mark.parametrize("message", ["How many books has Tim read?", "蒂姆读了多少本书？"])
def test_an_amount_is_no_list(message: str) -> None:
    assert plan_of(intent(Label.AGGREGATE), message) == replace(PLANS[Label.AGGREGATE], hint=None)
    assert PLANS[Label.AGGREGATE].hint is Hint.ALL


@pytest.mark.parametrize(
    "message", ["elephant", "spare fuses", "wifi password", "gate keeper", "大象", "备用保险丝", "密码"]
)
def test_bare_words_are_searched(message: str) -> None:
    assert plan_of(RULES.intent_of(message), message).search


@pytest.mark.parametrize("message", ["thanks!", "good morning", "haha nice", "谢谢", "早上好", "哈哈"])
def test_small_talk_is_not(message: str) -> None:
    assert not plan_of(RULES.intent_of(message), message).search


def test_standing_rules_are_always_told_but_in_small_talk() -> None:
    assert PLAIN.rules
    assert [label for label, plan in PLANS.items() if not plan.rules] == [Label.SMALL_TALK]


def test_before_something_is_made_of_what_is_known_it_is_checked() -> None:
    assert plan_of(intent(Label.GENERAL, Move.REQUEST), "plan my week").checked
    assert not PLAIN.checked


def test_no_plan_tells_more_than_the_setting() -> None:
    for plan in (PLAIN, *PLANS.values()):
        assert plan.most(0) == 0
        assert plan.most(8) <= 8


def test_who_only_tells_is_not_asked_to_be_brief() -> None:
    assert plan_of(intent(Label.FACT), "where is the key?").hint is Hint.FEW
    assert plan_of(intent(Label.FACT, Move.TELL), "the key is here").hint is None


@pytest.mark.parametrize("message", ["What did you recommend for my cold?", "关于感冒，你给了我什么建议？"])
def test_what_the_assistant_said_is_told_in_more_than_a_few_words(message: str) -> None:
    assert plan_of(intent(Label.FACT), message).hint is None


@pytest.mark.parametrize(
    ("label", "message", "hint"),
    [
        (Label.FACT, "Where has Ann camped?", Hint.ALL),
        (Label.FACT, "安去过哪里露营？", Hint.ALL),
        (Label.FACT, "Where did Ann camp?", Hint.FEW),
        (Label.FACT, "安在哪里露营？", Hint.FEW),
        (Label.PROFILE, "What are Maria's dogs' names?", Hint.ALL),
        (Label.PROFILE, "玛丽亚养了哪些狗？", Hint.ALL),
        (Label.PROFILE, "What is Maria's dog called?", None),
        (Label.PROFILE, "玛丽亚的狗叫什么？", None),
        (Label.AGGREGATE, "What kind of soup did he make?", Hint.FEW),
        (Label.AGGREGATE, "他喝哪种茶？", Hint.FEW),
        (Label.GENERAL, "What are the planets of the sun?", None),
        (Label.FACT, "What books did you recommend?", None),
        (Label.FACT, "How many cups has Ann made?", Hint.FEW),
    ],
)
def test_what_is_asked_in_the_plural_is_answered_with_a_list(label: Label, message: str, hint: Hint | None) -> None:
    assert plan_of(intent(label), message).hint is hint
