"""`edge ask`: one turn."""

from __future__ import annotations

import click

from edge.cli.options import Options, pass_options, talking


@click.command(short_help="Say something and print the reply.")
@click.argument("text", nargs=-1)
@click.option(
    "--reply-tokens", type=click.IntRange(min=1), metavar="N", help="Longest reply, in place of model.reply_tokens."
)
@click.option("--explain", is_flag=True, help="Also what it was taken for, what the prompt cost, and what gave way.")
@talking
@pass_options
def ask(options: Options, text: tuple[str, ...], reply_tokens: int | None, explain: bool) -> None:
    """Say something and print the reply as it comes.

    TEXT may be several words; without it, or with `-`, it is read from standard input. Ctrl-C stops the reply.

    \b
    edge ask What is my order number?
    edge ask --session work "我的订单号是多少？"
    edge ask --explain "Tell me about the trip."
    git log -3 | edge ask -
    edge ask --json "What is my name?" | jq .usage
    """
    from edge.cli.reply import converse
    from edge.cli.words import words_from

    message = words_from(text, "TEXT")
    converse(
        options.client(), options.session, message, as_json=options.as_json, reply_tokens=reply_tokens, explain=explain
    )
