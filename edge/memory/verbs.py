"""English verbs as "I", "the user" and "you" take them: no parser, a few tables."""

from __future__ import annotations

_STAYS = (
    "was will can could should must would might may cannot can't couldn't shouldn't mustn't wouldn't won't wasn't "
    "didn't hadn't had did ought "
)
_PAST_FORMS = (
    "became began bent bit bled blew bought bound bred broke brought built burnt came caught chose clung crept "
    "dealt did dove drank drew drove dug dreamt ate fed fell felt fled flew forbade forgave forgot fought found "
    "froze gave got grew ground had heard held hid hung kept knelt knew laid lay led learnt leapt left lent lit "
    "lost made meant met mistook overcame overheard overslept paid proved ran rang rebuilt redid retook rewrote "
    "rode rose said sang sank sat saw sent sewed shook shone shot showed shrank slept slid sold sought spent "
    "spoke spun stole stood stuck stung strove struck swam swept swore swung taught thought threw told took tore "
    "understood undertook went withdrew woke won wore wove wrote was were "
)
_EITHER = "put cut let set hit hurt quit cost spread shut read beat bet cast split upset burst bid fit wet wed knit "
_PRESENT_IN_ED = "need feed speed bleed breed proceed succeed exceed embed shed heed seed weed "
STAYS = frozenset(_STAYS.split())
"""Verbs that are the same behind "I" and behind "the user"."""
PAST_FORMS = frozenset(_PAST_FORMS.split())
"""Past forms that do not end in -ed."""
EITHER = frozenset(_EITHER.split())
"""Verbs whose past looks like their present."""
PRESENT_IN_ED = frozenset(_PRESENT_IN_ED.split())
"""What ends in -ed and is no past."""
_CHANGES = {"am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't"}


def third_person(verb: str, *, past: bool) -> str | None:
    """A verb behind "I", in lower case, as it stands behind "the user": love is loves, went is went. None where it
    cannot be known. `past`: the sentence tells of the past, so that "put" stays "put"."""
    if verb in _CHANGES or verb in STAYS:
        return _CHANGES.get(verb, verb)
    if verb in PAST_FORMS or (verb.endswith("ed") and verb not in PRESENT_IN_ED):
        return verb
    if verb in EITHER:
        return verb if past else None
    if not verb.isalpha() or (verb.endswith(("ing", "s")) and not verb.endswith("ss")):
        return None
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"
