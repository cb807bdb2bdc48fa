"""The command line of `scripts/bench`."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import NoReturn

import click

from scripts.benchmarks.report import finish, json_option

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, writable=True, path_type=Path)
_AT_LEAST_ONE = click.IntRange(min=1)
_model = click.option("--model", metavar="ID", help="Model of the manifest; else the one that the daemon would take.")
_turns = click.option("--turns", "count", default=20, show_default=True, type=_AT_LEAST_ONE, help="Turns to play.")
_rounds = click.option("--rounds", default=3, show_default=True, type=_AT_LEAST_ONE, help="How often to measure.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def bench() -> None:
    """Measure edge on this machine. BENCHMARKS.md says what the figures mean."""
    signal.signal(signal.SIGTERM, _end)


@bench.command()
@_model
@_turns
@_rounds
@click.option("--sessions", type=_AT_LEAST_ONE, metavar="N", help="Play it in N sessions that take turns, once.")
@click.option("--restart", is_flag=True, help="With --sessions: then one more turn in each after a restart.")
@json_option
def turns(
    model: str | None, count: int, rounds: int, sessions: int | None, restart: bool, json_file: Path | None
) -> None:
    """Play a script on a daemon; compare the first token with the bare library's."""
    from scripts.benchmarks.sessions import measure_sessions
    from scripts.benchmarks.turns import measure_turns

    if sessions is not None:
        finish(measure_sessions(model, sessions, count, restart=restart), json_file)
        return
    finish(measure_turns(model, count, rounds), json_file)


@bench.command()
@_model
@click.option("--units", default=10_000, show_default=True, type=_AT_LEAST_ONE, help="Made-up units to fill in.")
@click.option("--turns", "count", default=200, show_default=True, type=_AT_LEAST_ONE, help="Turns to play.")
@click.option(
    "--target", "targets", default=(2.0, 1.0), show_default=True, multiple=True, type=click.FloatRange(0.1, 3600),
    help="Seconds in which a reply is to begin; may be given several times.",
)  # fmt: skip
@json_option
def pace(model: str | None, units: int, count: int, targets: tuple[float, ...], json_file: Path | None) -> None:
    """Play turns in a large memory; tell how many begin their reply in the wanted time."""
    from scripts.benchmarks.pace import measure_pace

    finish(measure_pace(model, units, count, targets), json_file)


@bench.command()
@_model
@click.option(
    "--table", "tables", multiple=True, type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML table of talks; may be given several times. Else those of the tests, English and Chinese.",
)  # fmt: skip
@click.option("--most", type=_AT_LEAST_ONE, metavar="N", help="At most N cases of each table.")
@json_option
def slots(model: str | None, tables: tuple[Path, ...], most: int | None, json_file: Path | None) -> None:
    """Tell, correct, confirm and ask for slots over the socket; tell how many replies are right, and how fast."""
    from scripts.benchmarks.slots import measure_slots, read_cases

    chosen = tables or tuple(Path(f"tests/memory/cases/talks_{language}.toml") for language in ("en", "zh"))
    finish(measure_slots(model, [case for table in chosen for case in read_cases([table])[:most]]), json_file)


@bench.command()
@click.option("--data", default="tests/data/intents", show_default=True, type=_FOLDER, help="Folder of labelled lists.")
@click.option("--ask", is_flag=True, help="Let the model choose where the rules are not sure, and compare that.")
@click.option("--under", default=0.6, show_default=True, type=float, help="With --ask: sure from this confidence on.")
@_model
@json_option
def intents(data: Path, ask: bool, under: float, model: str | None, json_file: Path | None) -> None:
    """Tell what messages are for, by rules alone; compare with what persons say."""
    from edge.daemon.parts import read_rules
    from scripts.benchmarks.intents import measure_intents, read_lists

    if ask:
        from scripts.benchmarks.answers import real_models
        from scripts.benchmarks.intents_asked import measure_asked

        with real_models(model) as models:
            finish(measure_asked(read_rules(), read_lists(data), models.language, under), json_file)
        return
    finish(measure_intents(read_rules(), read_lists(data)), json_file)


