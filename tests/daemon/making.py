"""The memory thread's parts over fakes: models by name, indexes in folders, and a store that outlives a daemon."""

from __future__ import annotations

from pathlib import Path

from edge.daemon.embedders import Embedders
from edge.daemon.memory import Memory
from edge.engine.forgetting import Copies, Forgetting
from edge.engine.forgetting_ports import Leaving, Selection
from edge.engine.model_ports import LanguageModel, TextEmbedder
from edge.engine.vectors import embedder_key
from edge.errors import ModelMissing, ModelUnfit, ModelUnknown
from edge.memory.units import OwnerId, UnitId
from tests.engine.making import Desk
from tests.fakes.embedder import HashEmbedder
from tests.fakes.language_model import ScriptedModel
from tests.fakes.vector_index import ExactIndex
from tests.memory.test_rules import RULES


class NamedModels:
    """The `Models` of a machine: embedders that are here, and which one the settings name."""

    def __init__(self, wanted: str, *here: HashEmbedder) -> None:
        self.wanted = wanted
        self.here = {embedder.id: embedder for embedder in here}
        self.loaded: list[str] = []

    def language_id(self) -> str:
        return "scripted"

    def load_language(self) -> LanguageModel:
        return ScriptedModel()

    def language_setup(self) -> str:
        return "scripted"

    def tried(self, model: LanguageModel) -> float | None:
        return None

    def load_embedder(self) -> TextEmbedder:
        return self._load(self.wanted)

    def load_former(self, embedder_id: str, dimension: int) -> TextEmbedder:
        embedder = self._load(embedder_id)
        if embedder.dimension != dimension:
            raise ModelUnfit(f"{embedder_id} has {embedder.dimension} dimensions.")
        return embedder

    def embedder_bytes(self) -> int:
        return 0

    def _load(self, embedder_id: str) -> HashEmbedder:
        self.loaded.append(embedder_id)
        if embedder_id == "unknown":
            raise ModelUnknown("There is no model unknown.")
        if embedder_id not in self.here:
            raise ModelMissing(f"{embedder_id} is not on this machine.")
        return self.here[embedder_id]


class NothingToChoose:
    """The ForgettingStore where units are forgotten by their ids alone."""

    def leaving(self, owner: OwnerId, selection: Selection) -> Leaving:
        raise AssertionError(f"{owner} looks at {selection}")

    def forget_selection(self, owner: OwnerId, selection: Selection, token: str | None) -> Leaving:
        raise AssertionError(f"{owner} forgets {selection} by {token}")

    def holding(self, owner: OwnerId, query: str, limit: int) -> list[UnitId]:
        raise AssertionError(f"{owner} looks for {limit} of {query}")


class Life:
    """A run of the memory thread's parts on a store and a folder that are there before and after it."""

    def __init__(self, folder: Path, models: NamedModels, desk: Desk | None = None) -> None:
        self.desk = desk or Desk(attached=False)
        self.desk.begin_anew()
        self.folder = folder
        self.models = models
        self.indexes: dict[str, ExactIndex] = {}
        self.embedders = Embedders(models, self.desk.store, self.desk.vectors, folder, self._open)
        self.memory = Memory(
            store=self.desk.store,
            rules=RULES,
            vectors=self.desk.vectors,
            recall=self.desk.recall,
            remember=self.desk.remember,
            archive=self.desk.archive,
            embedders=self.embedders,
            doubles=self.desk.doubles,
            close_store=lambda: None,
        )

        self.windows_of: list[OwnerId] = []
        """Whose windows were dropped."""
        copies = Copies(lambda owner: None, self.windows_of.append, self.desk.vectors, self.memory.forgot)
        self.forgetting = Forgetting(self.desk.store, NothingToChoose(), self.desk.recall, copies)

    def _open(self, folder: Path, embedder: TextEmbedder) -> ExactIndex:
        folder.mkdir(parents=True, exist_ok=True)
        key = embedder_key(embedder)
        self.indexes[key] = ExactIndex(self.desk.store.vector_log, key, embedder.dimension)
        return self.indexes[key]

    def start(self) -> None:
        self.memory.ensure_vectors()

    def idle(self, steps: int = 10_000) -> int:
        """Do what a woken memory thread does when nobody asks; at most so many steps. How many it took."""
        self.memory.wake()
        for done in range(steps):
            if not self.memory.step():
                return done
        return steps

    def folders(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()} if self.folder.is_dir() else set()

    def vectors(self) -> set[UnitId]:
        """The units that the index which serves can find."""
        index = self.desk.vectors.index
        assert index is not None
        (vector,) = HashEmbedder().embed(["x"])[0].vectors[:1]
        return {unit for unit, _ in index.search(vector, 10**6, None)}
