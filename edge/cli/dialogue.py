"""The chat on a terminal: a prompt, replies as they come, and a few commands."""

from __future__ import annotations

import sys

import click

from edge.cli.forget import carry_out, preview_lines, told, unit_number
from edge.cli.history import load_history, remember_line
from edge.cli.options import Options
from edge.cli.reply import converse
from edge.cli.report import report
from edge.cli.terminal import has_colours, is_terminal, on_one_line, print_err, print_out, styled
from edge.cli.units import print_units
from edge.errors import BodyInvalid, EdgeError
from edge.wire import MAX_SESSION_CHARS, StatusWire

PROMPT = "> "
HELP = """\
/memories        the newest memories
/forget ID       remove a memory for good
/session NAME    talk in another session; alone: which one this is
/quit            leave (Ctrl-D does too)
//text           say /text
Ctrl-C           stop a reply, or clear the line; twice: leave"""


class Dialogue:
    """One chat on a terminal."""

    def __init__(self, options: Options, *, keep_history: bool) -> None:
        self._client = options.client()
        self._session = options.session
        self._as_json = options.as_json
        self._keep_history = keep_history
        self._interrupted = False
        self._commands = {
            "/help": self._help,
            "/memories": self._memories,
            "/forget": self._forget,
            "/session": self._change_session,
        }

    def run(self) -> int:
        """Talk until the person leaves. Raises what keeps it from beginning, such as DaemonNotRunning."""
        self._greet(self._client.status())
        self._prepare_editing()
        while (line := self._read()) is not None:
            try:
                self._answer(line)
            except KeyboardInterrupt:
                print_err(styled("\n(stopped)", sys.stderr, dim=True))
            except EdgeError as error:
                report(error, as_json=self._as_json)
        return 0

    def _greet(self, status: StatusWire) -> None:
        model = status["model"]
        text = f"edge {status['version']}, {model['id']}, session {self._session}. /help lists the commands."
        print_err(styled(on_one_line(text), sys.stderr, dim=True))
        if model["error"] is not None:
            print_err(on_one_line(f"{model['error'].get('message', '')} {model['error'].get('hint', '')}"))

    def _prepare_editing(self) -> None:
        """Line editing, and earlier lines on the arrow keys, where Python has readline."""
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
        try:
            import readline  # noqa: F401
        except ImportError:
            self._keep_history = False
            return
        if self._keep_history:
            load_history()

    def _read(self) -> str | None:
        """The next line, or None when the person leaves: with Ctrl-D, /quit, or Ctrl-C twice."""
        try:
            line = input(self._prompt()).strip()
        except EOFError:
            print_err("")
            return None
        except KeyboardInterrupt:
            print_err("")
            if self._interrupted:
                return None
            self._interrupted = True
            print_err(styled("(Ctrl-C again or Ctrl-D leaves)", sys.stderr, dim=True))
            return ""
        self._interrupted = False
        return None if line == "/quit" else line

    def _prompt(self) -> str:
        """The prompt; where standard output goes to a file it is written on standard error instead."""
        if not is_terminal(sys.stdout):
            print_err(PROMPT, end="")
            return ""
        # \1 and \2 tell readline that what is between them takes no room.
        return f"\x01\x1b[1m\x02{PROMPT}\x01\x1b[0m\x02" if has_colours(sys.stdout) else PROMPT

    def _answer(self, line: str) -> None:
        if not line:
            return
        if any("\ud800" <= char <= "\udfff" for char in line):
            raise BodyInvalid("This line is not UTF-8.", hint="Set the terminal to UTF-8.")
        if self._keep_history:
            remember_line(line)
        if line.startswith("/") and not line.startswith("//"):
            self._command(line)
            return
        converse(self._client, self._session, line.removeprefix("/"), as_json=self._as_json)

    def _command(self, line: str) -> None:
        name, _, argument = line.partition(" ")
        command = self._commands.get(name)
        if command is None:
            print_err(f"There is no command {name}. /help lists them; begin with // to say it.")
            return
        command(argument.strip())

    def _help(self, _: str) -> None:
        print_out(HELP)

    def _memories(self, _: str) -> None:
        if not print_units(self._client.memories()["memories"]):
            print_err("Nothing is remembered yet.")

    def _change_session(self, name: str) -> None:
        if len(name) > MAX_SESSION_CHARS:
            print_err(f"A session's name has at most {MAX_SESSION_CHARS} characters.")
            return
        self._session = name or self._session
        print_err(f"This is session {self._session}.")

    def _forget(self, argument: str) -> None:
        try:
            number = unit_number(argument)
        except click.BadParameter:
            print_err("Say which: /forget 41. /memories lists them.")
            return
        wanted = {"ids": [number]}
        preview = self._client.forget_preview(**wanted)
        for line in preview_lines(preview):
            print_out(line)
        if input("Forget this for good? [y/N] ").strip().lower() in ("y", "yes"):
            print_out(told(carry_out(self._client, wanted, preview, preview["token"])))
