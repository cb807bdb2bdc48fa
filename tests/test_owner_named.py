"""Every function on the path of a request names whose memory it is about: nothing carries an owner behind its back.

Walks all public functions and methods of the engine and of the store. One that takes neither an owner nor a scope must
be listed here, under the reason why it needs none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("engine", "store")
NAMES = {"owner", "scope"}

WITHOUT = {
    "They hold no memory: models, threads, the clock's measures.": (
        "model_ports.*", "offpeak.*", "ports.Worker.*", "speed.*", "reading.*", "vectors.embedder_key",
    ),
    "They work on what a call with an owner has read, and read nothing themselves.": (
        "answers.Answers.reply", "entry.*", "fitting.*", "progress.Progress.*", "recall.Found.*", "refusals.*",
        "search.Search.with_passages", "past.*", "windows.Windows.reply_tokens", "contexts.without_secrets",
        "anchor.Anchor.role", "anchor.Anchor.language", "compaction.*", "truth.AskBack.*",
        "clustering_asking.*", "clustering_making.*", "clustering_naming.*", "clustering_picture.*",
        "clustering_placing.*", "clustering_state.*", "clustering_work.*", "echo.EchoGuard.reply",
        "windows.Windows.quote", "truth.Doubts.doubted", "rows.*", "scopes.of_kinds", "cluster_rows.*",
        "search.as_match", "nearby.within", "cluster_ports.leads", "happened.happened",
        "intent_asking.choices", "intent_asking.Question.*", "intent_asking.question", "intent_asking.likeliest",
        "listing.*", "stopping.divided", "changes.make_findable",
    ),
    "A session's key, and the lane that is made of it, hold its owner.": (
        "kept_windows.KeptWindows.*", "kept_windows.beginning*", "kv_ports.*", "lasting_model.*",
    ),
    "They belong to one turn, which has its owner.": (
        "running.RunningTurn.*", "turn.Turns.depth", "turn.Turns.close", "opening.MemoryDesk.open",
        "turn_writing.TurnWriting.*", "intent_asking.IntentAsking.*", "stopping.ended_before",
    ),
    "They were made for an owner, and hold it.": (
        "intentions.Lead.*", "intentions.Intentions.written", "topics.Thread.forget",
        "transfer.Bringing.*", "transfer_ports.Incoming.*", "importing.SqliteIncoming.*",
    ),
    "What they write holds its owner.": ("*.save_batch",),
    "Vectors are numbers without words, of everyone in one index; who may see which is a mask made of a scope.": (
        "vectors.*", "vector_ports.*", "vector_log.*", "embeddings.*", "backlog.*", "nearby.read_codes",
    ),
    "The upkeep of everyone's memory, which no request reaches.": (
        "archive.Archive.step", "*.owners", "doubles.Doubles.step", "*.uncompared", "*.note_compared",
        "remember.Remember.embed_backlog", "doubles.read_uncompared", "doubles.write_compared",
        "*.embedder", "*.use_embedder", "*.missing_embeddings", "*.count_missing", "*.save_embeddings",
        "*.retired_embedders", "*.drop_embedder",
        "sqlite.SqliteStore.recover", "sqlite.SqliteStore.checkpoint", "sqlite.SqliteStore.close",
        "sqlite.SqliteStore.kept_bytes", "turns.end_abandoned", "*.remove_traces",
        "consolidate.*", "nights.*", "night_ports.*", "backups.*", "archive.read_owners",
        "sqlite.SqliteStore.merge_text",
        "*.tidy", "traces.*", "reserve.*", "forgetting.Remover.carry_out",
    ),
    "The file, its schema and its full text.": (
        "database.*", "migrations.*", "full_text.*", "faults.*", "holding.*", "sqlite.open_store", "restoring.*",
    ),
    "How many memories of all hold a word: what a word tells, and nothing of who has said it.": (
        "search.count_holding", "*.rarities",
    ),
    "Counts of recalls, of which only sums over all owners are told.": ("*.tallies",),
    "Copies of what stands in the file, read ahead for everyone; what comes out passes a mask made of a scope.": (
        "warm.*", "signposts.KeptSignposts.*", "kept_ports.*", "masks.Masks.*", "*.terms",
        "sqlite.SqliteStore.read_ahead",
        "sqlite.SqliteStore.let_go",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Function:
    """A public function, as `module.name` or `module.Class.name`, and its parameters."""

    name: str
    parameters: frozenset[str]


def functions(room: str) -> Iterator[Function]:
    """All that is public in a room's modules."""
    for path in sorted((ROOT / "edge" / room).glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from (_function(f"{path.stem}.{node.name}", inner) for inner in node.body if _is_public(inner))
            elif _is_public(node):
                yield _function(path.stem, node)


def _is_public(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")


def _function(where: str, node: ast.stmt) -> Function:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    given = node.args
    names = frozenset(each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs))
    return Function(f"{where}.{node.name}", names)


def listed(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for patterns in WITHOUT.values() for pattern in patterns)


@pytest.mark.parametrize("room", ROOMS)
def test_every_function_names_the_owner(room: str) -> None:
    found = list(functions(room))
    assert sum(bool(NAMES & function.parameters) for function in found) > 40
    nameless = [function.name for function in found if not NAMES & function.parameters and not listed(function.name)]
    assert nameless == [], "take an owner or a scope, or be listed in WITHOUT with the reason"


def test_what_is_listed_is_there_and_needs_it() -> None:
    nameless = {each.name for room in ROOMS for each in functions(room) if not NAMES & each.parameters}
    patterns = [pattern for some in WITHOUT.values() for pattern in some]
    assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in nameless)] == []
