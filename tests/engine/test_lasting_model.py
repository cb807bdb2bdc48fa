"""Windows across time: saved when they leave the cache, and going on where they were, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from edge.engine.anchor import PromptPlan
from edge.engine.kept_windows import KeptWindows, lane_of, owner_part
from edge.engine.kv_ports import Lane
from edge.engine.lasting_model import LastingModel
from edge.engine.model_ports import Generation, Sampling
from edge.engine.windows import Windows
from edge.errors import StoreFailed
from edge.memory.lifecycle import key_of
from edge.memory.units import Draft, Insert, Kind, OwnerId, SessionId, TurnId, TurnState
from edge.models.kv_files import KvFiles
from edge.prompt.composition import Composer
from edge.prompt.texts import LANGUAGES
from tests.engine.making import ANN, BOB, MAIN, OTHER, plan, scope
from tests.fakes.clock import NOON
from tests.fakes.language_model import ScriptedModel, ScriptedTokenizer
from tests.fakes.memory_store import FakeMemoryStore

PLAN = plan(
    1200,
    40,
    high=800,
    low=400,
    role="You are Edge, who remembers everything that was ever said here. 你记得一切。 " * 4,
)
THIRD = SessionId("third")
HANDFUL = 4
"""Tokens that close a reply, and the last one of a reply that was cut."""


class House:
    """A daemon's model and windows over a store and a folder that outlast them."""

    def __init__(self, folder: Path, resident: int = 2048, most: int = 8, shape: PromptPlan = PLAN) -> None:
        self.store = FakeMemoryStore()
        self.tokenizer = ScriptedTokenizer()
        self.folder = folder
        self.resident = resident
        self.shape = shape
        self.start(most)

    def start(self, most: int = 8, fingerprint: str = "") -> None:
        """As after a restart, or after the model was unloaded and came back."""
        self.on_disk = KvFiles(self.folder, most, 1 << 30)
        self.on_disk.sweep()
        self.made = ScriptedModel(
            ["Fine, 好的."], context=1200, resident=self.resident, tokenizer=self.tokenizer, fingerprint=fingerprint
        )
        self.kept = KeptWindows(self.store, self.on_disk)
        self.kept.serve(self.made.fingerprint)
        self.model = LastingModel(self.made, self.kept, self.on_disk)
        self.windows = Windows(self.store, Composer(self.tokenizer), self.shape, self.kept, self.model.held)

    def restart(self, fingerprint: str = "") -> None:
        self.model.close()
        self.start(fingerprint=fingerprint)

    def say(
        self, message: str, session: SessionId = MAIN, owner: OwnerId = ANN, in_time: int | None = None
    ) -> tuple[Generation, int]:
        """A turn: its generation, and the tokens that are new in its prompt. The model evaluates just what it was
        reckoned to."""
        at = replace(scope(), owner=owner, session=session)
        prompt = self.windows.prepare(at, message, [], nothing=False, in_time=in_time)
        self.prompt, held = prompt, self.model.held(lane_of(owner, session), prompt.window.tokens)
        stream = self.model.stream(
            prompt.window.tokens, Sampling(max_tokens=40), self.model.new_stop(), lane_of(owner, session)
        )
        *_, last = stream
        assert isinstance(last, Generation)
        assert last.reused == min(held, len(prompt.window.tokens) - 1)
        turn = self.store_turn(message, session, owner)
        self.windows.commit(owner, session, prompt, turn, last.tokens, unevaluated=0)
        return last, prompt.appended

    def store_turn(self, message: str, session: SessionId = MAIN, owner: OwnerId = ANN, reply: str = "Fine.") -> TurnId:
        draft = Draft(Kind.EPISODE, message)
        written = self.store.begin_turn(owner, session, message, [Insert(draft, None, key_of(draft), NOON)], NOON)
        assert written.turn is not None
        self.store.finish_turn(owner, written.turn, reply, TurnState.DONE, [], NOON)
        return written.turn

    def know(self, slot: str, value: str, content: str) -> None:
        """A core fact of Ann."""
        draft = Draft(Kind.USER_PROFILE, content, slot=slot, value=value)
        self.store.apply(ANN, [Insert(draft, None, key_of(draft), NOON)], NOON)

    def no_room(self, lane: Lane, tokens: int, path: str) -> None:
        raise StoreFailed("No space is left on the device.")

    def head(self, session: SessionId = MAIN, owner: OwnerId = ANN) -> int:
        """Tokens of the role text and core facts in a session's window."""
        window = self.kept.get((owner, session))
        assert window is not None
        return window.head

    @property
    def files(self) -> list[Path]:
        """Those of windows."""
        return [path for path in self.folder.rglob("*") if path.is_file() and path not in self.begun]

    @property
    def begun(self) -> list[Path]:
        """Those of how windows begin."""
        return [path for language in LANGUAGES for path in self.folder.rglob(f"{language}.kv")]


