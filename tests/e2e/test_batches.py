"""Batches through the socket: begun, moved, asked about, forgotten; and killed again and again."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from edge.client import Session
from edge.errors import BatchNotFound, DaemonNotRunning
from edge.wire import BatchWire
from tests.e2e.running import DaemonProcess, DaemonThread
from tests.e2e.stored import files_holding
from tests.e2e.talking import Talk

BODY = {"session": "main", "task": "import-7", "title": "Adding 10 contacts", "total": 10}


def begin(talk: Talk, **changes: object) -> BatchWire:
    answer = talk.request("POST", "/v1/batches", {**BODY, **changes})
    assert answer.status in (200, 201)
    batch: BatchWire = answer.body
    return batch


def six_of_ten(talk: Talk, **changes: object) -> BatchWire:
    """Seven handled, the fourth without success."""
    batch = begin(talk, **changes)
    for item in range(1, 8):
        if item == 4:
            batch = talk.fail_batch(batch["id"], 4, "no e-mail address")
        else:
            batch = talk.advance_batch(batch["id"], item)
    return batch


def test_the_same_task_is_the_same_batch(talk: Talk) -> None:
    first = talk.request("POST", "/v1/batches", BODY)
    again = talk.request("POST", "/v1/batches", BODY)
    assert (first.status, again.status) == (201, 200)
    assert first.body == again.body
    other = talk.request("POST", "/v1/batches", {**BODY, "total": 11})
    assert (other.status, other.code, other.body["error"]["total"]) == (409, "batch_differs", 10)
    assert begin(talk, session="work")["id"] != begin(talk, task="import-8")["id"] != first.body["id"]


def test_items_are_handled_in_order_and_told_again_without_harm(talk: Talk) -> None:
    batch = six_of_ten(talk)
    assert (batch["handled"], batch["done"], batch["failed"], batch["next"], batch["last_success"]) == (7, 6, 1, 8, 7)
    assert talk.advance_batch(batch["id"], 7) == talk.fail_batch(batch["id"], 4, "again") == batch
    early = talk.request("POST", f"/v1/batches/{batch['id']}/advance", {"item": 10})
    assert (early.status, early.code, early.body["error"]["next"]) == (409, "unexpected_item", 8)
    for item in (8, 9, 10):
        batch = talk.advance_batch(batch["id"], item)
    assert (batch["state"], batch["next"]) == ("done", None)
    assert talk.memory(batch["unit"])["valid_until"] is not None
    assert talk.resume_batch(batch["id"])["state"] == "done"


def test_failures_come_in_pages(talk: Talk) -> None:
    batch = begin(talk, total=100)
    for item in range(1, 56):
        batch = talk.fail_batch(batch["id"], item, f"没有邮箱 {item}")
    assert (batch["failed"], len(batch["failures"]), batch["failures"][-1]["item"]) == (55, 50, 55)
    assert talk.batch(batch["id"]) == batch
    first = talk.failures(batch["id"])
    assert [failure["item"] for failure in first["failures"]] == list(range(55, 5, -1))
    rest = talk.failures(batch["id"], before=first["next_before"], limit=500)
    assert ([failure["item"] for failure in rest["failures"]], rest["next_before"]) == ([5, 4, 3, 2, 1], None)
    with pytest.raises(BatchNotFound):
        talk.failures(batch["id"] + 1)
    for query in ("before=x", "limit=0", "limit=501", "state=done"):
        assert talk.request("GET", f"/v1/batches/{batch['id']}/failures?{query}").status == 400


def test_a_cancelled_batch_waits_to_be_resumed(talk: Talk) -> None:
    batch = six_of_ten(talk)
    assert talk.cancel_batch(batch["id"])["state"] == "cancelled"
    refused = talk.request("POST", f"/v1/batches/{batch['id']}/advance", {"item": 8})
    assert (refused.status, refused.code) == (409, "batch_ended")
    assert talk.memory(batch["unit"])["valid_until"] is not None
    assert talk.resume_batch(batch["id"])["next"] == 8
    assert talk.memory(batch["unit"])["valid_until"] is None


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("", {**BODY, "total": 0}, "total"),
        ("", {**BODY, "total": True}, "total"),
        ("", {**BODY, "total": 10**10}, "total"),
        ("", {key: BODY[key] for key in ("session", "task", "title")}, "total"),
        ("", {**BODY, "title": " "}, "title"),
        ("", {**BODY, "title": "x" * 151}, "title"),
        ("", {**BODY, "task": "x" * 201}, "task"),
        ("", {**BODY, "session": ""}, "session"),
        ("", {**BODY, "owner": "uid:0"}, "owner"),
        ("/1/advance", {}, "item"),
        ("/1/advance", {"item": 0}, "item"),
        ("/1/advance", {"item": 11}, "item"),
        ("/1/advance", {"item": 1, "reason": "x"}, "reason"),
        ("/1/fail", {"item": 1}, "reason"),
        ("/1/fail", {"item": 1, "reason": ""}, "reason"),
        ("/1/cancel", {"item": 1}, "item"),
    ],
)
def test_what_is_asked_wrongly_changes_nothing(talk: Talk, path: str, body: dict[str, object], field: str) -> None:
    before = begin(talk)
    answer = talk.request("POST", f"/v1/batches{path}", body)
    assert (answer.status, answer.field) == (400, field)
    assert talk.batches()["batches"] == [before]


def test_another_batch_is_not_found(talk: Talk) -> None:
    for method, path in (("GET", ""), ("POST", "/advance"), ("POST", "/resume")):
        for number in ("99", "x", "9" * 30):
            body = {"item": 1} if path == "/advance" else None
            assert talk.request(method, f"/v1/batches/{number}{path}", body).code == "batch_not_found"


def test_they_are_listed_by_session_and_state(talk: Talk) -> None:
    first, second = begin(talk), begin(talk, session="工作/二", task="导入")
    talk.cancel_batch(first["id"])
    assert [batch["id"] for batch in talk.batches()["batches"]] == [second["id"], first["id"]]
    assert [batch["id"] for batch in talk.batches(session="工作/二")["batches"]] == [second["id"]]
    assert [batch["id"] for batch in talk.batches(state="cancelled")["batches"]] == [first["id"]]
    page = talk.batches(limit=1)
    assert page["next_before"] == second["id"]
    assert talk.batches(before=second["id"])["batches"][0]["id"] == first["id"]
    assert talk.request("GET", "/v1/batches?state=x").field == "state"
    assert talk.request("GET", "/v1/batches?limit=0").field == "limit"


@pytest.mark.parametrize(
    ("title", "question", "told"),
    [
        ("Adding 10", "How far are you?", "Adding 10: 6 of 10 done, 1 failed (item 4: no e-mail address)."),
        ("添加10个联系人", "进度如何？", "添加10个联系人：已完成6/10，1个失败（第4个：no e-mail address）。"),
        ("添加10个联系人", "导入到哪了？", "添加10个联系人：已完成6/10，1个失败（第4个：no e-mail address）。"),
    ],
)  # fmt: skip
def test_how_far_it_is_is_told_without_the_model(talk: Talk, title: str, question: str, told: str) -> None:
    six_of_ten(talk, title=title)
    done = talk.say(question)
    assert (done["reply"], done["answered_by"]) == (told, "runtime")
    assert talk.say(question, "another")["answered_by"] == "model"
    assert talk.say("How far is it to Berlin?")["answered_by"] == "model"


def test_those_that_run_are_told_and_else_the_one_that_ended_last(talk: Talk) -> None:
    assert talk.say("How far are you?")["answered_by"] == "model"
    one, two = six_of_ten(talk), begin(talk, task="b", title="Sorting mail")
    assert talk.say("Any progress?")["reply"].splitlines() == [
        "Sorting mail: 0 of 10 done.",
        "Adding 10 contacts: 6 of 10 done, 1 failed (item 4: no e-mail address).",
    ]
    talk.cancel_batch(two["id"])
    assert "Sorting" not in talk.say("Any progress?")["reply"]
    talk.cancel_batch(one["id"])
    assert talk.say("Any progress?")["reply"].startswith("Adding 10 contacts: cancelled, 6 of 10 done")


def test_its_memory_is_one_like_any_other(daemon: DaemonThread) -> None:
    talk = daemon.talk
    batch = six_of_ten(talk)
    talk.say("How far are you?")
    (unit,) = talk.memories(kind="batch_operation")["memories"]
    assert (unit["id"], unit["content"], unit["session"]) == (batch["unit"], "Adding 10 contacts", "main")
    assert talk.recall("adding contacts", "main", kinds=["batch_operation"], explain=True)["recalled"]
    assert not talk.recall("adding contacts", "other", kinds=["batch_operation"], explain=True)["dropped"]
    talk.forget(unit["id"])
    assert talk.batches()["batches"] == []
    assert files_holding(daemon.state, "no e-mail address") == []
    assert talk.say("How far are you?")["answered_by"] == "model"


def test_a_task_with_a_secret_in_its_name_is_refused(talk: Talk) -> None:
    answer = talk.request("POST", "/v1/batches", {**BODY, "task": "import password: hunter2Hunter2"})
    assert (answer.status, answer.field) == (400, "task")
    assert "hunter2" not in str(answer.body)


def test_a_secret_in_a_reason_is_not_kept(talk: Talk) -> None:
    batch = begin(talk)
    failed = talk.fail_batch(batch["id"], 1, "login failed with password: hunter2Hunter2")
    assert "hunter2" not in str(failed)
    assert "redacted" in failed["failures"][0]["reason"]


def test_two_clients_that_report_at_once_move_it_once(talk: Talk) -> None:
    batch = begin(talk, total=40)
    start = threading.Barrier(4)

    def report(_: int) -> None:
        start.wait()
        for item in range(1, 41):
            while talk.batch(batch["id"])["handled"] < item - 1:
                pass
            talk.advance_batch(batch["id"], item)

    with ThreadPoolExecutor(4) as clients:
        list(clients.map(report, range(4)))
    done = talk.batch(batch["id"])
    assert (done["done"], done["state"]) == (40, "done")


def test_twenty_kills_lose_no_item_that_was_confirmed(folder: Path) -> None:
    """Each life resumes, reports some items and is killed while it does. Some are told again."""
    daemon, chance = DaemonProcess(folder), random.Random(20)
    confirmed: list[int] = []
    for _ in range(20):
        with daemon as talk:
            batch = begin(talk, total=100_000)
            assert batch["handled"] >= len(confirmed)
            assert batch["handled"] <= len(confirmed) + 1
            confirmed += range(len(confirmed) + 1, batch["handled"] + 1)
            _report_until_killed(talk, daemon, batch, confirmed, chance)
    with daemon as talk:
        batch = talk.batch(batch["id"])
        assert batch["handled"] - len(confirmed) in (0, 1)
        assert batch["failed"] == sum(1 for item in range(1, batch["handled"] + 1) if item % 5 == 4)
        assert daemon.stop() == 0
    assert len(confirmed) >= 20 * 3


def _report_until_killed(
    talk: Talk, daemon: DaemonProcess, batch: BatchWire, confirmed: list[int], chance: random.Random
) -> None:
    """It is killed a moment after some items of this life were confirmed, while others are on their way."""
    timer = threading.Timer(chance.uniform(0, 0.05), daemon.process.kill)
    enough = len(confirmed) + chance.randint(3, 12)
    try:
        while True:
            if len(confirmed) == enough:
                timer.start()
            item = len(confirmed) + 1
            if item % 5 == 4:
                talk.fail_batch(batch["id"], item, f"reason {item}")
            else:
                talk.advance_batch(batch["id"], item)
            confirmed.append(item)
    except DaemonNotRunning:
        timer.join()
        daemon.kill()


def test_a_program_that_is_started_anew_goes_on(talk: Talk) -> None:
    tried: list[str] = []
    names = ["Ann", "Bob", "王芳", "Dan"]
    with Session("main", talk.path) as session:
        for item in session.batch("t", "Adding 4 contacts", names):
            tried.append(item.value)
            if item.number == 3:
                break
            with item:
                if item.value == "Bob":
                    raise ValueError("no number")
    with Session("main", talk.path) as session:
        run = session.batch("t", "Adding 4 contacts", names)
        for item in run:
            with item:
                tried.append(item.value)
    assert tried == ["Ann", "Bob", "王芳", "王芳", "Dan"]
    assert run.state["failures"] == [{"item": 2, "reason": "no number"}]
