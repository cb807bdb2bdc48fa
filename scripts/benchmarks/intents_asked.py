"""What the model makes of messages that the rules are not sure of, beside what the rules take them for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median

from edge.engine.intent_asking import likeliest, question
from edge.engine.model_ports import LanguageModel
from edge.memory.intents import Label
from edge.memory.language import language_of
from edge.memory.rules import Rules
from scripts.benchmarks.intents import Judged
from scripts.benchmarks.report import Report, Table


def measure_asked(rules: Rules, judged: Sequence[Judged], model: LanguageModel, under: float) -> Report:
    """Ask the model of messages with less confidence than `under`; how often rules, the general label and it are
    right."""
    found: dict[str, list[tuple[bool, bool, bool, bool]]] = {}
    seconds: list[float] = []
    for each in judged:
        intent = rules.intent_of(each.text)
        if intent.confidence >= under:
            continue
        asked = question(model, each.text, intent)
        began = time.perf_counter()
        chosen = likeliest(model, asked, model.new_stop())
        seconds.append(time.perf_counter() - began)
        right = (intent.label is each.label, each.label is Label.GENERAL, each.label in asked.labels)
        found.setdefault(f"{each.part}, {language_of(each.text)}", []).append((*right, chosen is each.label))
    rows = [
        (group, len(shares), *(sum(column) / len(shares) for column in zip(*shares, strict=True)))
        for group, shares in sorted(found.items())
    ]
    report = Report("intents by the model")
    columns = ("messages", "count", "rules' label", "general", "among the choices", "the model's choice")
    report.tables = [Table(f"Right, of messages with a confidence under {under:g}", columns, rows)]
    if seconds:
        report.figures["seconds a question, median"] = round(median(seconds), 3)
    return report
