"""The cache of wheels: filled once for a kind of machine, shared by clones, mended where it is broken."""

from __future__ import annotations

import re
from pathlib import Path

from tests.scripts.conftest import Checkout, make_checkout, run_bash

KEY = 'probe_machine() { echo aarch64; }; probe_python() { echo "3.13 64"; }\n'


def key(processor: str) -> str:
    return run_bash(f"{KEY}probe_processor() {{ echo '{processor}'; }}\nplatform_folder python3").stdout


def wheel_files(checkout: Checkout) -> list[Path]:
    return sorted(checkout.cache.glob("wheels/*/*/*.whl"))


def test_the_key_names_python_machine_and_processor() -> None:
    assert "/wheels/cp313-aarch64-" in key("Features: asimd")
    assert key("Features: asimd") == key("Features: asimd")
    assert key("Features: asimd") != key("Features: asimd asimddp")


def test_other_build_options_are_another_key(checkout: Checkout) -> None:
    checkout.run("run")
    (checkout.root / "scripts/llama_cpp.cmake").write_text("# nothing\n")
    checkout.run("run")
    assert len(list(checkout.cache.glob("wheels/*"))) == 2


def test_the_requirements_are_those_of_the_project(checkout: Checkout) -> None:
    lines = run_bash('requirements "$REAL" run; echo --; requirements "$REAL" test', REAL="python3").stdout
    run, test = lines.split("--\n")
    assert "setuptools" in run
    assert "llama-cpp-python" in run
    assert "pytest" not in run
    assert "pytest" in test


def test_a_first_run_fills_the_cache_and_a_second_asks_pip_nothing(checkout: Checkout) -> None:
    first = checkout.run("run")
    assert first.returncode == 0, first.stderr
    notes = "\n".join(checkout.notes())
    assert "pip wheel CMAKE_ARGS=-DLLAVA_BUILD=OFF -DGGML_NATIVE=ON" in notes
    assert "--no-index" in notes
    assert len(wheel_files(checkout)) == 1
    checkout.run("run")
    assert not [note for note in checkout.notes() if note.startswith(("pip", "venv"))]


def test_a_second_clone_compiles_nothing(checkout: Checkout) -> None:
    checkout.run("run")
    checkout.notes()
    other = make_checkout(checkout.base, "second")
    assert other.run("run", WHEELS_FAIL="yes").returncode == 0
    assert not [note for note in other.notes() if note.startswith("pip wheel")]


def test_a_broken_wheel_is_made_again(checkout: Checkout) -> None:
    checkout.run("run")
    wheel_files(checkout)[0].write_text("whe")
    (checkout.root / ".venv/stamp").unlink()
    checkout.notes()
    assert checkout.run("run").returncode == 0
    assert any(note.startswith("pip wheel") for note in checkout.notes())
    assert wheel_files(checkout)[0].read_text() == "wheel\n"


def test_a_failed_build_leaves_nothing_that_counts_and_names_its_log(checkout: Checkout) -> None:
    failed = checkout.run("run", WHEELS_FAIL="yes")
    assert failed.returncode == 1
    assert failed.stdout == ""
    log = next(checkout.cache.glob("wheels/*/*.log"))
    assert str(log) in failed.stderr.splitlines()[-1]
    assert "no network" in log.read_text()
    assert wheel_files(checkout) == []
    assert checkout.run("run").returncode == 0


def test_other_requirements_make_the_environment_anew(checkout: Checkout) -> None:
    checkout.run("run")
    project = checkout.root / "pyproject.toml"
    before = project.read_text()
    project.write_text(re.sub(r'"click[^"]*"', '"click==8.2.1"', before))
    assert project.read_text() != before
    checkout.notes()
    checkout.run("run")
    assert [note for note in checkout.notes() if note.startswith("venv")] == ["venv"]
    assert len(wheel_files(checkout)) == 2


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Checkout) -> None:
    checkout.run("run")
    (checkout.root / ".venv/bin/python").unlink()
    (checkout.root / ".venv/bin/python").symlink_to("/nowhere/python3")
    checkout.notes()
    assert checkout.run("run").returncode == 0
    assert "venv" in checkout.notes()


def test_two_first_runs_at_once_do_it_once(checkout: Checkout) -> None:
    both = [checkout.start("run"), checkout.start("run")]
    for chat in both:
        chat.communicate()
    assert [chat.returncode for chat in both] == [0, 0]
    notes = checkout.notes()
    assert notes.count("venv") == 1
    assert len([note for note in notes if note.startswith("pip wheel")]) == 1
