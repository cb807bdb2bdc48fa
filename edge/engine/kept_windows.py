"""The windows of sessions as they are kept: in memory, and in the files of what the model evaluated of them.

A file goes on being of use as long as model, prompts and the session's turns are what they were when it was written.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edge.engine.kv_ports import Lane, LaneFiles
from edge.engine.ports import MemoryStore
from edge.memory.units import OwnerId, SessionId, Turn, TurnId, UnitId
from edge.prompt.composition import Tokens
from edge.prompt.structured import Execution
from edge.prompt.texts import LANGUAGES
from edge.prompt.window import Window

_KEPT_WINDOWS = 64
_TURNS_LOOKED_AT = 40


SessionKey = tuple[OwnerId, SessionId]


@dataclass(frozen=True, slots=True)
class Kept:
    """A window, and a digest of the newest turn in it."""

    window: Window
    newest: str


class KeptWindows:
    """Windows by session. Lives on the memory thread, but for `header`, which the model thread calls: what it reads is
    one entry that never changes."""

    def __init__(self, store: MemoryStore, files: LaneFiles | None = None) -> None:
        self._store = store
        self._files = files
        self._fingerprint = ""
        self._kept: OrderedDict[Lane, Kept] = OrderedDict()

    def serve(self, fingerprint: str) -> None:
        """From now on windows are in the tokens of this model, and made by these prompts: what the fingerprint tells
        of. Those of another are dropped."""
        if fingerprint != self._fingerprint:
            self._kept.clear()
        self._fingerprint = fingerprint

    def get(self, key: SessionKey) -> Window | None:
        """The window of a session, if there is one that its turns still agree with."""
        lane = lane_of(*key)
        if lane not in self._kept:
            kept = self._read(lane, *key)
            if kept is None:
                return None
            self._keep(lane, kept)
        return self._kept[lane].window

    def values(self) -> list[Window]:
        """Those in memory, the last one used last."""
        return [kept.window for kept in list(self._kept.values())]

    def put(self, key: SessionKey, window: Window) -> None:
        """Keep a window whose last turn is stored."""
        self._keep(lane_of(*key), Kept(window, _digest(self._store.turns(*key, last=1))))

    def drop(self, key: SessionKey) -> None:
        """Drop a window from memory."""
        self._kept.pop(lane_of(*key), None)

    def drop_all(self, owner: OwnerId) -> None:
        """Drop an owner's windows from memory."""
        part = owner_part(owner)
        for lane in [lane for lane in self._kept if lane.startswith(part)]:
            del self._kept[lane]

    def forget(self, owner: OwnerId) -> None:
        """Drop an owner's windows and remove their files, for good when it returns; one that is being written is not
        there afterwards either. Raises StoreReadOnly or StoreFailed where files cannot be removed."""
        self.drop_all(owner)
        if self._files is not None:
            self._files.remove(owner_part(owner))

    def _keep(self, lane: Lane, kept: Kept) -> None:
        self._kept[lane] = kept
        self._kept.move_to_end(lane)
        while len(self._kept) > _KEPT_WINDOWS:
            self._kept.popitem(last=False)

    # --- files -----------------------------------------------------------------------------------------------------

    def window(self, lane: Lane) -> Window | None:
        """The window of a lane that is in memory. Also on the model thread."""
        kept = self._kept.get(lane)
        return None if kept is None else kept.window

    def header(self, lane: Lane, window: Window, evaluated: int) -> bytes | None:
        """What a file tells of a window, of which so many tokens are evaluated; None where it is the lane's no more.
        Also on the model thread."""
        kept = self._kept.get(lane)
        return _packed(kept, self._fingerprint, evaluated) if kept is not None and kept.window is window else None

    def beginning(self, lane: Lane, window: Window) -> bytes | None:
        """What a file tells that holds the role text and core facts of a window alone; None where it is the lane's no
        more. Also on the model thread."""
        kept = self._kept.get(lane)
        return _packed_head(window, self._fingerprint) if kept is not None and kept.window is window else None

    def evaluated(self, lane: Lane) -> Tokens:
        """The tokens that the lane's file holds as this model evaluated them. Also on the model thread."""
        told = self._told(lane)
        return () if told is None else tuple(told["tokens"][: told["evaluated"]])

    def _read(self, lane: Lane, owner: OwnerId, session: SessionId) -> Kept | None:
        told = self._told(lane)
        if told is None or self._files is None:
            return None
        kept = _unpacked(told)
        turns = self._store.turns(owner, session, last=_TURNS_LOOKED_AT)
        if not _agrees(kept, turns):
            self._files.discard(lane, "the session's turns are not those that it holds")
            return None
        return kept

    def _told(self, lane: Lane) -> dict[str, Any] | None:
        """The header of a lane's file that is of this model."""
        head = None if self._files is None else self._files.head(lane)
        if head is None or self._files is None:
            return None
        told: dict[str, Any] = json.loads(head)
        if told["fingerprint"] == self._fingerprint:
            return told
        self._files.discard(lane, "it is of another model, or of other settings or prompts")
        return None


