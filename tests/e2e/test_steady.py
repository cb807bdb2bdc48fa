"""Many mixed turns leave nothing behind but memories: no list, table or cache of the runtime grows with them."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from scripts.benchmarks.steady import Steady, messages, steady
from tests.e2e.running import environment, settings_of
from tests.fakes.embedder import HashEmbedder

TURNS = 120
BOUNDED = ("Warm", "HeldTokens", "ScriptedTokenizer", "ScriptedModel", "HashEmbedder", "_lru_cache_wrapper")
"""What keeps something of each turn up to a bound, and what stands in for the models."""
CONTAINERS = (dict, list, set, deque)


def containers(root: object) -> dict[int, tuple[int, str]]:
    """The size of every container that a daemon's parts hold, by its id, and whose it is."""
    found: dict[int, tuple[int, str]] = {}
    seen: set[int] = set()
    waiting: deque[tuple[object, str]] = deque([(root, type(root).__name__)])
    while waiting:
        thing, path = waiting.popleft()
        if id(thing) in seen or type(thing).__name__ in BOUNDED:
            continue
        seen.add(id(thing))
        if isinstance(thing, CONTAINERS):
            found[id(thing)] = (len(thing), path)
        elif not type(thing).__module__.startswith("edge."):
            continue
        for part in gc.get_referents(thing):
            if isinstance(part, CONTAINERS) or type(part).__module__.startswith("edge."):
                waiting.append((part, f"{path} > {type(part).__name__}"))
    return found


async def _played(folder: Path) -> list[str]:
    folder.mkdir(exist_ok=True)
    async with steady(settings_of(environment(folder)), HashEmbedder()) as talk:
        told = messages(2 * TURNS)
        await _say(talk, told, 0, TURNS)
        before = containers(talk.daemon)
        await _say(talk, told, TURNS, 2 * TURNS)
        after = containers(talk.daemon)
    assert len(before) > 50
    return [
        f"{path}: {before[key][0]} to {size}"
        for key, (size, path) in after.items()
        if key in before and size - before[key][0] > TURNS // 8
    ]


async def _say(talk: Steady, told: list[str], first: int, last: int) -> None:
    for number in range(first, last):
        await talk.say(number, told[number], 10.8)
    await talk.settle()


def test_a_container_that_grows_is_seen() -> None:
    class Leaky:
        """Stands for a part of the runtime."""

        __module__ = "edge.engine.leaky"

        def __init__(self, count: int) -> None:
            self.kept = {"by owner": list(range(count))}

    assert 500 in {size for size, _ in containers(Leaky(500)).values()}


def test_no_container_grows_with_the_turns(folder: Path) -> None:
    assert not asyncio.run(_played(folder))


@pytest.mark.long
@pytest.mark.models
def test_two_thousand_turns_leave_the_process_as_large_as_two_hundred(tmp_path: Path) -> None:
    report = tmp_path / "steady.json"
    command = [sys.executable, "-m", "scripts.benchmarks", "steady", "--json", str(report)]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], capture_output=True)
    assert json.loads(report.read_text())["figures"]["growth at the end"] < 0.03