@bench.command()
@_model
@click.option("--trials", default=20, show_default=True, type=_AT_LEAST_ONE, help="Trials of each step.")
@click.option("--step", "names", multiple=True, help="A step; may be given several times. Else all that there are.")
@json_option
def offpeak(model: str | None, trials: int, names: tuple[str, ...], json_file: Path | None) -> None:
    """Let turns arrive in the middle of off-peak work; compare the first token with an idle daemon's."""
    from edge.memory.nights import StepName
    from scripts.benchmarks.offpeak import measure_offpeak

    unknown = set(names) - {step.value for step in StepName}
    if unknown:
        raise click.UsageError(f"There is no step {min(unknown)}.")
    steps = [step for step in StepName if not names or step.value in names]
    finish(measure_offpeak(model, trials, steps), json_file)


@bench.command()
@click.option("--data", "folders", required=True, multiple=True, type=_FOLDER, help="A LoCoMo or MemoryBank folder.")
@click.option("--k", "depths", default="5,10,20,30", show_default=True, metavar="K,...", help="Depths of recall.")
@click.option(
    "--cut", type=_AT_LEAST_ONE, metavar="N", help="Ask small memories: the conversations in parts of N turns."
)
@json_option
def recall(folders: tuple[Path, ...], depths: str, cut: int | None, json_file: Path | None) -> None:
    """Ask conversations whose evidence is known, beside BM25, vectors and recency alone."""
    from scripts.benchmarks.conversations import read_folder
    from scripts.benchmarks.memory import real_embedder
    from scripts.benchmarks.recall import measure_recall, measure_small

    conversations = [conversation for folder in folders for conversation in read_folder(folder)]
    if cut is None:
        report = measure_recall(conversations, _numbers(depths, "--k"), real_embedder())
    else:
        report = measure_small(conversations, cut, _numbers(depths, "--k"), real_embedder())
    finish(report, json_file)


@bench.command()
@click.option("--data", "folders", required=True, multiple=True, type=_FOLDER, help="A LoCoMo or MemoryBank folder.")
@json_option
def leading(folders: tuple[Path, ...], json_file: Path | None) -> None:
    """Ask conversations in sessions that are about something and in one that is not; weigh their intent in or not."""
    from scripts.benchmarks.conversations import read_folder
    from scripts.benchmarks.leading import measure_leading
    from scripts.benchmarks.memory import real_embedder

    conversations = [conversation for folder in folders for conversation in read_folder(folder)]
    finish(measure_leading(conversations, real_embedder()), json_file)


@bench.command()
@click.option("--data", "folders", required=True, multiple=True, type=_FOLDER, help="A LoCoMo or MemoryBank folder.")
@click.option("--questions", default=150, show_default=True, type=_AT_LEAST_ONE, help="Questions to ask.")
@_model
@click.option(
    "--in-time", "times", multiple=True, type=_AT_LEAST_ONE, metavar="TOKENS",
    help="Beside edge, or the methods named: edge with the time for so many tokens; may be given several times.",
)  # fmt: skip
@click.option("--replies", type=_FILE, metavar="FILE", help="Write every reply to FILE, a line of JSON each.")
@click.option(
    "--method", "names", multiple=True, help="A method; may be given several times. Else all that there are."
)  # fmt: skip
@json_option
def answers(
    folders: tuple[Path, ...],
    questions: int,
    model: str | None,
    times: tuple[int, ...],
    replies: Path | None,
    names: tuple[str, ...],
    json_file: Path | None,
) -> None:
    """Let the model answer questions with what recall finds, beside the newest and the nearest turns; or with what has
    room in a time.

    Ctrl-C ends it with the figures so far.
    """
    from scripts.benchmarks.answers import measure_answers, real_models
    from scripts.benchmarks.asking import METHODS, in_time
    from scripts.benchmarks.conversations import read_folder

    unknown = set(names) - set(METHODS)
    if unknown:
        raise click.UsageError(f"There is no method {min(unknown)!r}. There are: {', '.join(METHODS)}.")
    chosen = names or (METHODS[:1] if times else METHODS)
    methods = [*(method for method in METHODS if method in chosen), *map(in_time, times)]
    conversations = [conversation for folder in folders for conversation in read_folder(folder)]
    with real_models(model) as models:
        report = measure_answers(conversations, questions, models, replies, methods)
    finish(report, json_file)


