"""Topics: the thread of a session's talk. Leaving one freezes what was said for it alone; coming back, it holds again.

Lives on the memory thread. What is known of a topic is in the store, so a restart changes nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

from edge.engine.ports import Scope
from edge.engine.topic_ports import TopicStore
from edge.engine.vectors import Vectors
from edge.errors import EmbedderFailed
from edge.memory.language import language_of
from edge.memory.topics import New, Return, Topic, TopicId, Vector, content_terms, grown, is_informative, move, smoothed
from edge.memory.units import OwnerId, SessionId, TurnId, UnitId
from edge.prompt.texts import Shift

_log = logging.getLogger(__name__)
_EMBEDDED_CHARACTERS = 2000


@dataclass(slots=True)
class Thread:
    """The topic of a turn: `topic` is None where the turn opens one, `left` the one that it leaves. `units` are those
    that hold again because the person came back, `vector` is the message's where it was needed already."""

    topic: Topic | None
    left: Topic | None = None
    shift: Shift | None = None
    units: tuple[UnitId, ...] = ()
    vector: Vector | None = None
    id: TopicId | None = None
    """As it is in the store, from when the turn's words are."""

    def forget(self) -> None:
        """Nothing of what the topic was about may be written again, after something of the owner's was forgotten."""
        if self.topic is not None:
            self.topic = Topic(self.topic.id, {}, None, None)


class Topics:
    """Decides what a turn's words do to the topic, and keeps topics and what belongs to them."""

    def __init__(self, store: TopicStore, vectors: Vectors) -> None:
        self._store = store
        self._vectors = vectors

    def turn_to(self, scope: Scope, message: str) -> Thread:
        """The topic that a message is about. What was frozen with it is active from now on, and what belongs to one
        that is left is frozen. Raises the store's errors."""
        known = self._store.topics(scope.owner, _session(scope))
        current = known[0] if known else None
        thread = Thread(current)
        moved = move(message, current, known[1:], partial(self._near, thread, message))
        if isinstance(moved, New):
            thread.topic, thread.left, thread.shift = None, current, Shift.NEW
        elif isinstance(moved, Return):
            thread.topic, thread.left, thread.shift = moved.topic, current, Shift.BACK
        if thread.left is not None:
            self._store.freeze(scope.owner, thread.left.id, scope.as_of)
        if thread.topic is not None:  # also where nothing changed: a turn that came to nothing may have left it frozen
            thread.units = self._store.thaw(scope.owner, thread.topic.id)
        return thread

    def turn_back(self, scope: Scope, thread: Thread) -> None:
        """Undo what `turn_to` did, for a turn that is refused. Raises the store's errors."""
        if thread.left is None:
            return
        if thread.topic is not None:
            self._store.freeze(scope.owner, thread.topic.id, scope.as_of)
        self._store.thaw(scope.owner, thread.left.id)

    def written(self, owner: OwnerId, session: SessionId, thread: Thread, message: str, turn: TurnId) -> None:
        """A turn's words are stored: it belongs to its topic now, and so do the units that they made for the session
        alone. Raises the store's errors."""
        if thread.topic is None:
            thread.id = self._store.begin_topic(owner, session, turn, grown({}, message))
            return
        thread.id = thread.topic.id
        self._store.go_on(owner, thread.id, turn, grown(thread.topic.terms, message))

    def ended(self, owner: OwnerId, thread: Thread, turn: TurnId) -> None:
        """A turn has ended: what its reply made for the session alone belongs to the topic as well. Raises the store's
        errors."""
        if thread.id is not None:
            self._store.claim(owner, turn)

    def moved(self, owner: OwnerId, thread: Thread, message: str) -> None:
        """The topic's vector moves towards the message of a turn that has ended. Raises the store's errors."""
        if thread.id is None:
            return
        vector = self._vector(thread, message) if _leads_by_vector(message) else None
        if vector is not None:
            before = None if thread.topic is None else thread.topic.vector
            self._store.smooth(owner, thread.id, smoothed(before, vector))

    def _near(self, thread: Thread, message: str) -> float | None:
        """The cosine of a message and the topic at hand."""
        known = None if thread.topic is None else thread.topic.vector
        vector = None if known is None else self._vector(thread, message)
        if known is None or vector is None or vector.shape != known.shape:
            return None
        return float(known @ vector)

    def _vector(self, thread: Thread, message: str) -> Vector | None:
        """The message's; None where there is no embedder, or it fails: then words alone decide."""
        if thread.vector is None and self._vectors.embedder is not None:
            try:
                thread.vector = self._vectors.embedder.embed_query(message[:_EMBEDDED_CHARACTERS])
            except EmbedderFailed as failure:
                _log.warning("the topic is followed without vectors: %s", failure.message)
        return thread.vector


def _leads_by_vector(message: str) -> bool:
    """Whether a message moves a topic's vector: one in English that says something."""
    return language_of(message) == "en" and is_informative(content_terms(message))


def _session(scope: Scope) -> SessionId:
    if scope.session is None:
        raise ValueError("a turn needs a session")
    return scope.session
