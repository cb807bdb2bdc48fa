"""What a message is for, by rules: the labelled lists, any text, and tables of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import SettingsInvalid
from edge.memory.intents import SURE, Intent, Label, Move
from edge.memory.language import language_of
from edge.memory.rules import OwnTable, parse_rules
from tests.memory.test_rules import RULES, read_tables

LISTS = sorted((Path(__file__).parents[1] / "data" / "intents").glob("*.tsv"))
SEEN = ("part1", "part2", "part3", "part4")
"""The lists that were looked at when the rules were made; every later one was written when they stood."""
OWN, OF_ANOTHER = 0.92, 0.85
"""What rules alone must reach on a list they were made with, and on one written when they stood: a floor, so that no
change makes it worse. `scripts/bench intents` tells where it is."""
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def rows(path: Path) -> list[tuple[str, str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return [(label, move, text) for label, move, text in (line.split("\t") for line in lines)]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_rules_alone_know_what_messages_are_for(path: Path, language: str) -> None:
    judged = [(label, text) for label, _, text in rows(path) if language_of(text) == language]
    wrong = [
        f"{text}: {label}, taken for {RULES.intent_of(text)}"
        for label, text in judged
        if RULES.intent_of(text).leads != label
    ]
    assert len(judged) > 50
    floor = OWN if path.stem in SEEN else OF_ANOTHER
    assert len(wrong) <= (1 - floor) * len(judged), "\n".join(wrong)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_a_list_has_every_label_and_no_message_twice(path: Path) -> None:
    texts = [text for _, _, text in rows(path)]
    assert {label for label, _, _ in rows(path)} == {label.value for label in Label}
    assert {move for _, move, _ in rows(path)} <= {move.value for move in Move}
    assert len(texts) == len(set(texts))


def test_no_list_has_a_message_of_another() -> None:
    texts = [text for path in LISTS for _, _, text in rows(path)]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_what_rules_are_surer_of_is_right_more_often(path: Path) -> None:
    told = [(RULES.intent_of(text), label) for label, _, text in rows(path)]

    def right(least: float, most: float) -> float:
        found = [intent.label == label for intent, label in told if least <= intent.confidence < most]
        return sum(found) / len(found)

    assert right(0.84, 1.01) >= (0.9 if path.stem in SEEN else 0.85)
    slack = 0.02 if path.stem in SEEN else 0  # nearly all are right that were looked at
    assert right(0.84, 1.01) >= right(0.5, 0.84) - slack


@given(st.text(max_size=300))
def test_any_text_has_an_intent(text: str) -> None:
    intent = RULES.intent_of(text)
    assert 0 < intent.confidence <= 1
    assert intent.why
    assert intent.leads is (intent.label if intent.confidence >= SURE else Label.GENERAL)


@given(st.sampled_from([text for path in LISTS for _, _, text in rows(path) if text.isascii()]))
def test_full_width_letters_are_letters(text: str) -> None:
    plain = text.replace(",", " ").replace("'", "").replace('"', "").replace("(", "").replace(")", "")
    plain = "".join(char for char in plain if char.isalnum() or char in " ?")
    assert RULES.intent_of(plain.translate({key: wide for key, wide in WIDE.items() if chr(key).isalnum()}), "en") == (
        RULES.intent_of(plain, "en")
    )


@pytest.mark.parametrize("text", ["WHEN DID I LAST DESCALE THE KETTLE?", "when did i last descale the kettle?"])
def test_case_says_nothing(text: str) -> None:
    assert RULES.intent_of(text).label is Label.TEMPORAL


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ("Good morning! What's the gate code?", Label.FACT),
        ("Hi! Thanks for yesterday. I moved to Bremen.", Label.STATE_CHANGE),
        ("早上好！大门密码是多少？", Label.FACT),
        ("谢谢！我搬到杭州了。", Label.STATE_CHANGE),
        ('"What did I cook on May 5th?"', Label.TEMPORAL),
        ("“我现在住在哪里？”", Label.CURRENT_STATE),
        ("Good morning! Thanks a lot.", Label.SMALL_TALK),
        ("早上好！谢谢你。", Label.SMALL_TALK),
    ],
)
def test_what_is_asked_or_told_decides_before_chat(message: str, label: Label) -> None:
    assert RULES.intent_of(message).label is label


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ("Draft a mail to the tax office. Keep it under 100 words.", Label.GENERAL),
        ("Write a poem about soup. No emojis.", Label.GENERAL),
        ("Keep it under 100 words.", Label.STANDING_RULE),
        ("Draft a mail to the tax office. From now on keep all mails under 100 words.", Label.STANDING_RULE),
    ],
)
def test_how_a_request_is_to_be_done_is_no_standing_rule(message: str, label: Label) -> None:
    assert RULES.intent_of(message).leads is label


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ("Always check with me before you delete anything, ok?", Label.STANDING_RULE),
        ("以后都用英文回答，好吗？", Label.STANDING_RULE),
        ("Never call my sister at night, got it?", Label.STANDING_RULE),
        ("婷婷找着工作没有呀", Label.CURRENT_STATE),
        ("婷婷找着工作没有", Label.CURRENT_STATE),
    ],
)
def test_what_only_wants_a_yes_and_sounds_at_the_end_change_nothing(message: str, label: Label) -> None:
    assert RULES.intent_of(message).leads is label


def test_a_paste_is_read_at_its_ends() -> None:
    paste = "the valve was closed and I never moved it. " * 25_000
    assert RULES.intent_of(f"Translate this into German:\n{paste}").label is Label.GENERAL
    assert RULES.intent_of("x" * 1_000_000).leads is Label.GENERAL
    assert RULES.intent_of("什" * 1_000_000).confidence > 0
    assert isinstance(RULES.intent_of(f"{' a' * 50_000}{'?' * 50_000}"), Intent)


@pytest.mark.parametrize("text", ["", " \n", "?", "。", "\u0000", "\ud800"])
def test_nothing_said_is_for_nothing(text: str) -> None:
    assert RULES.intent_of(text).leads in (Label.GENERAL, Label.SMALL_TALK)


# --- tables of one's own ------------------------------------------------------------------------------------------


def own(text: str) -> OwnTable:
    return OwnTable("own", text)


def test_a_rule_of_ones_own_is_tried_first() -> None:
    table = '[intents.brew]\nlabel = "progress"\nconfidence = 0.9\nen = ["how is the brew"]\nzh = ["酒酿"]\n'
    rules = parse_rules(read_tables(), own(table))
    assert rules.intent_of("How is the brew?") == Intent(Label.PROGRESS, 0.9, "brew", Move.ASK)
    assert rules.intent_of("酒酿好了").label is Label.PROGRESS


def test_words_of_ones_own_join_a_rule() -> None:
    rules = parse_rules(read_tables(), own('[intents.told-changed]\nen = ["kaputtgegangen"]\n'))
    assert rules.intent_of("the mill is kaputtgegangen").label is Label.STATE_CHANGE


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[intents.x]\nlabel = "fact"\n', "`confidence` is missing"),
        ('[intents.x]\nlabel = "facts"\nconfidence = 0.9\n', "no label 'facts'"),
        ('[intents.x]\nlabel = "fact"\nconfidence = 2\n', "intents.x.confidence"),
        ('[intents.x]\nlabel = "fact"\nconfidence = 0.9\nwhen = ["asking"]\n', "no 'asking'"),
        ('[intents.x]\nlabel = "fact"\nconfidence = 0.9\nslots = ["fone"]\n', "no 'fone'"),
        ('[intents.x]\nlabel = "fact"\nconfidence = 0.9\nen = ["("]\n', "not a regular expression"),
        ('[intents.x]\nlabel = "fact"\nconfidence = 0.9\nen = ["{nobody}"]\n', "no placeholder"),
        ('[intents.x]\nlabel = "fact"\nconfidence = 0.9\nde = ["x"]\n', "no such entry"),
        ('[intent_words.de]\nlead = ["x"]\n', "intent_words.de"),
    ],
)
def test_a_mistake_in_a_table_is_named(table: str, told: str) -> None:
    with pytest.raises(SettingsInvalid) as error:
        parse_rules(read_tables(), own(table))
    assert told in error.value.message
    assert error.value.message.startswith("own")