@bench.command()
@click.option("--data", "folders", required=True, multiple=True, type=_FOLDER, help="A LoCoMo or MemoryBank folder.")
@click.option(
    "--weights", type=_FILE, metavar="FILE", help="Write the weights to FILE, for the setting recall.weights."
)
@json_option
def tune(folders: tuple[Path, ...], weights: Path | None, json_file: Path | None) -> None:
    """Fit the weights of recall to conversations, and rank each by weights fitted to the others."""
    from scripts.benchmarks.conversations import read_folder
    from scripts.benchmarks.memory import real_embedder
    from scripts.benchmarks.tune import as_toml, measure_tuning

    conversations = [conversation for folder in folders for conversation in read_folder(folder)]
    report, fitted = measure_tuning(conversations, real_embedder())
    if weights is not None:
        weights.write_text(as_toml(fitted), encoding="utf-8")
    finish(report, json_file)


@bench.command()
@click.option("--data", "folders", multiple=True, type=_FOLDER, help="A LoCoMo or MemoryBank folder.")
@click.option("--most", type=_AT_LEAST_ONE, metavar="N", help="At most N turns of each conversation.")
@click.option("--conversation", "names", multiple=True, metavar="NAME", help="Only these of the conversations.")
@click.option("--judged", is_flag=True, help="Only the conversations of which pairs of turns are judged.")
@click.option("--without-model", is_flag=True, help="Let centroids decide.")
@click.option(
    "--placements", type=click.Choice(["model", "centroids"]), default="model", show_default=True,
    help="Of the comparison of recall: what clustering makes, or plain k-means, and then nothing else is measured.",
)  # fmt: skip
@_model
@json_option
def clusters(
    folders: tuple[Path, ...],
    most: int | None,
    names: tuple[str, ...],
    judged: bool,
    without_model: bool,
    placements: str,
    model: str | None,
    json_file: Path | None,
) -> None:
    """Cluster hand-judged notes and conversations with the real model, beside plain k-means; then ask the conversations
    with clusters off, as a boost, as a filter, and in CLAG's two stages."""
    from scripts.benchmarks.answers import real_models
    from scripts.benchmarks.cluster_recall import measure_cluster_recall
    from scripts.benchmarks.clusters import measure_clusters
    from scripts.benchmarks.conversations import read_folder
    from scripts.benchmarks.judged_pairs import read_conversation_pairs
    from scripts.benchmarks.memory import real_embedder

    told = [each for folder in folders for each in read_folder(folder) if not names or each.name in names]
    if judged:
        pairs = read_conversation_pairs()
        told = [each for each in told if (each.data, each.name) in pairs]
    if placements == "centroids":
        report = measure_cluster_recall(told, real_embedder())
    elif without_model:
        report = measure_clusters(told, None, real_embedder(), most)
    else:
        with real_models(model) as models:
            report = measure_clusters(told, models.language, models.embedder, most)
    finish(report, json_file)


@bench.command()
@click.option("--data", "folders", required=True, multiple=True, type=_FOLDER, help="A LoCoMo or MemoryBank folder.")
@click.option("--most", type=_AT_LEAST_ONE, metavar="N", help="At most N turns of each conversation.")
@click.option("--conversation", "names", multiple=True, metavar="NAME", help="Only these of the conversations.")
@click.option(
    "--keep", "state", type=click.Path(exists=False, path_type=Path), metavar="FOLDER",
    help="Leave the daemon's state in FOLDER, which is made.",
)  # fmt: skip
@_model
@json_option
def night(
    folders: tuple[Path, ...],
    most: int | None,
    names: tuple[str, ...],
    state: Path | None,
    model: str | None,
    json_file: Path | None,
) -> None:
    """Tell a daemon conversations and let it work through a night: what each step takes and does, how large the daemon
    gets, and what lies in no cluster. Takes an hour or more."""
    from scripts.benchmarks.conversations import read_folder
    from scripts.benchmarks.night import measure_night

    if state is not None and state.exists():
        raise click.UsageError(f"{state} exists already.")
    told = [each for folder in folders for each in read_folder(folder) if not names or each.name in names]
    finish(measure_night(told, model, most, state), json_file)


