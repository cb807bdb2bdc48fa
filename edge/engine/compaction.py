"""What of a session's turns stays in a window that is built anew: the newest word for word, the others summed up."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from edge.engine.entry import Entries, within
from edge.memory.units import Turn, TurnId
from edge.prompt.budget import Cause, GaveWay, Section, Wanted, allot
from edge.prompt.composition import Composer, Tokens
from edge.prompt.summary import summarise
from edge.prompt.texts import LANGUAGES
from edge.prompt.window import Marks, Window


@dataclass(frozen=True, slots=True)
class Kept:
    """The turns that stay, with their tokens, and those that leave, with what they are summed up to. `gave_way` tells
    of those that leave now."""

    turns: Sequence[Turn]
    told: Sequence[Tokens]
    left: Sequence[Turn]
    summary: str
    summary_tokens: Tokens
    gave_way: tuple[GaveWay, ...] = ()

    def behind(self, base: Window, *, summed_up: bool) -> Window:
        """The window with the turns at its end, and before them the summary where there is room for it."""
        if summed_up:
            left = frozenset(turn.id for turn in self.left)
            base = replace(base.append(self.summary_tokens), summary=self.summary, summarised=left)
        told = tuple(token for turn in self.told for token in turn)
        return replace(base.append(told), turns=frozenset(turn.id for turn in self.turns))


@dataclass(frozen=True, slots=True)
class Compaction:
    """Divides the turns of a session at a low mark."""

    composer: Composer
    entries: Entries
    marks: Marks

    def divide(
        self, base: Window, earlier: Sequence[Turn], words: Tokens, low: int, standing: Collection[TurnId] = ()
    ) -> Kept:
        """Which turns stay behind `base` (role and core facts) before the person's `words`, in a window of `low`
        tokens. Those give way to the seconds that would stay in one up to the plan's own mark; of the others those to
        the tokens that are `standing` before the model still.

        Where more than one turn fits, the summary has its room inside the low mark; else it comes on top.
        """
        told = [self.composer.turn(turn.message, turn.reply) for turn in earlier]
        kept = self._divided(base, earlier, told, words, low)
        most = kept if low >= self.marks.low else self._divided(base, earlier, told, words, self.marks.low)
        fewer, more = len(earlier) - len(most.turns), len(earlier) - len(kept.turns)
        late = [len(each) for each in told[fewer:more]]
        long = [len(told[at]) for at in range(min(fewer, more)) if earlier[at].id in standing]
        causes = ((late, Cause.SECONDS), (long, Cause.TOKENS))
        gave_way = tuple(GaveWay(Section.TURNS, len(gone), sum(gone), cause) for gone, cause in causes if gone)
        return replace(kept, gave_way=gave_way)

    def _divided(self, base: Window, earlier: Sequence[Turn], told: Sequence[Tokens], words: Tokens, low: int) -> Kept:
        count = self._fitting(base, told, words, low)
        kept = self._kept(base, earlier, told, count)
        beside = self._fitting(base, told, words, low - len(kept.summary_tokens)) if kept.summary else count
        return self._kept(base, earlier, told, beside) if 0 < beside < count else kept

    def _kept(self, base: Window, earlier: Sequence[Turn], told: Sequence[Tokens], count: int) -> Kept:
        at = len(earlier) - count
        summary = summarise(earlier[:at], LANGUAGES[base.language])
        return Kept(earlier[at:], told[at:], earlier[:at], summary, self.composer.summary(summary))

    def _fitting(self, base: Window, told: Sequence[Tokens], words: Tokens, low: int) -> int:
        """How many of the newest turns the low mark and the words leave room for."""
        room = low - len(base.tokens)
        newest = told[len(told) - within(told[::-1], room) :]
        wanted = Wanted(fixed=len(base.tokens) + len(self.entries.bare(words)), turns=[len(turn) for turn in newest])
        return allot(self.marks.room, wanted).turns
