"""Models as the settings name them."""

from __future__ import annotations

import gc
import itertools
from dataclasses import replace
from datetime import time
from functools import partial
from pathlib import Path

import pytest

from edge.clock import SystemClock
from edge.daemon import parts
from edge.daemon.parts import FileModels, decay, off_peak, own_table, read_rules, read_weights, thresholds
from edge.errors import EdgeError, ModelDamaged, ModelMissing, ModelUnfit, ModelUnknown, SettingsInvalid
from edge.memory.nights import Hours, Thresholds
from edge.memory.units import SlotQuestion
from edge.memory.weights import WEIGHTS
from edge.models.manifest import Role, load_manifest
from edge.settings import EmbedderSettings, MemorySettings, ModelSettings, OffPeakSettings, RecallSettings, Settings
from tests.e2e.running import environment, settings_of


def test_when_memories_leave_the_active_set_is_set_and_what_is_anchored_stays() -> None:
    made = decay(MemorySettings(expired_days=1, superseded_days=2, unused_days=3), read_rules())
    assert (made.expired.days, made.superseded.days, made.unused.days) == (1, 2, 3)
    assert {"instruction", "name"} <= set(made.standing)
    assert "like" not in made.standing


def test_when_it_is_off_peak_is_set() -> None:
    made = off_peak(OffPeakSettings(idle_minutes=2, hours="22:00-06:30", hot_celsius=60))
    assert (made.idle_seconds, made.hours, made.hot) == (120, Hours(time(22), time(6, 30)), 60)
    assert off_peak(OffPeakSettings(hours="")).hours is None
    with pytest.raises(SettingsInvalid, match=r"offpeak.hours: 'at night'") as invalid:
        off_peak(OffPeakSettings(hours="at night"))
    assert invalid.value.details["key"] == "offpeak.hours"
    made_due = thresholds(OffPeakSettings(new_units=1, new_turns=2, growth=0.3, freshness=0.4))
    assert made_due == Thresholds(1, 2, 0.3, 0.4)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_of(environment(tmp_path, EDGE_MODELS_DIR=str(tmp_path / "models")))


def test_a_model_of_the_other_role_is_named_and_not_opened(settings: Settings) -> None:
    language, embedder = (load_manifest().default(role).id for role in (Role.LANGUAGE, Role.EMBEDDER))
    swapped = replace(settings, model=ModelSettings(id=embedder), embedder=EmbedderSettings(id=language))
    models = FileModels(swapped, SystemClock())
    with pytest.raises(ModelUnfit, match=embedder) as unfit:
        models.load_language()
    assert "model.id" in unfit.value.hint
    with pytest.raises(ModelUnfit, match=language) as unfit:
        models.load_embedder()
    assert "embedder.id" in unfit.value.hint


def test_a_model_that_the_manifest_does_not_know_is_named(settings: Settings) -> None:
    with pytest.raises(ModelUnknown, match="qwen9"):
        FileModels(replace(settings, model=ModelSettings(id="qwen9")), SystemClock()).load_language()


def test_without_any_file_the_default_is_what_is_missing(settings: Settings) -> None:
    models = FileModels(settings, SystemClock())
    assert models.language_id() == load_manifest().default(Role.LANGUAGE).id
    with pytest.raises(ModelMissing, match=models.language_id()):
        models.load_language()


def test_a_former_embedder_is_one_of_the_manifest_and_here(settings: Settings) -> None:
    language, embedder = (load_manifest().default(role).id for role in (Role.LANGUAGE, Role.EMBEDDER))
    models = FileModels(settings, SystemClock())
    for wrong, error in ((embedder, ModelMissing), (language, ModelUnfit), ("from-elsewhere", ModelUnknown)):
        with pytest.raises(error, match=wrong):
            models.load_former(wrong, 384)


