"""The settings by their dotted names: what each takes, and how a message names a value."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from edge.settings import SECTIONS, Rule

_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: where it is declared, and its type, default and rule."""

    section: str
    name: str
    type: type
    default: Any
    rule: Rule

    @property
    def dotted(self) -> str:
        """As it is named everywhere: `model.context`."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it: `EDGE_MODEL_CONTEXT`."""
        return f"EDGE_{self.section}_{self.name}".upper()

    @property
    def allowed(self) -> str:
        """What may be set, in words."""
        if self.rule.choices:
            return "one of " + ", ".join(self.rule.choices)
        kind = _TYPE_NAMES[self.type]
        if self.rule.low is None or self.rule.high is None:
            return kind
        return f"{kind} from {self.rule.low:.15g} to {self.rule.high:.15g}"


def all_keys() -> dict[str, Key]:
    """Every setting by its dotted name, in the order of declaration."""
    types = {"bool": bool, "int": int, "float": float, "str": str}
    keys = (
        Key(section, field.name, types[str(field.type)], field.default, field.metadata["rule"])
        for section, declared in SECTIONS.items()
        for field in fields(declared)
    )
    return {key.dotted: key for key in keys}


def in_range(key: Key, value: Any) -> bool:
    """Whether a value of the right type is one that the setting takes."""
    rule = key.rule
    if rule.choices:
        return value in rule.choices
    if key.type is str:
        return "\0" not in value
    if rule.low is None or rule.high is None:
        return True
    return bool(rule.low <= value <= rule.high)


def described(value: Any) -> str:
    """A value as a message about it names it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value}"'
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return str(value)
