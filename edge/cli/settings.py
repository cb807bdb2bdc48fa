"""`edge settings`: what can be set, and what is."""

from __future__ import annotations

import os
from pathlib import Path

import click

from edge.cli.options import Options, json_option, pass_options


@click.command(short_help="Show what can be set, and what is.")
@click.option("--example", is_flag=True, help="Print a settings file with every setting, its meaning and its range.")
@json_option
@pass_options
def settings(options: Options, example: bool) -> None:
    """Show the settings that a daemon started from here would have, and where each comes from.

    The file and the environment are checked as the daemon checks them. What a running daemon has is in `edge status`.

    \b
    edge settings
    edge settings --example > ~/.config/edge/edge.toml
    EDGE_MODEL_CONTEXT=2048 edge settings --json | jq '.settings["model.context"]'
    """
    from edge.cli.terminal import print_json, print_out, table
    from edge.config import load_settings
    from edge.settings_keys import all_keys

    if example:
        print_out(example_file(), end="")
        return
    found = load_settings(os.environ, Path.home(), os.getuid())
    values = {
        name: {"value": getattr(getattr(found, key.section), key.name), "origin": found.origins[name]}
        for name, key in all_keys().items()
    }
    places: dict[str, str | list[str]] = {
        "state": str(found.places.state),
        "socket": str(found.places.socket),
        "config": str(found.places.config),
        "models": [str(folder) for folder in found.places.models],
    }
    if options.as_json:
        print_json({"places": places, "settings": values})
        return
    rows = [(name, "place", where if isinstance(where, str) else ":".join(where)) for name, where in places.items()]
    rows += [(name, each["origin"], toml_value(each["value"])) for name, each in values.items()]
    for line in table(rows):
        print_out(line)


def example_file() -> str:
    """A settings file in which every setting stands with its default, its meaning and what is allowed."""
    from edge.settings import SECTIONS
    from edge.settings_keys import all_keys

    lines = ["# Settings of edge. All of them stand here with their defaults: remove the # before one to change it.\n"]
    for section, declared in SECTIONS.items():
        lines.append(f"\n# {declared.__doc__}\n[{section}]\n")
        for key in all_keys().values():
            if key.section == section:
                lines.append(f"\n# {key.rule.doc}\n# {key.allowed}; {key.variable}\n")
                lines.append(f"#{key.name} = {toml_value(key.default)}\n")
    return "".join(lines)


def toml_value(value: object) -> str:
    """A setting's value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    return str(value)
