"""Short ways to make what the use cases stand on: all fakes, one owner, one clock."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from edge.engine.anchor import PromptPlan
from edge.engine.archive import Archive
from edge.engine.doubles import Doubles
from edge.engine.forgetting import Copies
from edge.engine.past import Past
from edge.engine.ports import Scope
from edge.engine.recall import Limits, Recall
from edge.engine.remember import Remember
from edge.engine.serving import Serving
from edge.engine.truth import Doubts
from edge.engine.vectors import Vectors, embedder_key
from edge.memory.archive import Decay
from edge.memory.lifecycle import Lifespans, key_of
from edge.memory.units import Draft, Insert, Kind, OwnerId, Recalled, SessionId, Stage, Unit, UnitId
from edge.prompt.window import Marks
from tests.fakes.clock import NOON, SetClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.memory_store import FakeMemoryStore
from tests.fakes.vector_index import ExactIndex
from tests.memory.test_rules import RULES

ANN = OwnerId("uid:1000")
BOB = OwnerId("uid:1001")
MAIN = SessionId("main")
OTHER = SessionId("other")


def scope(owner: OwnerId = ANN, session: SessionId | None = MAIN, as_of: datetime = NOON) -> Scope:
    return Scope(owner, session, as_of)


def plan(
    context: int = 2048, reply: int = 256, *, high: int = 1536, low: int = 700, memories: int = 320, anchors: int = 160,
    role: str = "You are Edge.", language: str = "auto",
) -> PromptPlan:  # fmt: skip
    return PromptPlan(
        marks=Marks(context, reply, high, low),
        memory_tokens=memories,
        anchor_tokens=anchors,
        core_slots=("name", "city", "order_id"),
        role=role,
        language=language,
    )


def remembered(
    store: FakeMemoryStore, draft: Draft, *, owner: OwnerId = ANN, session: SessionId | None = None,
    at: datetime = NOON, supersedes: tuple[UnitId, ...] = (),
) -> Unit:  # fmt: skip
    """A unit in the store."""
    written = store.apply(owner, [Insert(draft, session, key_of(draft), at, None, supersedes)], at)
    return store.unit(owner, written.added[0])


def fact(content: str, slot: str | None = None, value: str | None = None) -> Draft:
    return Draft(Kind.USER_PROFILE, content, slot=slot, value=value)


def found(*units: Unit) -> list[Recalled]:
    return [Recalled(unit, 1.0, Stage.SEARCH) for unit in units]


class Desk:
    """A memory of fakes with the real use cases on it."""

    def __init__(
        self, *, embedder: HashEmbedder | None = None, limits: Limits | None = None, attached: bool = True,
        store: FakeMemoryStore | None = None,
    ) -> None:  # fmt: skip
        self.clock = SetClock()
        self.store = store or FakeMemoryStore()
        self._limits = limits or Limits(200, 8, 0.35, 0.5)
        self.begin_anew()
        if attached:
            self.attach(embedder or HashEmbedder())

    def begin_anew(self) -> None:
        """The use cases as they are after a start, on the same store; no embedder is there yet."""
        self.vectors = Vectors()
        self.recall = Recall(
            self.store, RULES, self.vectors, self._limits, self.clock, past=Past(self.store.truth, RULES, UTC)
        )
        self.remember = Remember(self.store, RULES, self.vectors, Lifespans(), Doubts(self.store.truth, RULES))
        self.doubles = Doubles(self.store, self.store.truth, self.store.vector_log, self.vectors, self.clock)
        self.archive = Archive(self.store.archive, self.store.cold, Lifespans(), Decay(), self.clock)
        self.serving = Serving(self.store, self.store.archive, self.archive, RULES.assent)

    def attach(self, embedder: HashEmbedder) -> ExactIndex:
        """Let an embedder serve, as a daemon that starts does."""
        key = embedder_key(embedder)
        self.store.use_embedder(key)
        index = ExactIndex(self.store.vector_log, key, embedder.dimension)
        self.vectors.attach(embedder, index)
        return index

    def say(self, message: str, session: SessionId = MAIN, owner: OwnerId = ANN) -> None:
        """A message, stored and embedded a minute later than the last, without a reply."""
        self.clock.pass_by(minutes=1)
        self.remember.begin_turn(owner, session, message, self.clock.now())
        self.embed()

    def forget(self, owner: OwnerId, ids: Collection[UnitId]) -> tuple[UnitId, ...]:
        """Forget units, as the use case does; all that is gone."""
        gone = self.store.forget(owner, ids)
        Copies(lambda owner: None, lambda owner: None, self.vectors, lambda: None).clear(owner, gone)
        return gone

    def embed(self) -> None:
        while self.remember.embed_backlog(4):
            pass

    def units(self, owner: OwnerId = ANN, *, past: bool = True) -> list[Unit]:
        """All units, oldest first."""
        page = self.store.page(
            owner, session=None, kinds=None, before=None, limit=10**6, as_of=self.clock.now(), include_past=past
        )
        return list(reversed(page.units))
