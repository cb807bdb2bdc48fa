"""Facts that the rules find in whole conversations, and a sample of them, for judging by reading.

The conversations stay where they are: only hashes of what was judged are kept.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edge.memory.rules import Rules

SEED, SAMPLE = 20260, 200


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact and the message it was found in."""

    source: str
    slot: str
    subject: str
    value: str
    content: str

    @property
    def fingerprint(self) -> str:
        """Equal for the same fact found in the same words."""
        said = "\0".join((self.source, self.slot, self.subject, self.value, self.content))
        return hashlib.blake2b(said.encode(), digest_size=10).hexdigest()


def messages(folder: Path) -> Iterator[str]:
    """What persons say in the conversations of a folder, in order of their files."""
    for path in sorted((folder / "locomo").glob("*.json")):
        yield from _locomo(json.loads(path.read_text(encoding="utf-8")))
    for name in ("cn", "en"):
        people = json.loads((folder / "memorybank" / f"{name}.json").read_text(encoding="utf-8"))
        for days in people.values():
            yield from (turn["query"] for day in days.values() for turn in day)


def _locomo(conversation: dict[str, Any]) -> Iterator[str]:
    number = 1
    while f"session_{number}_date_time" in conversation or f"session_{number}" in conversation:
        yield from (turn["text"] for turn in conversation.get(f"session_{number}", []))
        number += 1


def found_facts(folder: Path, rules: Rules) -> list[FoundFact]:
    """Every fact of every message, once."""
    found = [
        FoundFact(text, fact.slot or "", fact.subject, fact.value or "", fact.content)
        for text in messages(folder)
        for fact in rules.find_facts(text)
    ]
    return list(dict.fromkeys(found))


def sample(found: list[FoundFact]) -> list[FoundFact]:
    """The sample that is judged: the same for the same facts, and nearly the same for nearly the same."""
    drawn = random.Random(SEED).randbytes(8).hex()
    ordered = sorted(found, key=lambda fact: hashlib.blake2b((drawn + fact.fingerprint).encode()).digest())
    return ordered[:SAMPLE]
