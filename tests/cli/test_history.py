"""The lines of the chat: their file holds no secrets, and loses what is forgotten."""

from __future__ import annotations

import pytest

from edge.cli.history import forget_lines, history_path, remember_line

SAID = ["My wifi password is hunter2.", "记住我的PIN码是7316。", "My order number is A-20391-XK."]


def lines() -> list[str]:
    return history_path().read_text(encoding="utf-8").splitlines()


@pytest.fixture
def talked() -> None:
    for line in SAID:
        remember_line(line)


@pytest.mark.usefixtures("talked")
def test_the_file_holds_no_secrets() -> None:
    assert lines() == ["My wifi password is [redacted password].", "记住我的PIN码是［已隐去 PIN 码］。", SAID[2]]


@pytest.mark.usefixtures("talked")
def test_a_forgotten_line_goes_with_or_without_its_secret() -> None:
    forget_lines([SAID[1], SAID[2].upper()])
    assert lines() == ["My wifi password is [redacted password]."]
