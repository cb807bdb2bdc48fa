"""Replies that list what there is: what is shown, kept and evaluated of one that repeats itself."""

from __future__ import annotations

import pytest

from edge.engine.listing import each_once
from edge.engine.model_ports import Finish, Generation, Piece, Sampling
from tests.engine.test_echo import done_of, shown
from tests.engine.test_turn import house, run
from tests.fakes.language_model import ScriptedModel

GOES_ROUND = "tea, milk, tea, tea, tea, tea, juice"


def listed(reply: str, most: int = 256) -> tuple[str, Generation, ScriptedModel]:
    model = ScriptedModel([reply])
    stop = model.new_stop()
    prompt = model.tokenizer.encode("What do I drink?")
    *pieces, generation = each_once(model.stream(prompt, Sampling(max_tokens=most), stop), stop)
    assert isinstance(generation, Generation)
    assert all(isinstance(piece, Piece) for piece in pieces)
    return "".join(piece.text for piece in pieces if isinstance(piece, Piece)), generation, model


def test_a_list_that_goes_round_is_stopped_and_has_come_to_its_end() -> None:
    text, generation, model = listed(GOES_ROUND)
    assert text == "tea, milk"
    assert generation.finish is Finish.STOP
    assert model.tokenizer.decode(generation.tokens) == b"tea, milk"
    assert generation.unseen == 0


def test_behind_what_is_left_out_the_model_holds_nothing_as_it_stands() -> None:
    text, generation, model = listed("tea, tea, milk")
    assert text == "tea, milk"
    assert model.tokenizer.decode(generation.tokens) == b"tea, milk"
    assert generation.unseen == generation.behind > 0


def test_one_that_repeats_nothing_is_as_it_was_made() -> None:
    plain = ScriptedModel(["tea, milk."])
    prompt = plain.tokenizer.encode("What do I drink?")
    *_, made = plain.stream(prompt, Sampling(), plain.new_stop())
    assert listed("tea, milk.")[:2] == ("tea, milk.", made)


@pytest.mark.parametrize("most", range(1, 12))
def test_a_limit_ends_it_as_any_reply(most: int) -> None:
    text, generation, _ = listed("tea, milk, water", most)
    assert generation.finish is Finish.LENGTH or text == "tea, milk, water"
    assert "tea, milk, water".startswith(text)


def test_what_the_person_stops_stays_stopped() -> None:
    model = ScriptedModel([GOES_ROUND])
    stop = model.new_stop()
    stop.set()
    *_, generation = each_once(model.stream(model.tokenizer.encode("Yes?"), Sampling(), stop), stop)
    assert isinstance(generation, Generation)
    assert generation.finish is Finish.CANCELLED


@pytest.mark.parametrize(
    ("said", "question", "reply", "told"),
    [
        ("I read the book Momo.", "What books have I read?", "Momo, Emma, Momo, Momo, Momo, Emma", "Momo, Emma"),
        (
            "我读了《毛毛》这本书。",
            "我读过哪些书？",
            "《毛毛》、《活着》、《毛毛》、《毛毛》、《毛毛》、",
            "《毛毛》、《活着》",
        ),
    ],
)
def test_a_turn_that_wants_a_list_says_nothing_twice(said: str, question: str, reply: str, told: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see.", reply, "Fine."])) as at:
            await at.talk(said)
            events = await at.talk(question)
            done = done_of(events)
            assert done.reply == shown(events) == told
            assert done.finish is Finish.STOP
            after = done_of(await at.talk("Let us go on with something else."))
            assert after.usage.evaluated == after.usage.appended
            assert f"assistant\n{told}\nuser\n" in at.prompt_texts()[-1]

    run(story)


@pytest.mark.parametrize(
    ("said", "question"), [("I drink tea.", "Do I drink tea or milk?"), ("我喝茶。", "我喝茶还是喝牛奶？")]
)
def test_other_replies_may_repeat_themselves(said: str, question: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see.", GOES_ROUND])) as at:
            await at.talk(said)
            assert done_of(await at.talk(question)).reply == GOES_ROUND

    run(story)