def test_sessions_that_all_have_room_need_no_file(tmp_path: Path) -> None:
    house = House(tmp_path)
    for turn in range(4):
        for session in (MAIN, OTHER, THIRD):
            last, new = house.say(f"轮次 {turn} of {session}", session)
            assert turn == 0 or last.evaluated == new
    assert len(house.files) == 0


def test_a_session_that_had_to_leave_evaluates_only_what_is_new_when_it_comes_back(tmp_path: Path) -> None:
    house = House(tmp_path, resident=0)
    sessions = (MAIN, OTHER, THIRD, SessionId("fourth"))
    for turn in range(4):
        for session in sessions:
            last, new = house.say(f"{session}, turn {turn} " + "and so on 等等 " * 20, session)
            assert turn == 0 or last.evaluated == new
    assert house.made.lanes.saved
    assert house.made.lanes.restored


@pytest.mark.parametrize("sessions", [1, 4])
def test_after_a_restart_a_turn_evaluates_only_its_new_tokens(tmp_path: Path, sessions: int) -> None:
    house = House(tmp_path)
    names = [SessionId(f"session {number}") for number in range(sessions)]
    for turn in range(3):
        for name in names:
            house.say(f"{name}, 轮次 {turn}", name)
    house.restart()
    for name in names:
        last, new = house.say("What did I say? 我说了什么？", name)
        assert last.evaluated == new
        assert last.reused > len(house.tokenizer.encode(PLAN.role))


def test_a_window_goes_on_exactly_where_it_was(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("我叫张伟")
    house.say("I live in Hamburg")
    before = house.kept.get((ANN, MAIN))
    house.restart()
    assert house.kept.get((ANN, MAIN)) == before
    house.say("And now?")
    beside = House(tmp_path / "beside")
    beside.tokenizer = house.tokenizer
    beside.start()
    for message in ("我叫张伟", "I live in Hamburg", "And now?"):
        beside.say(message)
    assert house.kept.get((ANN, MAIN)) == beside.kept.get((ANN, MAIN))


def rebuilt_after(house: House, caplog: pytest.LogCaptureFixture, why: str, *, begun: bool = True) -> None:
    """The next turn is evaluated as one of a new window, but for how the owner's windows begin; the log says why."""
    last, _ = house.say("And now? 现在呢？")
    assert last.reused == (house.head() if begun else 0)
    assert why in caplog.text
    assert house.files == []
    assert len(house.begun) == begun


def test_what_another_model_evaluated_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    house = House(tmp_path)
    house.say("Hello")
    house.restart(fingerprint="another file")
    rebuilt_after(house, caplog, "of another model", begun=False)


def test_a_window_that_is_older_than_the_session_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    house = House(tmp_path)
    house.say("Hello")
    house.model.close()
    house.store_turn("said when the file was there already")
    house.start()
    rebuilt_after(house, caplog, "turns are not those")


def test_a_window_whose_turns_changed_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    house = House(tmp_path)
    house.say("Hello")
    house.model.close()
    house.store = FakeMemoryStore()
    house.store_turn("another history, as from a backup")
    house.start()
    rebuilt_after(house, caplog, "turns are not those")


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_a_cut_file_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture, at: float) -> None:
    house = House(tmp_path)
    house.say("Hello")
    house.model.close()
    (path,) = house.files
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * at)])
    house.start()
    rebuilt_after(house, caplog, "cut or damaged")