def lane_of(owner: OwnerId, session: SessionId) -> Lane:
    """The lane of a session, which tells nothing of either's name."""
    return Lane(f"{owner_part(owner)}/{_hash(session)}")


def beginnings(lane: Lane) -> list[Lane]:
    """Under which names files keep how the windows of a lane's owner begin, in each language. They lie among the
    owner's own, for core facts are in them."""
    return [beginning_of(lane, language) for language in LANGUAGES] if lane else []


def beginning_of(lane: Lane, language: str) -> Lane:
    """That of one language."""
    return Lane(f"{lane.partition('/')[0]}/{language}")


def owner_part(owner: OwnerId) -> str:
    """How all lanes of an owner begin."""
    return _hash(owner)


def _hash(name: str) -> str:
    return hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _digest(turns: Sequence[Turn]) -> str:
    return _hash(repr([(turn.id, turn.message, turn.reply) for turn in turns]))


def _agrees(kept: Kept, turns: Sequence[Turn]) -> bool:
    """Whether the newest turn is the newest of the window, word for word, and none that it holds has lost its words."""
    if not turns or _digest(turns[-1:]) != kept.newest:
        return False
    held = kept.window.turns | kept.window.summarised
    return all(turn.message and turn.reply for turn in turns if turn.id in held)


def _packed(kept: Kept, fingerprint: str, evaluated: int) -> bytes:
    window = kept.window
    told = {
        "fingerprint": fingerprint,
        "newest": kept.newest,
        "evaluated": evaluated,
        "tokens": window.tokens,
        "units": sorted(window.units),
        "turns": sorted(window.turns),
        "language": window.language,
        "pending": window.pending,
        "head": window.head,
        "execution": [window.execution.call, window.execution.result],
        "instructions": window.instructions,
        "summary": window.summary,
        "summarised": sorted(window.summarised),
    }
    return json.dumps(told, separators=(",", ":")).encode()


def _packed_head(window: Window, fingerprint: str) -> bytes:
    told = {"fingerprint": fingerprint, "evaluated": window.head, "tokens": window.tokens[: window.head]}
    return json.dumps(told, separators=(",", ":")).encode()


def _unpacked(told: dict[str, Any]) -> Kept:
    window = Window(
        tokens=tuple(told["tokens"]),
        units=frozenset(map(UnitId, told["units"])),
        turns=frozenset(map(TurnId, told["turns"])),
        language=told["language"],
        pending=told["pending"],
        head=told["head"],
        execution=Execution(*told["execution"]),
        instructions=told["instructions"],
        summary=told["summary"],
        summarised=frozenset(map(TurnId, told["summarised"])),
    )
    return Kept(window, told["newest"])
