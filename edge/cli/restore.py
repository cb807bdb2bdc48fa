"""`edge restore`: put a backup in the place of the memory, while no daemon runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from edge.cli.options import Options, json_option, pass_options

if TYPE_CHECKING:
    from edge.daemon.restoring import Restored
    from edge.settings import Settings


@click.command(short_help="Put a backup in the place of the memory.")
@click.argument("backup", required=False, metavar="[BACKUP]")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
@pass_options
def restore(options: Options, backup: str | None, yes: bool) -> None:
    """Put a backup in the place of the memory: everybody's goes back to when it was made.

    BACKUP is a name from the folder backups of the state folder, or a path; without it, those that there are are
    listed. The daemon must be stopped: all that it keeps ready is of the memory that is replaced. The backup is
    checked first. What was there before is kept: as a backup of its own, or, where it is damaged, in a folder of its
    own beside it. Indexes are built anew. For who may write to the state folder, which EDGE_STATE_DIR names.

    \b
    edge restore
    edge restore memory-000012-20260503T031500Z.db
    sudo EDGE_STATE_DIR=/var/lib/edge edge restore /media/card/memory.db
    """
    from edge.config import load_settings

    settings = load_settings(dict(os.environ), Path.home(), os.getuid())
    if backup is None:
        _list(options, settings)
        return
    _restore(options, settings, backup, asks=not yes)


def _list(options: Options, settings: Settings) -> None:
    from edge.cli.terminal import print_err, print_json, print_out, size
    from edge.clock import SystemClock
    from edge.daemon.restoring import backups_in

    found = [(path.name, path.stat().st_size) for path in backups_in(settings, SystemClock())]
    if options.as_json:
        print_json({"backups": [{"name": name, "bytes": count} for name, count in found]})
        return
    if not found:
        print_err(f"There is no backup in {settings.places.state / 'backups'}.")
    for name, count in found:
        print_out(f"{name}  {size(count)}")


def _restore(options: Options, settings: Settings, backup: str, *, asks: bool) -> None:
    from edge.cli.terminal import print_err, print_json
    from edge.clock import SystemClock
    from edge.daemon.restoring import make_restorer

    inside = settings.places.state / "backups" / backup
    path = inside if os.sep not in backup and inside.exists() else Path(backup)
    if asks:
        _ask(path, settings.places.state)
    restored = make_restorer(settings, SystemClock()).restore(
        path, lambda step: None if options.as_json else print_err(f"{step} ...")
    )
    if options.as_json:
        kept = None if restored.kept is None else str(restored.kept)
        counts = {"memories": restored.units, "turns": restored.turns, "forgettings": restored.forgettings}
        print_json({"kept": kept, **counts})
        return
    _tell(restored)


def _ask(path: Path, state: Path) -> None:
    """Raises UsageError where nobody can answer, Abort where the answer is no."""
    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here: add --yes to restore without a question.")
    if not click.confirm(f"Put {path} in the place of the memory in {state}?", err=True):
        raise click.Abort


def _tell(restored: Restored) -> None:
    from edge.cli.terminal import print_err, print_out

    print_out(f"Restored: {restored.units:,} memories, {restored.turns:,} turns. The daemon may be started.")
    if restored.kept is not None:
        print_err(f"What was there before is kept in {restored.kept}.")
    if restored.forgettings:
        print_err("Something was forgotten since this backup was made; it is there again. Forget it anew.")
