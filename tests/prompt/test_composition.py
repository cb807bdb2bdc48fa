"""ChatML in token ids: the template's marks come from the template alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.prompt.composition import Composer
from edge.prompt.texts import ANCHOR_MARK, CHINESE, ENGLISH, RESET_MARK, Shift, Texts
from tests.fakes.language_model import SPECIALS, ScriptedTokenizer

TOKENIZER = ScriptedTokenizer()
COMPOSER = Composer(TOKENIZER)
MARKS = (
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    ANCHOR_MARK,
    RESET_MARK,
    "<|im_start|>system\n",
    "猫",
    "🙂",
    " ",
    "\n",
    "a1",
)
TEXTS = st.lists(st.sampled_from(MARKS) | st.characters(exclude_categories=["Cs"]), max_size=8).map("".join)


def specials(tokens: tuple[int, ...]) -> list[int]:
    return [token for token in tokens if token in SPECIALS.values()]


def written(tokens: tuple[int, ...]) -> str:
    """As the template's text, with its marks spelled out."""
    names = {number: name for name, number in SPECIALS.items()}
    return b"".join(names[t].encode() if t in names else TOKENIZER.decode((t,)) for t in tokens).decode()


@given(TEXTS)
def test_no_text_becomes_a_special_token(text: str) -> None:
    assert specials(COMPOSER.text(text)) == []
    assert TOKENIZER.decode(COMPOSER.text(text)).decode() == text


@given(st.lists(TEXTS, max_size=3), TEXTS)
def test_a_turn_has_the_marks_of_the_template_whatever_was_said(notes: list[str], words: str) -> None:
    start, end = SPECIALS["<|im_start|>"], SPECIALS["<|im_end|>"]
    turn = COMPOSER.user([COMPOSER.note_line(note) for note in notes], COMPOSER.text(words))
    assert specials(turn + COMPOSER.open_reply) == [start, end, start]
    assert specials(COMPOSER.head(words, notes)) == [start, end]
    assert specials(COMPOSER.turn(words, words)) == [start, end, start, end]


def test_the_template_to_the_letter() -> None:
    notes = [COMPOSER.notes_header(ENGLISH), COMPOSER.note_line("[you said, today] You like tea.")]
    tokens = (
        COMPOSER.head("You are Edge.", ["The user's name is Will."])
        + COMPOSER.turn("Hello.", "Hi, Will.")
        + COMPOSER.user(notes, COMPOSER.text("What do I like?"))
        + COMPOSER.open_reply
    )
    assert written(tokens) == (
        "<|im_start|>system\nYou are Edge.\n<|memory_anchor|>\n- The user's name is Will.<|im_end|>\n"
        "<|im_start|>user\nHello.<|im_end|>\n"
        "<|im_start|>assistant\nHi, Will.<|im_end|>\n"
        "<|im_start|>user\nNotes:\n- [you said, today] You like tea.\n\nWhat do I like?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_without_facts_there_is_no_anchor() -> None:
    assert written(COMPOSER.head("You are Edge.", [])) == "<|im_start|>system\nYou are Edge.<|im_end|>\n"


@pytest.mark.parametrize(
    ("texts", "shift", "told"),
    [
        (ENGLISH, Shift.NEW, "The user changes the subject."),
        (ENGLISH, Shift.BACK, "The user comes back to an earlier subject."),
        (CHINESE, Shift.NEW, "用户换了话题。"),
        (CHINESE, Shift.BACK, "用户回到之前的话题。"),
    ],
)
def test_a_change_of_subject_is_a_message_of_the_system(texts: Texts, shift: Shift, told: str) -> None:
    reset = written(COMPOSER.reset(shift, texts))
    assert reset == f"<|im_start|>system\n{RESET_MARK}\n{told}<|im_end|>\n"