@bench.command()
@click.option(
    "--units", "sizes", default=(10_000,), show_default=True, multiple=True, type=_AT_LEAST_ONE,
    help="Made-up units to fill in; may be given several times.",
)  # fmt: skip
@click.option("--questions", default=100, show_default=True, type=_AT_LEAST_ONE, help="Questions to ask.")
@_rounds
@json_option
def latency(sizes: tuple[int, ...], questions: int, rounds: int, json_file: Path | None) -> None:
    """Fill a memory with made-up units and time recall by stage. Of more than 10,000 units only the first are embedded;
    the others get the same embeddings over and over."""
    from scripts.benchmarks.latency import Size, measure_latency
    from scripts.benchmarks.memory import real_embedder

    finish(measure_latency([Size(units, questions, rounds) for units in sizes], real_embedder()), json_file)


@bench.command()
@click.option("--sizes", default="5000,50000", show_default=True, metavar="N,...", help="Numbers of vectors.")
@click.option("--questions", default=1000, show_default=True, type=_AT_LEAST_ONE, help="Questions to ask.")
@click.option("--build-mb", default=256, show_default=True, type=_AT_LEAST_ONE, help="Memory of a build, in MiB.")
@click.option("--store", is_flag=True, help="Take the vectors out of a real database, as the daemon does.")
@json_option
def index(sizes: str, questions: int, build_mb: int, store: bool, json_file: Path | None) -> None:
    """Build and search vector indexes of made-up vectors, beside hnswlib and an exact scan."""
    from scripts.benchmarks.index import measure_index

    finish(measure_index(_numbers(sizes, "--sizes"), questions, build_mb, store=store), json_file)


@bench.command()
@_model
@_turns
@_rounds
@json_option
def start(model: str | None, count: int, rounds: int, json_file: Path | None) -> None:
    """Time a cold start; resident memory by part; what `edge status` costs."""
    from scripts.benchmarks.start import measure_start

    finish(measure_start(model, count, rounds), json_file)


@bench.command()
@_model
@json_option
def retention(model: str | None, json_file: Path | None) -> None:
    """Tell facts in turns 1 to 10 and ask for them from turn 50 on, beside the whole talk and its end as a prompt."""
    from scripts.benchmarks.retention import measure_retention

    finish(measure_retention(model), json_file)


@bench.command()
@click.option("--turns", "count", default=2000, show_default=True, type=_AT_LEAST_ONE, help="Turns to play.")
@click.option("--hours", default=6.0, show_default=True, type=click.FloatRange(0.1, 240), help="Of the clock.")
@click.option("--units", default=5000, show_default=True, type=click.IntRange(min=0), help="Made-up units to fill in.")
@json_option
def steady(count: int, hours: float, units: int, json_file: Path | None) -> None:
    """Play mixed turns on a clock that jumps, with the real embedder and a scripted model; tell how much the process
    grows."""
    from scripts.benchmarks.steady import measure_steady

    finish(measure_steady(count, hours, units), json_file)


def _end(number: int, _frame: object) -> NoReturn:
    """Ended from outside: leave in order, so that daemons and folders of the benchmark go too."""
    sys.exit(128 + number)


def _numbers(text: str, option: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise click.BadParameter(f"{text!r} is no list of numbers from 1, such as 5,10", param_hint=option)
    return numbers


if __name__ == "__main__":
    bench(prog_name="scripts/bench")
