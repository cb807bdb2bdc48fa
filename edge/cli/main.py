"""The `edge` command. Each subcommand's module is loaded when it is needed, so that all of them start fast."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Any, NoReturn

import click

from edge import __version__
from edge.cli.options import Options, json_option, session_option, socket_option
from edge.cli.report import report
from edge.cli.terminal import use_utf8
from edge.errors import EdgeError, RequestInvalid

COMMANDS = {
    "chat": "edge.cli.chat",
    "ask": "edge.cli.ask",
    "remember": "edge.cli.remember",
    "recall": "edge.cli.recall",
    "memories": "edge.cli.memories",
    "forget": "edge.cli.forget",
    "sessions": "edge.cli.sessions",
    "batches": "edge.cli.batches",
    "clusters": "edge.cli.clusters",
    "consolidate": "edge.cli.consolidate",
    "backup": "edge.cli.backup",
    "restore": "edge.cli.restore",
    "export": "edge.cli.export",
    "import": "edge.cli.importing",
    "status": "edge.cli.status",
    "health": "edge.cli.health",
    "index": "edge.cli.index",
    "models": "edge.cli.models",
    "settings": "edge.cli.settings",
    "daemon": "edge.cli.daemon",
}
"""Each command and the module that holds it under its own name, in the order of the help."""
INTERRUPTED = 130
BROKEN_PIPE = 141
"""Exit statuses as a shell reports SIGINT and SIGPIPE."""


class EdgeCommands(click.Group):
    """Loads a subcommand's module on demand, and turns every error into words and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name])
        command = getattr(module, f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, and with the nearest name where there is no such command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from edge.settings_file import suggest

            ctx.fail(f"There is no command {args[0]!r}{suggest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
            ctx.exit(BROKEN_PIPE)
        return result

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run the command line and exit with its status."""
        use_utf8()
        extra.pop("standalone_mode", None)
        options = Options()
        try:
            result = super().main(args, prog_name or "edge", standalone_mode=False, obj=options, **extra)
            status = result if isinstance(result, int) else 0
        except click.ClickException as error:
            _show_usage(error, as_json=options.as_json or "--json" in (sys.argv[1:] if args is None else args))
            status = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            status = INTERRUPTED
        except EdgeError as error:
            report(error, as_json=options.as_json)
            status = error.exit_status
        except OSError as error:
            _discard_output()
            report(EdgeError(_in_words(error), hint=""), as_json=options.as_json)
            status = EdgeError.exit_status
        sys.exit(status)


def _show_usage(error: click.ClickException, *, as_json: bool) -> None:
    """A wrong command line in click's words, or as JSON where that is asked for anywhere in it."""
    if not as_json:
        error.show()
        return
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "edge"
    report(RequestInvalid(error.format_message(), hint=f"`{command} --help` lists what it takes."), as_json=True)


def _in_words(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else f"Reading or writing failed: {reason}"


def _discard_output() -> None:
    """What is still buffered cannot be written; without this Python would complain about it while it exits."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


@click.group(cls=EdgeCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="edge", message="%(prog)s %(version)s")
@socket_option
@session_option
@json_option
def cli() -> None:
    """An offline assistant that remembers.

    \b
    edge daemon                      start the assistant, in a terminal of its own
    edge chat                        talk with it
    edge ask "What is my name?"      one question, one answer
    edge memories                    what it remembers
    edge forget 41                   remove a memory for good

    The exit status is 0, or tells what kind of error it was: edge/ERRORS.md lists them.
    """


def main() -> NoReturn:
    """Entry point of the `edge` script."""
    cli.main()


if __name__ == "__main__":
    main()
