"""How far batches are, in words: told by the runtime, from what was counted."""

from __future__ import annotations

from collections.abc import Sequence

from edge.memory.batches import Batch, BatchState, Failure

_NAMED_FAILURES = 3
_REASON_LIMIT = 80
"""Characters of a reason in a report; the whole stands in the batch."""

_DONE = {
    BatchState.RUNNING: {"en": "{done} of {total} done", "zh": "已完成{done}/{total}"},
    BatchState.DONE: {"en": "finished, {done} of {total} done", "zh": "已结束，完成{done}/{total}"},
    BatchState.CANCELLED: {"en": "cancelled, {done} of {total} done", "zh": "已取消，完成{done}/{total}"},
}
_FAILED = {"en": ", {failed} failed ({named})", "zh": "，{failed}个失败（{named}）"}
_ITEM = {"en": "item {item}", "zh": "第{item}个"}
_BECAUSE = {"en": ": {reason}", "zh": "：{reason}"}
_BETWEEN = {"en": "; ", "zh": "；"}
_MORE = {"en": "and {more} more", "zh": "另有{more}个"}
_LINE = {"en": "{title}: {said}.", "zh": "{title}：{said}。"}


def report(batches: Sequence[Batch], language: str) -> str:
    """A line for each batch: "Adding 10 contacts: 6 of 10 done, 1 failed (item 4: no e-mail address)."."""
    return "\n".join(_line(batch, language) for batch in batches)


def _line(batch: Batch, language: str) -> str:
    said = _DONE[batch.state][language].format(done=batch.done, total=batch.total)
    if batch.failed:
        said += _FAILED[language].format(failed=batch.failed, named=_named(batch, language))
    return _LINE[language].format(title=batch.title, said=said)


def _named(batch: Batch, language: str) -> str:
    shown = batch.failures[-_NAMED_FAILURES:]
    named = [_item(failure, language) for failure in shown]
    if batch.failed > len(shown):
        named.append(_MORE[language].format(more=batch.failed - len(shown)))
    return _BETWEEN[language].join(named)


def _item(failure: Failure, language: str) -> str:
    reason = " ".join(failure.reason.split()).rstrip(".。!！")
    if len(reason) > _REASON_LIMIT:
        reason = reason[: _REASON_LIMIT - 1].rstrip() + "…"
    item = _ITEM[language].format(item=failure.item)
    return item + _BECAUSE[language].format(reason=reason) if reason else item
