"""Whether something is so is told from memory, in the words of what was said last of it."""

from __future__ import annotations

import pytest

from tests.engine.test_asking import say
from tests.engine.test_turn import house, run
from tests.fakes.language_model import ScriptedModel


@pytest.mark.parametrize(
    ("told", "question", "reply"),
    [
        (["I like tea."], "Do I like tea?", "You like tea."),
        (["I love coffee.", "I don't like coffee any more."], "Do I like coffee?", "You no longer like coffee."),
        (["I love coffee.", "I hate coffee."], "Do I still like coffee?", "You do not like coffee."),
        (["I hate olives."], "Do I like olives?", "You do not like olives."),
        (["I live in Berlin.", "I live in Hamburg now."], "Do I live in Berlin?", "You live in Hamburg."),
        (["I'm allergic to peanuts."], "Am I allergic to peanuts?", "You are allergic to peanuts."),
        (["我喜欢喝咖啡。", "我不再喝咖啡了。"], "我喜欢喝咖啡吗？", "你不再喜欢咖啡。"),
        (["我住在北京。", "我搬到杭州了。"], "我还住在北京吗？", "你住在杭州。"),
        (["我对花生过敏。"], "我对花生过敏吗？", "你对花生过敏。"),
    ],
)
def test_it_is_told_from_memory(told: list[str], question: str, reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["OK."])) as made:
            for words in told:
                await say(made, words)
            end, _ = await say(made, question)
            assert (end.reply, end.told_by_runtime) == (reply, True)

    run(story)


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("I like tea.", "Do I like beer?"),
        ("My sister likes tea.", "Do I like tea?"),
        ("我喜欢茶。", "我喜欢啤酒吗？"),
        ("The weather is nice.", "Am I right?"),
    ],
)
def test_what_was_never_told_is_not(told: str, question: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["OK."])) as made:
            await say(made, told)
            end, _ = await say(made, question)
            assert "like tea" not in end.reply
            assert "喜欢茶" not in end.reply

    run(story)


def test_a_model_that_words_all_words_it_too() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["OK."]), fast=False) as made:
            await say(made, "I like tea.")
            end, _ = await say(made, "Do I like tea?")
            assert (end.reply, end.told_by_runtime) == ("OK.", False)

    run(story)
