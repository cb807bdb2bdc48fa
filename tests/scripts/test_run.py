"""`scripts/run`: replies alone on standard output, and a daemon that goes when the last chat goes."""

from __future__ import annotations

import subprocess

from tests.scripts.conftest import Checkout


def say(chat: subprocess.Popen[str], line: str) -> str:
    """The reply to a line of an open chat."""
    assert chat.stdin is not None
    assert chat.stdout is not None
    chat.stdin.write(f"{line}\n")
    chat.stdin.flush()
    return chat.stdout.readline()


def test_each_line_is_a_turn_and_only_replies_are_printed(checkout: Checkout) -> None:
    result = checkout.run("run", given="My name is Zhang Wei.\n我叫什么名字？\n")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "heard: My name is Zhang Wei.\nheard: 我叫什么名字？\n"
    assert "Starting the daemon" in result.stderr


def test_arguments_go_to_the_chat_and_models_to_the_cache(checkout: Checkout) -> None:
    checkout.run("run", "--session", "a b")
    notes = checkout.notes()
    assert "chat --session a b" in notes
    assert f"models fetch --default in {checkout.cache}/models" in notes


def test_it_works_through_a_link(checkout: Checkout) -> None:
    link = checkout.base / "link"
    link.symlink_to(checkout.root / "scripts/run")
    result = subprocess.run([link], input="hello\n", capture_output=True, text=True, env=checkout.environment())
    assert result.stdout == "heard: hello\n", result.stderr


def test_the_daemon_it_started_stops_with_the_chat(checkout: Checkout) -> None:
    result = checkout.run("run")
    assert "Stopping the daemon" in result.stderr
    assert not (checkout.state / "serving").exists()


def test_a_daemon_that_was_there_is_used_and_left_alone(checkout: Checkout) -> None:
    checkout.state.mkdir()
    (checkout.state / "serving").touch()
    result = checkout.run("run", given="hello\n")
    assert result.stdout == "heard: hello\n"
    assert "already running" in result.stderr
    assert (checkout.state / "serving").exists()


def test_the_last_of_two_chats_stops_the_daemon(checkout: Checkout) -> None:
    first = checkout.start("run")
    assert say(first, "one") == "heard: one\n"
    second = checkout.start("run")
    assert say(second, "two") == "heard: two\n"
    first.communicate()
    assert (checkout.state / "serving").exists()
    assert say(second, "three") == "heard: three\n"
    second.communicate()
    assert not (checkout.state / "serving").exists()


def test_ended_by_a_signal_it_takes_chat_and_daemon_along(checkout: Checkout) -> None:
    chat = checkout.start("run")
    assert say(chat, "one") == "heard: one\n"
    chat.terminate()
    output, _ = chat.communicate()
    assert output == ""
    assert not (checkout.state / "serving").exists()


def test_a_socket_path_that_is_too_long_is_one_sentence(checkout: Checkout) -> None:
    result = checkout.run("run", EDGE_SOCKET=f"/tmp/{'x' * 120}.sock")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("edge: The socket's path has ")


def test_a_daemon_that_dies_is_reported_with_its_log(checkout: Checkout) -> None:
    result = checkout.run("run", given="hello\n", DAEMON_FAIL="yes")
    assert result.returncode == 1
    assert result.stdout == ""
    assert "no model will load" in result.stderr
    assert result.stderr.splitlines()[-1] == (
        f"edge: The daemon has ended with status 6 before it served; its log is {checkout.state}/daemon.log"
    )


def test_an_environment_behind_a_link_is_not_emptied(checkout: Checkout) -> None:
    others = checkout.base / "others"
    others.mkdir()
    (others / "whole").touch()
    (checkout.root / ".venv").symlink_to(others)
    result = checkout.run("run")
    assert result.returncode == 1
    assert "is a link to another environment" in result.stderr
    assert (others / "whole").exists()
