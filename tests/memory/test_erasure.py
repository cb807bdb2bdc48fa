from __future__ import annotations

from edge.memory.erasure import Statement, Words, erasure, identifying_values
from edge.memory.units import Kind, Source, TurnId, UnitId

ONE, TWO = TurnId(1), TurnId(2)


def words_of(unit: int, content: str, turn: TurnId = ONE, source: Source = Source.USER) -> Statement:
    return Statement(UnitId(unit), Kind.EPISODE, source, content, None, None, turn, frozenset({turn}))


def fact_of(
    unit: int, content: str, value: str | None = None, quote: str | None = None, turn: TurnId = ONE
) -> Statement:
    return Statement(UnitId(unit), Kind.USER_PROFILE, Source.USER, content, value, quote, turn, frozenset({turn}))


def test_another_fact_from_the_same_words_stays_without_the_telling_quote() -> None:
    told = Words(ONE, "I like mango and papaya", "ok")
    mango = fact_of(1, "likes mango", "mango")
    papaya = fact_of(2, "likes papaya", "papaya", quote="I like mango and papaya")
    gone = erasure([mango], [mango, papaya, words_of(3, told.message)], [told])
    assert (gone.units, gone.quotes) == ({1, 3}, {2})
    assert (gone.messages, gone.replies) == ({ONE}, set())


def test_another_unit_that_states_the_same_goes() -> None:
    told = Words(ONE, "我喜欢芒果", "好")
    slot, plan = fact_of(1, "喜欢芒果", "芒果"), fact_of(2, "打算买芒果", None)
    assert erasure([slot], [slot, plan], [told]).units == {1, 2}


def test_a_word_elsewhere_is_not_taken() -> None:
    told, later = Words(ONE, "I like mango", "ok"), Words(TWO, "a mango fell down", "ok")
    mango = fact_of(1, "likes mango", "mango")
    gone = erasure([mango], [mango, words_of(2, told.message), words_of(3, later.message, TWO)], [told, later])
    assert gone.units == {1, 2}
    assert gone.messages == {ONE}


def test_a_code_is_taken_wherever_it_stands() -> None:
    told, later = Words(ONE, "order A-2041", "ok"), Words(TWO, "status?", "A 2041 is on its way")
    order = fact_of(1, "order A-2041", "A-2041")
    reply = words_of(3, later.reply, TWO, Source.ASSISTANT)
    gone = erasure([order], [order, words_of(2, told.message), reply, words_of(4, "status?", TWO)], [told, later])
    assert gone.units == {1, 2, 3}
    assert (gone.messages, gone.replies) == ({ONE}, {TWO})


def test_a_fact_without_a_value_takes_a_reply_that_shares_a_telling_word() -> None:
    told = Words(ONE, "we met in the garden", "How was the garden?")
    other = Words(TWO, "hello", "How is the garden?")
    meeting = fact_of(1, "met in the garden")
    gone = erasure([meeting], [meeting], [told, other])
    assert (gone.messages, gone.replies) == ({ONE}, {ONE})


def test_the_persons_words_take_a_reply_that_repeats_them_but_not_the_other_way_round() -> None:
    told = Words(ONE, "my boss shouted", "Your boss shouted?")
    mine, theirs = words_of(1, told.message), words_of(2, told.reply, source=Source.ASSISTANT)
    assert erasure([mine], [mine, theirs], [told]).units == {1, 2}
    assert erasure([theirs], [mine, theirs], [told]).units == {2}


def test_what_a_tool_returned_in_a_turn_takes_no_ones_words_that_do_not_hold_it() -> None:
    told = Words(ONE, "look it up", "Done.")
    result = Statement(UnitId(1), Kind.TOOL_RESULT, Source.TOOL, "balance 12", "12", None, ONE, frozenset({ONE}))
    gone = erasure([result], [result], [told])
    assert (gone.units, gone.messages, gone.replies) == ({1}, set(), set())


def test_a_unit_of_no_turn_takes_nothing_else() -> None:
    alone = Statement(UnitId(1), Kind.EPISODE, Source.IMPORT, "hello", None, None, None, frozenset())
    other = Statement(UnitId(2), Kind.EPISODE, Source.IMPORT, "hello", None, None, None, frozenset())
    assert erasure([alone], [alone, other], []).units == {1}


def test_identifying_values_are_those_of_facts() -> None:
    assert identifying_values([fact_of(1, "a", "A-2041"), fact_of(2, "b", "tea"), words_of(3, "12345")]) == {"A-2041"}
