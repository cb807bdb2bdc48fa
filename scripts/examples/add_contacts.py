"""An agent that adds 10 contacts: the fourth fails, it is killed at the seventh, and goes on where it was.

With a daemon running (`edge daemon`):

    python scripts/examples/add_contacts.py /tmp/contacts.jsonl

The program starts itself twice: first to be killed in the middle, then to finish. In between and at the end it asks
what a person would: "How far are you?"
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from edge.client import Session

TASK = "add-contacts-2026-05"
TITLE = "Adding 10 contacts"
CONTACTS = [
    {"name": "Ann Lee", "email": "ann@example.org"},
    {"name": "王芳", "email": "wang@example.org"},
    {"name": "Carlos Ruiz", "email": "carlos@example.org"},
    {"name": "Dora Klein", "email": ""},  # the address book refuses this one
    {"name": "李娜", "email": "li@example.org"},
    {"name": "Femi Ade", "email": "femi@example.org"},
    {"name": "Grace Hall", "email": "grace@example.org"},
    {"name": "Hana Sato", "email": "hana@example.org"},
    {"name": "Ivan Petrov", "email": "ivan@example.org"},
    {"name": "陈静", "email": "chen@example.org"},
]


class AddressBook:
    """The tool: a file with a contact a line. Adding what is there already changes nothing, as a tool should that may
    be called again by a program that died before it could note that the call went well."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, contact: dict[str, str]) -> dict[str, object]:
        """What was added. Raises ValueError for a contact without an e-mail address."""
        if not contact["email"]:
            raise ValueError("no e-mail address")
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        line = json.dumps(contact, ensure_ascii=False)
        if line not in lines:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        return {"added": contact["name"], "total": len({*lines, line})}


def work(book: AddressBook, killed_at: int | None) -> None:
    """The agent. That it may have run before shows nowhere but in the first number it is given."""
    with Session("contacts") as session:
        for item in session.batch(TASK, TITLE, CONTACTS):
            with item, session.context(tool="add_contact", args=item.value) as call:
                call.result(book.add(item.value))
                print(f"{item.number}: {item.value['name']}", flush=True)
                if item.number == killed_at:
                    os.kill(os.getpid(), signal.SIGKILL)  # the contact is added, and nobody has been told yet


def how_far() -> str:
    """What the person hears: told by the daemon from its count, whether or not the agent runs."""
    return Session("contacts").say("How far are you?")["reply"]


def main(path: str, killed_at: str | None = None) -> int:
    """Run the agent, or without `killed_at` both of its lives."""
    if killed_at is not None:
        work(AddressBook(Path(path)), int(killed_at) or None)
        return 0
    for at in (7, 0):
        status = subprocess.run([sys.executable, __file__, path, str(at)]).returncode
        print(f"The agent {'was killed' if status == -signal.SIGKILL else 'has ended'}. {how_far()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
