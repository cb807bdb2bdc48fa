"""Imports point inward, modules stay short, and what only some rooms may do stays in them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LONGEST_MODULE = 320
LISTS = {"edge/errors.py", "edge/wire.py"}
"""Modules that are a list and read like one."""
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "edge").rglob("*.py"))

DOMAIN = ("edge.errors", "edge.memory")
PORTS = (
    *DOMAIN,
    "edge.clock",
    *(f"edge.engine.{path.stem}" for path in (ROOT / "edge/engine").glob("*ports.py")),
)
ENGINE = (*DOMAIN, "edge.clock", "edge.prompt", "edge.engine")
PROMPT_READS = ("batches", "compression", "language", "plans", "questions", "secrets", "time_words", "units", "verbs")
SETTINGS = (
    "edge.errors",
    "edge.wire",
    "edge.places",
    "edge.settings",
    "edge.settings_file",
    "edge.settings_keys",
    "edge.config",
)
MODEL_FILES = tuple(
    f"edge.models.{name}"
    for name in (
        "disk", "fetch", "files", "gguf", "importing", "manifest", "manifest_reader", "partial", "progress", "sources",
    )
)  # fmt: skip
IMPURE = {
    "asyncio", "http", "io", "locale", "logging", "multiprocessing", "os", "pathlib", "random", "select", "shutil",
    "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
OUTER = {"click", "numpy", "onnxruntime", "llama_cpp", "aiohttp", "hnswlib", "tokenizers", "snowballstemmer"}
ROOTS = {"edge/daemon/assembly.py", "edge/daemon/parts.py", "edge/daemon/restoring.py"}
EXCEPTIONS = {("edge/cli/daemon.py", "edge.daemon.main"), ("edge/cli/restore.py", "edge.daemon.restoring")}
"""`edge daemon` starts the daemon, `edge restore` works in its place; each imports it when it does."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a folder of the package may import: of the package itself, by prefix, and from elsewhere.

    `no_std` are modules of the standard library that it may not use.
    """

    folder: str
    own: tuple[str, ...]
    outer: frozenset[str] = frozenset()
    no_std: frozenset[str] = frozenset()


ROOMS = [
    Room("edge/memory/", DOMAIN, frozenset({"numpy", "snowballstemmer"}), frozenset(IMPURE)),
    Room(
        "edge/prompt/",
        ("edge.errors", "edge.prompt", *(f"edge.memory.{name}" for name in PROMPT_READS)),
        no_std=frozenset(IMPURE),
    ),
    Room(
        "edge/engine/",
        ENGINE,
        frozenset({"numpy"}),
        frozenset(IMPURE - {"asyncio", "logging"}),
    ),
    Room(
        "edge/store/",
        (*PORTS, "edge.disk", "edge.store"),
        frozenset({"numpy"}),
        frozenset({"socket", "http", "urllib"}),
    ),
    Room(
        "edge/index/",
        (*PORTS, "edge.disk", "edge.index"),
        frozenset({"numpy", "hnswlib"}),
        frozenset({"socket", "http"}),
    ),
    Room(
        "edge/models/",
        (*PORTS, "edge.allocator", "edge.disk", "edge.models", "edge.places"),
        frozenset({"numpy", "onnxruntime", "llama_cpp", "tokenizers"}),
    ),
    Room(
        "edge/daemon/",
        (*ENGINE, *SETTINGS, "edge.allocator", "edge.daemon", "edge.__version__"),
        frozenset({"aiohttp", "prometheus_client"}),
    ),
    Room(
        "edge/cli/",
        (*SETTINGS, *MODEL_FILES, "edge.cli", "edge.client", "edge.clock", "edge.memory.secrets"),
        frozenset({"click"}),
    ),
    Room("edge/client/", ("edge.errors", "edge.wire", "edge.places", "edge.prompt.structured", "edge.client")),
]


@dataclass(frozen=True, slots=True)
class Import:
    """One import: what of, where, and whether it happens when the module is loaded (not for type checking only)."""

    path: str
    line: int
    name: str
    at_load: bool

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.name}"


def tree(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), path)


def imports(path: str, module: ast.Module) -> Iterator[Import]:
    """All imports of a module, also those inside functions and for type checking."""
    lazy = {id(inner) for outer in ast.walk(module) if _is_lazy(outer) for inner in ast.walk(outer)}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: a relative import"
            names = [_imported(node.module or "", alias.name) for alias in node.names]
        else:
            continue
        yield from (Import(path, node.lineno, name, id(node) not in lazy) for name in names)


def _is_lazy(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _imported(module: str, name: str) -> str:
    """`from edge.store import reads` imports a module, `from edge.errors import Busy` a name of one."""
    below = f"{module}.{name}"
    is_module = any((ROOT / below.replace(".", "/")).with_suffix(suffix).exists() for suffix in (".py", ""))
    return below if module.startswith("edge") and is_module else module


def within(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)


def breaches(path: str, module: ast.Module, room: Room) -> list[str]:
    found = []
    for imported in imports(path, module):
        if imported.top == "edge":
            allowed = imported.name == "edge" or within(imported.name, room.own) or (path, imported.name) in EXCEPTIONS
        elif imported.top in sys.stdlib_module_names:
            allowed = imported.top not in room.no_std
        else:
            allowed = imported.top in room.outer
        if not allowed:
            found.append(str(imported))
    return found


def room_of(path: str) -> Room | None:
    return next((room for room in ROOMS if path.startswith(room.folder)), None)


@pytest.mark.parametrize("path", [path for path in MODULES if room_of(path) and path not in ROOTS])
def test_a_room_imports_only_what_is_inward(path: str) -> None:
    room = room_of(path)
    assert room is not None
    assert breaches(path, tree(path), room) == []


@pytest.mark.parametrize("path", [path for path in MODULES if path.startswith("edge/cli/")])
def test_the_command_line_loads_models_code_only_when_it_needs_it(path: str) -> None:
    at_load = [found for found in imports(path, tree(path)) if found.at_load]
    late = ("edge.models", "edge.config", "edge.daemon")
    plain = ("edge.models.progress",)
    assert [str(found) for found in at_load if within(found.name, late) and not within(found.name, plain)] == []


@pytest.mark.parametrize("path", [f"{name.replace('.', '/')}.py" for name in MODEL_FILES])
def test_code_of_model_files_stands_on_the_standard_library(path: str) -> None:
    """The command line uses it: nothing slow may come along, not even lazily."""
    room = Room("edge/models/", ("edge.disk", "edge.errors", "edge.wire", "edge.places", *MODEL_FILES))
    assert breaches(path, tree(path), room) == []


@pytest.mark.parametrize("path", [path for path in MODULES if path.count("/") == 1])
def test_what_all_share_imports_no_room(path: str) -> None:
    assert breaches(path, tree(path), Room("edge/", (*SETTINGS, "edge.clock"))) == []


@pytest.mark.parametrize("path", [path for path in MODULES if path not in LISTS])
def test_a_module_is_short(path: str) -> None:
    lines = len((ROOT / path).read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_MODULE, f"{path} has {lines} lines"


# --- what only some may do ---

CATCHERS = {
    ("edge/daemon/workers.py", "_work"),
    ("edge/daemon/workers.py", "_guarded"),
    ("edge/daemon/http.py", "_errors"),
}
"""The outer boundaries: where any error is logged and the daemon goes on."""
IP = {"AF_INET", "AF_INET6", "create_connection", "create_server", "HTTPConnection", "HTTPSConnection", "urlopen"}
NETWORK_MODULES = {"http", "urllib", "ssl", "ftplib", "smtplib", "xmlrpc", "requests", "httpx"}
NETWORK_ROOMS = {"edge/models/fetch.py", "edge/models/sources.py"}
SOCKET_CLIENT = {f"edge/client/{name}.py" for name in ("answers", "connection", "events", "requests")}
"""They speak HTTP, on the Unix socket."""


def names_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def broad_catches(path: str, module: ast.Module) -> Iterator[str]:
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node) and (path, function.name) not in CATCHERS:
                yield f"{path}:{node.lineno}: {function.name} catches everything"


def _is_broad(handler: ast.ExceptHandler) -> bool:
    """Whether it swallows any error; one that cleans up and raises it again does not."""
    last = handler.body[-1]
    if isinstance(last, ast.Raise) and last.exc is None:
        return False
    if handler.type is None:
        return True
    return any(name in ("Exception", "BaseException") for node in ast.walk(handler.type) for name in names_in(node))


def prints(path: str, module: ast.Module) -> Iterator[str]:
    if path.startswith("edge/cli/"):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and "print" in names_in(node.func):
            yield f"{path}:{node.lineno}: prints"


def network(path: str, module: ast.Module) -> Iterator[str]:
    if path in NETWORK_ROOMS | SOCKET_CLIENT:
        return
    for node in ast.walk(module):
        if isinstance(node, ast.expr) and not IP.isdisjoint(names_in(node)):
            yield f"{path}:{node.lineno}: opens a connection"
    for imported in imports(path, module):
        if imported.top in NETWORK_MODULES:
            yield str(imported)


def wall_clock(path: str, module: ast.Module) -> Iterator[str]:
    if path == "edge/clock.py":
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asks = node.func.attr in ("utcnow", "today") or (
                node.func.attr == "now" and isinstance(node.func.value, ast.Name) and node.func.value.id == "datetime"
            )
            if asks:
                yield f"{path}:{node.lineno}: asks the machine for the time"


Check = Callable[[str, ast.Module], Iterator[str]]
CHECKS: list[Check] = [broad_catches, prints, network, wall_clock]


@pytest.mark.parametrize("check", CHECKS)
def test_only_some_may(check: Check) -> None:
    assert [breach for path in MODULES for breach in check(path, tree(path))] == []


# --- the checks themselves can fail ---


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("edge/memory/x.py", "import logging"),
        ("edge/memory/x.py", "def f():\n    from edge.engine import ports"),
        ("edge/memory/x.py", "import onnxruntime"),
        ("edge/prompt/x.py", "from edge.memory.lifecycle import key_of"),
        ("edge/engine/x.py", "from edge.store import reads"),
        ("edge/engine/x.py", "import sqlite3"),
        ("edge/store/x.py", "from edge.engine.recall import Recall"),
        ("edge/store/x.py", "from edge.index.hnsw import HnswIndex"),
        ("edge/models/x.py", "import edge.daemon.main"),
        ("edge/daemon/x.py", "def f():\n    from edge.store.sqlite import open_store"),
        ("edge/cli/x.py", "import numpy.typing"),
        ("edge/client/x.py", "import click"),
        ("edge/client/x.py", "from edge.cli import options"),
        ("edge/client/x.py", "def f():\n    import edge.settings"),
        ("edge/cli/x.py", "def f():\n    import edge.models.minilm"),
    ],
)
def test_a_breach_is_found(path: str, code: str) -> None:
    room = room_of(path)
    assert room is not None
    found = breaches(path, ast.parse(code), room)
    assert len(found) == 1
    assert found[0].startswith(f"{path}:{code.count(chr(10)) + 1}: ")


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (broad_catches, "def f():\n    try:\n        g()\n    except (ValueError, Exception):\n        pass"),
        (broad_catches, "def f():\n    try:\n        g()\n    except:\n        pass"),
        (
            broad_catches,
            "def f():\n    try:\n        g()\n    except Exception as e:\n        raise E from e",
        ),
        (prints, "print(1)"),
        (network, "import socket\nsocket.socket(socket.AF_INET)"),
        (network, "def f():\n    from urllib import request"),
        (wall_clock, "from datetime import datetime\ndatetime.now()"),
    ],
)
def test_a_misuse_is_found(check: Check, code: str) -> None:
    assert len(list(check("edge/engine/x.py", ast.parse(code)))) == 1
