"""`edge recall`: what a turn would be given."""

from __future__ import annotations

import click

from edge.cli.moments import moment
from edge.cli.options import Options, pass_options, talking
from edge.cli.units import KINDS


@click.command(short_help="Show which memories a question finds.")
@click.argument("query", nargs=-1)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Most memories, in place of recall.limit.")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only this kind; may be repeated.")
@click.option(
    "--as-of", type=moment, metavar="TIME", help="As things stood then; a day, such as 2026-03-01, means its end."
)
@click.option("--explain", is_flag=True, help="Also what each score is made of, and what was dropped and why.")
@talking
@pass_options
def recall(
    options: Options,
    query: tuple[str, ...],
    limit: int | None,
    kinds: tuple[str, ...],
    as_of: str | None,
    explain: bool,
) -> None:
    """Show which memories a question finds, best first: id, score, stage, date, kind, content.

    \b
    edge recall what is my order number
    edge recall --explain 座位
    edge recall --kind user_profile --json "where do I live" | jq '.recalled[0]'
    """
    from edge.cli.terminal import print_json
    from edge.cli.units import print_recalled
    from edge.cli.words import words_from

    answer = options.client().recall(
        words_from(query, "QUERY"),
        options.session,
        limit=limit,
        kinds=list(kinds) or None,
        as_of=as_of,
        explain=explain or None,
    )
    if options.as_json:
        print_json(answer)
    else:
        print_recalled(answer, explain=explain)
