"""The folders of the indexes: one for each embedder, in a folder that holds nothing else."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection
from pathlib import Path

_log = logging.getLogger(__name__)
_FIRST_FORM = ("index.json", "*.hnsw", "*.i64", "*.tmp", "unfit")
"""What a first form of the index left in the common folder: it was one file for all, and is of no use any more."""


def folder_of(root: Path, embedder: str) -> Path:
    """The folder of the index of an embedder, named by the engine's key of it."""
    return root / embedder.replace("/", "-")


def remove_first_form(root: Path) -> None:
    """Remove the files of the first form."""
    for pattern in _FIRST_FORM:
        for path in root.glob(pattern):
            _remove(path)


def remove_others(root: Path, embedders: Collection[str]) -> None:
    """Remove the folders of all but some embedders. Nothing is lost: an index is built from the database."""
    kept = {folder_of(root, embedder) for embedder in embedders}
    for path in _folders_in(root):
        if path not in kept:
            _log.info("the index in %s is of an embedder that is not in use; it is removed", path)
            _remove(path)


def _folders_in(root: Path) -> list[Path]:
    try:
        return [path for path in root.iterdir() if path.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        _log.warning("the indexes in %s cannot be listed: %s", root, error.strerror or error)
        return []


def _remove(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        _log.warning("%s cannot be removed: %s", path, error.strerror or error)
