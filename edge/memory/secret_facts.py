"""A secret that its person asks to remember, as a memory: the sentence that holds it, and the secret as its value.

By the value it is found wherever else it stands when it is forgotten.
"""

from __future__ import annotations

from dataclasses import replace

from edge.memory.compression import sentences
from edge.memory.language import language_of
from edge.memory.secret_json import called_a_secret
from edge.memory.secret_wishes import LONGEST_WISH
from edge.memory.secrets import Labels, find_secrets, mark, redacted, redacted_said, secrets_to_keep
from edge.memory.units import SELF, Draft, Kind

_SHORT = 300
_LONGEST = 2 * LONGEST_WISH
"""A longer message has none left: nothing in it was to be kept, also before marks made it longer. Looking through a
pasted megabyte would take a second."""


def secret_facts(message: str, *, session_only: bool) -> list[Draft]:
    """One fact for each sentence with a secret; of a short message, the whole of it. The message is as it is stored:
    a secret that was not to be remembered is not in it any more."""
    if len(message) > _LONGEST or not find_secrets(message):
        return []
    told = [message] if len(message) <= _SHORT else sentences(message)
    facts = [statement_of(text, session_only=session_only) for text in told]
    return [fact for fact in facts if fact.value] or [statement_of(message, session_only=session_only)]


def statement_of(text: str, *, session_only: bool) -> Draft:
    """A person's statement as a fact, with the secrets in it."""
    secrets = tuple(secret.of(text) for secret in find_secrets(text))
    return Draft(
        Kind.FACT_REFERENCE, text, value=secrets[0] if secrets else None, entities=secrets, session_only=session_only
    )


def without_secrets(draft: Draft) -> tuple[Draft, Labels]:
    """A draft without the secrets that its content does not ask to keep, in none of its fields, and what they were."""
    content, labels = redacted_said(draft.content)
    kept = {secret.of(draft.content) for secret in secrets_to_keep(draft.content)}
    hidden = {secret.of(draft.content) for secret in find_secrets(draft.content)} - kept
    found = dict.fromkeys(labels)
    label = called_a_secret(draft.slot or "", draft.value or "")
    if label is not None and draft.value is not None and draft.value not in kept:
        hidden.add(draft.value)
        found[label.value] = None
        content = content.replace(draft.value, mark(label, language_of(draft.slot or "")))

    def clean(text: str | None) -> str | None:
        """A field's text; nothing of one that repeats what the content must not hold."""
        if text is None or text in kept:
            return text
        text, in_field = redacted(text)
        found.update(dict.fromkeys(in_field))
        return None if any(secret in text for secret in hidden) else text

    cleaned = replace(
        draft,
        content=content,
        subject=clean(draft.subject) or SELF,
        slot=clean(draft.slot),
        value=clean(draft.value),
        task_type=clean(draft.task_type),
        entities=tuple(entity for entity in map(clean, draft.entities) if entity),
    )
    return cleaned, tuple(found)
