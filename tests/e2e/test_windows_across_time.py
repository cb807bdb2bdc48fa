"""What the model has evaluated of a session outlasts switches and stops, and nothing of it outlasts forgetting."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.client.events import Done, Loading
from edge.prompt.texts import LANGUAGES
from edge.wire import DoneEvent
from tests.cli.screen import Screen
from tests.e2e.running import DaemonThread
from tests.e2e.talking import Talk
from tests.fakes.language_model import ScriptedModel, ScriptedTokenizer

SESSIONS = ("home", "work", "旅行", "garden")


class Life:
    """One daemon after the other on the same state, with the same model."""

    def __init__(self, folder: Path, resident: int = 2048) -> None:
        self.folder = folder
        self.tokenizer = ScriptedTokenizer()
        self.resident = resident

    def begin(self, target: float = 3600, token_seconds: float | None = None) -> DaemonThread:
        model = ScriptedModel(["Fine, 好的."], tokenizer=self.tokenizer, context=1024, resident=self.resident)
        return DaemonThread(
            self.folder, model, token_seconds=token_seconds,
            EDGE_MODEL_CONTEXT="1024", EDGE_PROMPT_TARGET_FIRST_TOKEN=str(target),
        )  # fmt: skip

    @property
    def files(self) -> list[Path]:
        return [path for path in (self.folder / "state/kv").rglob("*") if path.is_file()]

    @property
    def windows(self) -> list[Path]:
        """Files of sessions' windows; the others hold how windows begin."""
        return [path for path in self.files if path.stem not in LANGUAGES]


def say_in_all(talk: Talk, turn: str) -> dict[str, DoneEvent]:
    return {
        session: talk.say(f"In {session} we now speak of {turn}, 我们说说{session}。", session) for session in SESSIONS
    }


def only_new(done: DoneEvent) -> bool:
    usage = done["usage"]
    return usage["evaluated_tokens"] == usage["appended_tokens"] and usage["reused_tokens"] > 0


def assert_only_new(done: DoneEvent) -> None:
    assert only_new(done), done["usage"]


def test_four_sessions_in_turns_and_after_a_restart_evaluate_only_what_is_new(folder: Path) -> None:
    life = Life(folder)
    with life.begin() as daemon:
        say_in_all(daemon.talk, "apples")
        for done in say_in_all(daemon.talk, "pears").values():
            assert_only_new(done)
        assert life.files == []
    assert len(life.windows) == len(SESSIONS)
    with life.begin() as daemon:
        for done in say_in_all(daemon.talk, "plums").values():
            assert_only_new(done)


def test_a_new_session_after_a_restart_begins_as_the_others_do(folder: Path) -> None:
    life = Life(folder)
    with life.begin() as daemon:
        daemon.talk.say("My name is Zhang Wei.", "home")
        daemon.talk.say("你好，我们说说苹果。", "旅行")
    with life.begin() as daemon:
        talk = daemon.talk
        for message, session in (("Let us speak of pears.", "garden"), ("我们说说梨。", "厨房")):
            usage = talk.say(message, session)["usage"]
            assert usage["reused_tokens"] > 50
            assert usage["evaluated_tokens"] < usage["appended_tokens"]


def test_sessions_without_room_in_the_cache_go_by_their_files(folder: Path) -> None:
    life = Life(folder, resident=0)
    with life.begin() as daemon:
        for turn in ("apples", "pears", "plums"):
            for done in say_in_all(daemon.talk, f"{turn} " * 12).values():
                if turn != "apples":
                    assert_only_new(done)
        assert daemon.model.lanes.restored


def test_a_window_whose_file_was_cut_is_built_anew_as_large_as_there_is_time_for(folder: Path) -> None:
    life = Life(folder)
    with life.begin() as daemon:
        for fruit in ("apples", "pears", "苹果"):
            before = daemon.talk.say(f"We speak of {fruit}, 我们说说水果。" * 4, "home")["usage"]
    (path,) = life.windows
    path.write_bytes(path.read_bytes()[:-9])
    with life.begin(target=1000, token_seconds=10.0) as daemon:
        usage = daemon.talk.say("And now? 现在呢？", "home")["usage"]
    assert usage["in_time_tokens"] == 96
    assert usage["compacted"]
    assert usage["evaluated_tokens"] <= 96 < before["prompt_tokens"] - usage["reused_tokens"]


def test_forgetting_leaves_no_file_behind_and_stopping_brings_none_back(folder: Path) -> None:
    life = Life(folder)
    with life.begin() as daemon:
        daemon.talk.say("My order number is ORD-55871.", "home")
        daemon.talk.say("Hello there.", "work")
    assert len(life.windows) == 2
    assert len(life.files) == 3
    with life.begin() as daemon:
        daemon.talk.say("And how are you?", "home")
        daemon.talk.forget_selected(session="home", facts=True)
        assert life.files == []
    assert life.files == []
    with life.begin() as daemon:
        done = daemon.talk.say("What is my order number?", "work")
        assert done["usage"]["reused_tokens"] == 0


def test_a_model_that_nobody_used_is_freed_and_comes_back(folder: Path) -> None:
    life = Life(folder)
    with life.begin() as daemon:
        daemon.talk.say("Hello there.", "home")
        daemon.unload()
        assert daemon.model.closed
        assert daemon.talk.status()["model"]["state"] == "unloaded"
        assert len(life.windows) == 1
        with daemon.talk.turn("home", "Are you there? 你在吗？") as turn:
            first, *_, last = turn
        assert isinstance(first, Loading)
        assert isinstance(last, Done)
        assert_only_new(last.data)
        assert daemon.talk.status()["model"]["state"] == "ready"


@pytest.mark.parametrize("words", ["Are you there?", "你在吗？"], ids=["en", "zh"])
def test_on_a_terminal_one_sees_that_the_model_is_freed_and_comes_back(folder: Path, words: str) -> None:
    with Life(folder).begin() as daemon:
        daemon.talk.say("Hello there.", "home")
        daemon.unload()
        place = {"EDGE_SOCKET": str(daemon.settings.places.socket)}
        with Screen("status", environ=place) as screen:
            screen.wait_for("unloaded: scripted, for ")
        with Screen("chat", environ=place) as screen:
            screen.wait_for("> ")
            screen.type(f"{words}\r")
            assert "loading the model ..." in screen.wait_for("Fine, 好的.")
        assert daemon.talk.status()["model"]["state"] == "ready"