@pytest.mark.models
def test_a_former_embedder_must_be_of_its_dimension_and_counts_while_it_is_held(
    settings: Settings, model_folders: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What loading takes is made up: in a process that loaded one before, the allocator may need nothing new."""
    monkeypatch.setattr(parts, "resident_bytes", partial(next, itertools.count(0, 1_000)))
    embedder_id = load_manifest().default(Role.EMBEDDER).id
    here = replace(settings, places=replace(settings.places, models=model_folders))
    models = FileModels(here, SystemClock())
    with pytest.raises(ModelUnfit):
        models.load_former(embedder_id, 512)
    former = models.load_former(embedder_id, 384)
    assert (former.id, former.dimension) == (embedder_id, 384)
    assert models.embedder_bytes() == 1_000
    del former
    gc.collect()
    assert models.embedder_bytes() == 0


@pytest.mark.parametrize(
    ("content", "error"),
    [(None, ModelMissing), (b"root:x:0:0:root\n", ModelDamaged), (b"\x89PNG\r\n" * 99, ModelDamaged)],
)
def test_what_is_wrong_with_a_file_of_ones_own_is_mended_in_the_settings(
    settings: Settings, tmp_path: Path, content: bytes | None, error: type[EdgeError]
) -> None:
    path = tmp_path / "mine.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=r"mine\.gguf") as caught:
        FileModels(replace(settings, model=ModelSettings(file=str(path))), SystemClock()).load_language()
    assert "model.file" in caught.value.hint


# --- a rule table of one's own ---------------------------------------------------------------------------------

OWN_TABLE = """
[slots.hat_size]
reader = "measure"
labels = { en = "hat size", zh = "帽围" }
content = { en = "{Whose} hat size is {value}.", zh = "{whose}帽围是{value}。" }
nouns = ["hat size", "帽围"]

[slots.order_id]
nouns = ["Bestellnummer"]
"""


def write_table(settings: Settings, text: str | bytes, name: str = "rules.toml") -> Path:
    path = settings.places.config.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def naming(settings: Settings, name: str) -> Settings:
    return replace(settings, memory=MemorySettings(rules=name))


def test_a_table_beside_the_settings_adds_slots_and_words(settings: Settings) -> None:
    assert own_table(settings) is None
    write_table(settings, OWN_TABLE)
    rules = read_rules(own_table(settings))
    assert [(fact.slot, fact.value) for fact in rules.find_facts("我的帽围是58厘米")] == [("hat_size", "58厘米")]
    assert rules.find_question("What's my hat size?") == SlotQuestion(("hat_size",))
    assert [fact.value for fact in rules.find_facts("My Bestellnummer is A-20391.")] == ["A-20391"]
    assert [fact.value for fact in rules.find_facts("My order number is A-20391.")] == ["A-20391"]


def test_a_table_may_have_any_name_that_the_settings_say(settings: Settings) -> None:
    write_table(settings, OWN_TABLE, "mine.toml")
    named = own_table(naming(settings, "mine.toml"))
    assert named is not None
    assert named.text == OWN_TABLE
    with pytest.raises(SettingsInvalid, match=r"other\.toml"):
        own_table(naming(settings, "other.toml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("slots = [\n", "not TOML"),
        ("[slots.hat_size]\nreader = 'hat'", "slots.hat_size.reader"),
        (OWN_TABLE.replace("[slots.order_id]", "asks = ['(what']\n[slots.order_id]"), r"slots.hat_size.asks\[1\]"),
        (OWN_TABLE.replace("[slots.order_id]", "states = ['{who} is {worth}']\n[slots.order_id]"), "{worth}"),
        ("[language.en]\nframes = ['{whose} {noun} (is {value}']", r"language.en.frames\[\d+\]"),
        ("[language.zh]\nask_frames = ['{whose}{noun}[']", r"language.zh.ask_frames\[1\]"),
        ("[language.zh]\nask_suffixes = ['好', '(吗']", r"language.zh.ask_suffixes\[2\]"),
        ("[language.en]\nlead_ins = ['*']", r"language.en.lead_ins\[1\]"),
        ("[language.en]\nframes = [3]", "language.en.frames"),
        ("[language.en]\nframes = ['{whose} {shoe} is {value}']", "{shoe}"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_a_mistake_in_a_table_names_the_file_and_the_entry(settings: Settings, text: str | bytes, said: str) -> None:
    path = write_table(settings, text)
    with pytest.raises(SettingsInvalid, match=said) as caught:
        read_rules(own_table(settings))
    assert caught.value.message.startswith(str(path))
    assert caught.value.hint


def test_weights_of_ones_own_change_what_they_name(settings: Settings) -> None:
    assert read_weights(settings) == WEIGHTS
    write_table(settings, "[zh]\nbm25 = 3\n", "weights.toml")
    assert read_weights(settings) == {**WEIGHTS, "zh": replace(WEIGHTS["zh"], bm25=3.0)}
    named = replace(settings, recall=RecallSettings(weights="other.toml"))
    with pytest.raises(SettingsInvalid, match=r"recall\.weights"):
        read_weights(named)
    write_table(settings, "[en]\ntime = 0.5\n", "other.toml")
    assert read_weights(named)["en"].time == 0.5
