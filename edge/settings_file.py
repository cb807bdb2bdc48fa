"""A settings file: reading it, checking each value, and naming the line of a mistake."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edge.errors import SettingsInvalid
from edge.settings import SECTIONS
from edge.settings_keys import Key, described, in_range

MAX_FILE_BYTES = 1024 * 1024
_SYNTAX_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file: its path and text, and its tables as TOML gives them."""

    path: Path
    text: str
    tables: dict[str, Any]

    @classmethod
    def read(cls, path: Path, *, required: bool) -> SettingsFile:
        """Read and parse a file; one that is not there is empty unless it is required."""
        try:
            with path.open("rb") as opened:
                data = opened.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            if required:
                raise SettingsInvalid(
                    f"{path}: there is no such file, and EDGE_CONFIG names it",
                    hint=f"Make it with `edge settings --example > {path}`, or unset EDGE_CONFIG.",
                    file=str(path),
                ) from None
            return cls(path, "", {})
        except OSError as error:
            raise SettingsInvalid(f"{path}: it cannot be read: {error.strerror}", file=str(path)) from None
        if len(data) > MAX_FILE_BYTES:
            raise SettingsInvalid(f"{path}: a settings file has at most {MAX_FILE_BYTES} bytes", file=str(path))
        return cls._parse(path, data)

    @classmethod
    def _parse(cls, path: Path, data: bytes) -> SettingsFile:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise SettingsInvalid(f"{path}:{line}: it is not UTF-8", file=str(path), line=line) from None
        try:
            return cls(path, text, tomllib.loads(text))
        except (ValueError, RecursionError) as error:
            raise cls._bad_syntax(path, text, error) from None

    @classmethod
    def _bad_syntax(cls, path: Path, text: str, error: Exception) -> SettingsInvalid:
        found = _SYNTAX_PLACE.search(str(error))
        line = int(found[1]) if found and found[1] else text.rstrip("\n").count("\n") + 1
        what = _SYNTAX_PLACE.sub("", str(error))
        return SettingsInvalid(f"{path}:{line}: this is not TOML: {what}", file=str(path), line=line)

    def values(self, keys: Mapping[str, Key]) -> dict[str, Any]:
        """The values by dotted name, each checked."""
        values = {}
        for section, table in self.tables.items():
            if section not in SECTIONS:
                raise self.mistake((section,), self._unknown_section(section, keys))
            if not isinstance(table, dict):
                raise self.mistake((section,), f"{section} is a section; write [{section}] and its settings under it")
            for name, value in table.items():
                dotted = f"{section}.{name}"
                if dotted not in keys:
                    raise self.mistake((section, name), f"there is no setting {dotted}" + suggest(dotted, keys))
                values[dotted] = self._checked(keys[dotted], value)
        return values

    def _unknown_section(self, section: str, keys: Mapping[str, Key]) -> str:
        """Says what is unknown; a setting that stands outside its section is named with the section it belongs to."""
        if isinstance(self.tables[section], dict):
            return f"there is no section [{section}]" + suggest(section, SECTIONS)
        belongs = [key.dotted for key in keys.values() if key.name == section]
        if belongs:
            return f"{section} stands in no section; it is {' or '.join(belongs)}"
        return f"there is no setting {section}" + suggest(section, [*SECTIONS, *(key.name for key in keys.values())])

    def _checked(self, key: Key, value: Any) -> Any:
        if key.type is float and type(value) is int:
            value = float(value)
        if type(value) is not key.type or not in_range(key, value):
            raise self.mistake(
                (key.section, key.name), f"{key.dotted} must be {key.allowed}, not {described(value)}", key
            )
        return value

    def mistake(self, path: tuple[str, ...], what: str, key: Key | None = None) -> SettingsInvalid:
        """The error for what stands at a path of the file, with its line."""
        line = self.line_of(path)
        details: dict[str, Any] = {"file": str(self.path), "line": line, "key": ".".join(path)}
        if key is not None:
            details["allowed"] = key.allowed
        return SettingsInvalid(f"{self.path}:{line}: {what}", **details)

    def line_of(self, path: tuple[str, ...]) -> int:
        """The line on which a key is set.

        The shortest run of lines that parses and has the key ends where its value ends; the key begins on the line
        after the longest run before that parses without it. So the parser itself decides what is a key.
        """
        begin = 0
        lines = self.text.split("\n")
        for end in range(1, len(lines) + 1):
            try:
                tables = tomllib.loads("\n".join(lines[:end]) + "\n")
            except (ValueError, RecursionError):
                continue
            if _has(tables, path):
                return begin + 1
            begin = end
        return begin + 1


def _has(tables: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(tables, dict) or name not in tables:
            return False
        tables = tables[name]
    return True


def suggest(wrong: str, known: Iterable[str]) -> str:
    """Ends a message with the known name that is nearest to a wrong one, if one is near."""
    near = difflib.get_close_matches(wrong, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
