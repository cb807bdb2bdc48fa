"""`edge remember`: tell it something without a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from edge.cli.options import Options, pass_options, talking
from edge.cli.units import KINDS

if TYPE_CHECKING:
    from edge.wire import RememberAnswer

GIVEN_KINDS = tuple(kind for kind in KINDS if kind != "episode")
"""An episode is what was said in a turn; it cannot be given."""


@click.command(short_help="Remember a statement and the facts in it.")
@click.argument("text", nargs=-1)
@click.option("--kind", type=click.Choice(GIVEN_KINDS), help="Keep the text as this kind, as given.")
@click.option("--expires-in", type=float, metavar="SECONDS", help="With --kind: it holds for that many seconds.")
@click.option("--keep-secrets", is_flag=True, help="Keep passwords, keys and card numbers that are in it, too.")
@talking
@pass_options
def remember(
    options: Options, text: tuple[str, ...], kind: str | None, expires_in: float | None, keep_secrets: bool
) -> None:
    """Remember a statement; facts in it become memories of their own.

    TEXT may be several words; without it, or with `-`, it is read from standard input. Secrets in it are not kept,
    unless it asks for that ("remember that my wifi password is ...") or --keep-secrets does.

    \b
    edge remember I prefer a window seat
    edge remember 我的订单号是 A1234567
    edge remember --kind fact_reference --expires-in 86400 "The door code is 4711"
    """
    from edge.cli.terminal import print_json
    from edge.cli.words import words_from

    if expires_in is not None and kind is None:
        raise click.UsageError("--expires-in goes with --kind.")
    content = words_from(text, "TEXT")
    answer = options.client().remember(
        content, options.session, kind=kind, expires_in=expires_in, keep_secrets=keep_secrets or None
    )
    if options.as_json:
        print_json(answer)
    else:
        _print_answer(answer)


def _print_answer(answer: RememberAnswer) -> None:
    from edge.cli.terminal import print_err, print_out
    from edge.cli.units import not_kept, print_units

    print_units(answer["memories"])
    for what, ids in (("known already", answer["confirmed"]), ("superseded", answer["superseded"])):
        if ids:
            print_out(f"{what}: " + ", ".join(f"#{unit}" for unit in ids))
    if answer["redacted"]:
        print_err(f"{not_kept(answer['redacted'])}; --keep-secrets keeps what you want to be kept")
