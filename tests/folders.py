"""Where the real models were before the tests took the user's folders away."""

from __future__ import annotations

import os
from pathlib import Path

from edge.places import model_dirs

MODEL_FOLDERS = model_dirs(os.environ, Path.home())
"""Read when the tests are collected: `tests/conftest.py` gives each test a home of its own later."""