def test_damaged_keys_and_values_cost_only_their_evaluation(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    house = House(tmp_path)
    house.say("Hello")
    house.restart()
    before = house.kept.get((ANN, MAIN))
    (path,) = house.files
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    path.write_bytes(data)
    last, _ = house.say("And now?")
    assert before is not None
    assert (last.reused, last.evaluated) == (house.head(), len(house.made.prompts[-1]) - house.head())
    assert tuple(house.made.prompts[-1][: len(before.tokens)]) == before.tokens
    assert "cut or damaged" in caplog.text


def test_forgetting_removes_files_windows_and_what_the_cache_holds(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("Hello", MAIN, ANN)
    house.say("Hello", OTHER, ANN)
    house.say("Hello", MAIN, BOB)
    house.restart()
    for owner in (ANN, BOB):
        house.say("Again", MAIN, owner)
    house.kept.forget(ANN)
    house.windows.forget(ANN)
    assert len(house.files) == 1
    assert house.made.lanes.held(lane_of(ANN, MAIN))
    house.model.drop(owner_part(ANN))
    assert house.made.lanes.names == (lane_of(BOB, MAIN),)
    house.model.save_all()
    assert len(house.files) == 1
    last, new = house.say("More", MAIN, BOB)
    assert last.evaluated == new


def test_a_window_is_not_saved_between_its_forgetting_and_its_leaving_the_cache(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("Hello")
    house.kept.forget(ANN)
    house.model.save_all()
    assert len(house.files) == 0


def test_nothing_is_saved_that_is_not_in_the_window(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("Hello")
    window = house.kept.get((ANN, MAIN))
    assert window is not None
    cancelled = [*window.tokens, *house.tokenizer.encode("a turn that was taken back")]
    list(house.model.stream(cancelled, Sampling(max_tokens=3), house.model.new_stop(), lane_of(ANN, MAIN)))
    house.model.save_all()
    assert tuple(house.made.lanes.held(lane_of(ANN, MAIN))) == window.tokens
    assert house.kept.evaluated(lane_of(ANN, MAIN)) == window.tokens


def test_a_file_that_is_up_to_date_is_not_written_again(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("Hello")
    for _ in range(3):
        house.model.save_all()
    assert len(house.made.lanes.saved) == 1
    house.say("More")
    house.model.save_all()
    assert len(house.made.lanes.saved) == 2
    house.on_disk.discard(lane_of(ANN, MAIN), "others took its place")
    house.model.save_all()
    assert len(house.made.lanes.saved) == 3


def test_a_disk_that_is_full_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    house = House(tmp_path, resident=0)

    monkeypatch.setattr(house.made.lanes, "save", house.no_room)
    for turn in range(4):
        for session in (MAIN, OTHER, THIRD):
            house.say(f"turn {turn} " + "and so on 等等 " * 30, session)
    house.restart()
    house.say("Still here?")
    assert "No space is left" in caplog.text
    assert len(house.files) == 0


def test_without_files_nothing_is_kept(tmp_path: Path) -> None:
    house = House(tmp_path, most=0)
    house.say("Hello")
    house.restart()
    assert house.say("Again")[0].reused == 0
    assert len(house.files) == 0


# --- in time ----------------------------------------------------------------------------------------------------------

WORDS = "And so on and so forth 等等 " * 6


def lost_to_damage(house: House) -> None:
    house.model.close()
    (path,) = house.files
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    path.write_bytes(data)
    house.start()


def lost_to_others(house: House) -> None:
    house.model.close()
    house.start(most=1)
    house.say("Others take its place. 你好", OTHER)
    house.model.close()
    house.start(most=1)


def lost_to_a_full_disk(house: House) -> None:
    house.made.lanes.save = house.no_room  # type: ignore[method-assign]
    for session in (OTHER, THIRD):
        for _ in range(4):
            house.say(WORDS * 2, session)
    assert not house.made.lanes.held(lane_of(ANN, MAIN))


@pytest.mark.parametrize("lose", [lost_to_damage, lost_to_others, lost_to_a_full_disk])
def test_a_window_that_the_model_lost_is_built_anew_as_large_as_there_is_time_for(
    tmp_path: Path, lose: Callable[[House], None]
) -> None:
    house = House(tmp_path, resident=0)
    for _ in range(4):
        house.say(WORDS)
    lose(house)
    last, _ = house.say("And now? 现在呢？", in_time=120)
    assert house.prompt.rebuilt
    assert house.prompt.window.turns
    assert last.evaluated <= 120


def test_a_window_that_is_there_is_not_built_anew_however_little_time_there_is(tmp_path: Path) -> None:
    house = House(tmp_path)
    for _ in range(4):
        house.say(WORDS)
    house.restart()
    last, new = house.say("And now? 现在呢？", in_time=0)
    assert not house.prompt.rebuilt
    assert last.evaluated == new


def test_a_lost_window_is_evaluated_again_where_there_is_time(tmp_path: Path) -> None:
    house = House(tmp_path)
    for _ in range(4):
        house.say(WORDS)
    lost_to_damage(house)
    house.say("And now? 现在呢？", in_time=1000)
    assert not house.prompt.rebuilt


# --- how windows begin ------------------------------------------------------------------------------------------------


def test_a_new_session_begins_as_others_did_before_a_restart(tmp_path: Path) -> None:
    house = House(tmp_path, shape=replace(PLAN, role=""))
    house.know("name", "Zhang Wei", "The user's name is Zhang Wei.")
    for message, session in (("Hello there, how are you?", MAIN), ("你好，今天怎么样？", OTHER)):
        house.say(message, session)
    house.restart()
    for message, session in (("Good morning to you.", THIRD), ("早上好，我来了。", SessionId("新"))):
        last, _ = house.say(message, session)
        assert last.reused >= house.head(session) > 0
    assert len(house.begun) == 2


def test_how_windows_begin_is_evaluated_anew_from_where_facts_changed(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("Hello there.")
    house.restart()
    house.know("name", "Zhang Wei", "The user's name is Zhang Wei.")
    last, _ = house.say("Hello again.", OTHER)
    assert len(house.tokenizer.encode(PLAN.role)) <= last.reused < house.head(OTHER)
    house.restart()
    assert house.say("Hello once more.", THIRD)[0].reused == house.head(THIRD)


def test_nobody_begins_with_what_was_saved_of_another_owner(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.know("name", "Zhang Wei", "The user's name is Zhang Wei.")
    house.say("Hello there.")
    house.restart()
    assert house.say("Hello there.", MAIN, BOB)[0].reused == 0


def test_forgetting_removes_how_windows_begin(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("Hello there.")
    house.restart()
    house.say("Hello again.")
    assert house.begun
    house.kept.forget(ANN)
    house.windows.forget(ANN)
    house.model.close()
    assert house.begun == []


def test_what_another_model_began_with_is_no_use(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    house = House(tmp_path)
    house.say("Hello there.")
    house.restart(fingerprint="another file")
    assert house.say("Hello there.", OTHER)[0].reused == 0
    assert "of another model" in caplog.text


def test_how_windows_begin_is_written_only_when_it_changed(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("Hello there.")
    house.restart()
    (path,) = house.begun
    before = path.stat().st_mtime_ns
    house.say("Hello again.")
    house.restart()
    assert path.stat().st_mtime_ns == before
