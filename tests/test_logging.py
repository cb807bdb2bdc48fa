"""The log holds no words of a person: no call of a logger is given any, anywhere in the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "edge").rglob("*.py"))
LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "log"}
WORDS = {
    "message",
    "reply",
    "content",
    "text",
    "words",
    "query",
    "value",
    "quote",
    "title",
    "reason",
    "turn",
    "unit",
    "draft",
}
OF_ERRORS = {"error", "failure"}
"""An error's message names fields, counts and files; `edge/ERRORS.md` lists what it may say."""
KNOWN = {("edge/index/upkeep.py", "reason"), ("edge/index/opening.py", "reason")}
"""Why a file of the index does not fit."""


def spoken(path: str, module: ast.Module) -> Iterator[str]:
    """Arguments of logging calls that may be a person's words."""
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and _is_log(call.func):
            for node in (inner for argument in call.args[1:] for inner in ast.walk(argument)):
                name = _spoken_name(node)
                if name is not None and (path, name) not in KNOWN:
                    yield f"{path}:{call.lineno}: {name} goes into the log"


def _is_log(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr in LEVELS
        and isinstance(function.value, ast.Name)
        and "log" in function.value.id
    )


def _spoken_name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        of_error = isinstance(node.value, ast.Name) and node.value.id in OF_ERRORS
        return node.attr if node.attr in WORDS and not of_error else None
    return node.id if isinstance(node, ast.Name) and node.id in WORDS else None


@pytest.mark.parametrize("path", MODULES)
def test_no_words_go_into_the_log(path: str) -> None:
    assert list(spoken(path, ast.parse((ROOT / path).read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "code",
    ["_log.info('%s', message)", "_log.warning('%s', turn.message)", "logger.error('%s', (unit.content, 1))",
     "_log.exception('%s', f'{reply}')"],
)  # fmt: skip
def test_words_that_go_into_the_log_are_found(code: str) -> None:
    assert list(spoken("edge/engine/x.py", ast.parse(code)))


def test_messages_of_errors_may() -> None:
    assert list(spoken("edge/engine/x.py", ast.parse("_log.error('%s %d', error.message, unit_id)"))) == []
