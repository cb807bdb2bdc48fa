"""Reads the settings: the file, then the environment over it, each value checked and its origin kept.

Nothing is applied unless all of it is right: any mistake raises SettingsInvalid and names its file and line, or its
variable, and what is allowed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from edge import places
from edge.errors import SettingsInvalid
from edge.settings import SECTIONS, Places, Settings
from edge.settings_file import SettingsFile, suggest
from edge.settings_keys import Key, all_keys, described, in_range

OTHER_VARIABLES = ("EDGE_SESSION", "EDGE_CACHE_DIR")
"""Variables that are no settings: the command line's session, and where the scripts keep what they fetch."""
_LOOKALIKE = 0.86
_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def load_settings(environ: Mapping[str, str], home: Path, uid: int) -> Settings:
    """All settings in force for this environment. Raises SettingsInvalid, SocketPathInvalid."""
    place = Places(
        state=places.state_dir(environ, home),
        socket=places.daemon_socket(environ, home, uid),
        config=places.config_path(environ, home),
        models=places.model_dirs(environ, home),
    )
    keys = all_keys()
    file = SettingsFile.read(place.config, required=_must_exist(environ, place.config))
    from_file = file.values(keys)
    from_environment = _environment_values(environ, keys)
    values = {name: key.default for name, key in keys.items()} | from_file | from_environment
    origins = dict.fromkeys(keys, "default") | dict.fromkeys(from_file, "file")
    origins |= dict.fromkeys(from_environment, "environment")
    _check_together(values, origins, keys, file)
    return _build(place, values, origins)


def _must_exist(environ: Mapping[str, str], path: Path) -> bool:
    """A file that a person names must be there; the service's unit names one that an administrator may write."""
    return bool(environ.get("EDGE_CONFIG")) and path != places.SERVICE_CONFIG


def _build(place: Places, values: Mapping[str, Any], origins: dict[str, str]) -> Settings:
    sections = {
        section: declared(**{field.name: values[f"{section}.{field.name}"] for field in fields(declared)})
        for section, declared in SECTIONS.items()
    }
    return Settings(places=place, origins=origins, **sections)


def _environment_values(environ: Mapping[str, str], keys: Mapping[str, Key]) -> dict[str, Any]:
    by_variable = {key.variable: key for key in keys.values()}
    values = {}
    for variable, text in environ.items():
        key = by_variable.get(variable)
        if key is not None:
            values[key.dotted] = _from_text(key, text)
        elif variable.startswith("EDGE_"):
            _refuse_misspelt(variable, by_variable)
    return values


def _from_text(key: Key, text: str) -> Any:
    value = _parsed(key.type, text)
    if value is None or not in_range(key, value):
        raise SettingsInvalid(
            f'{key.variable}: {key.dotted} must be {key.allowed}, not "{text}"',
            hint=f"Correct or unset {key.variable}; edge/SETTINGS.md documents every setting.",
            variable=key.variable,
            key=key.dotted,
            allowed=key.allowed,
        )
    return value


def _parsed(kind: type, text: str) -> str | int | float | bool | None:
    """The value a text stands for, or None where it stands for none of that type."""
    if kind is str:
        return text if not any("\ud800" <= char <= "\udfff" for char in text) else None
    text = text.strip().lower()
    if kind is bool:
        return _TRUTHS.get(text)
    if kind is int:
        return int(text) if _WHOLE.fullmatch(text) else None
    try:
        return float(text)
    except ValueError:
        return None


def _refuse_misspelt(variable: str, by_variable: Mapping[str, Key]) -> None:
    """Refuse a variable that is one of ours but for its spelling; other programs' EDGE_* are none of our business."""
    ours = [*by_variable, *places.PLACE_VARIABLES, *OTHER_VARIABLES]
    if variable in ours:
        return
    in_section = any(variable.startswith(f"EDGE_{section}_".upper()) for section in SECTIONS)
    if in_section or difflib.get_close_matches(variable, ours, 1, _LOOKALIKE):
        raise SettingsInvalid(
            f"{variable}: there is no such variable" + suggest(variable, ours),
            hint=f"Correct or unset {variable}; edge/SETTINGS.md documents every setting.",
            variable=variable,
        )


def _check_together(
    values: Mapping[str, Any], origins: Mapping[str, str], keys: Mapping[str, Key], file: SettingsFile
) -> None:
    """Refuse values that are right alone and wrong together."""
    context = values["model.context"]
    rules = (
        ("prompt.low_mark", "prompt.high_mark", values["prompt.low_mark"] < values["prompt.high_mark"], "be under"),
        ("model.reply_tokens", "model.context", values["model.reply_tokens"] <= context // 2, "be at most half of"),
        (
            "prompt.anchor_tokens",
            "model.context",
            values["prompt.anchor_tokens"] <= context * values["prompt.low_mark"],
            "be at most the share prompt.low_mark of",
        ),
    )
    for first, second, right, relation in rules:
        if not right:
            what = f"{first} ({described(values[first])}) must {relation} {second} ({described(values[second])})"
            raise _clash(first, second, what, origins, keys, file)
    if values["model.kv_type"] != "f16" and not values["model.flash_attention"]:
        what = 'model.kv_type "q8_0" needs model.flash_attention to be true'
        raise _clash("model.kv_type", "model.flash_attention", what, origins, keys, file)


def _clash(
    first: str, second: str, what: str, origins: Mapping[str, str], keys: Mapping[str, Key], file: SettingsFile
) -> SettingsInvalid:
    """The error for two settings that do not go together, at the place where one of them was set."""
    name = next((name for name in (first, second) if origins[name] == "environment"), None)
    if name is not None:
        variable = keys[name].variable
        hint = f"Correct or unset {variable}; edge/SETTINGS.md documents every setting."
        return SettingsInvalid(f"{variable}: {what}", hint=hint, variable=variable, key=name)
    name = first if origins[first] == "file" else second
    return file.mistake((keys[name].section, keys[name].name), what)
