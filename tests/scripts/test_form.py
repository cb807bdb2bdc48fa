"""The scripts are right in form, and systemd accepts the unit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.scripts.conftest import REPOSITORY, run_bash

SCRIPTS = sorted(
    path
    for folder in ("scripts", ".ci")
    for path in (REPOSITORY / folder).iterdir()
    if path.is_file() and path.read_text().startswith(("#!/usr/bin/env bash", "# shellcheck shell=bash"))
)


def test_there_are_scripts() -> None:
    assert {"run", "test", "check", "install"} <= {path.name for path in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_bash_reads_it(script: Path) -> None:
    assert subprocess.run(["bash", "-n", script], capture_output=True, text=True).stderr == ""


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_accepts_the_unit() -> None:
    result = subprocess.run([REPOSITORY / "scripts/check-units"], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_an_unknown_setting_in_a_unit_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "scripts", tmp_path / "scripts")
    shutil.copytree(REPOSITORY / "systemd", tmp_path / "systemd")
    unit = tmp_path / "systemd/edge.service"
    unit.write_text(unit.read_text().replace("ProtectHome=", "ProtectHomes="))
    result = subprocess.run([tmp_path / "scripts/check-units"], capture_output=True, text=True)
    assert result.returncode == 1
    assert "ProtectHomes" in result.stderr


def test_the_unit_cannot_reach_a_network() -> None:
    unit = (REPOSITORY / "systemd/edge.service").read_text().splitlines()
    assert {"PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "IPAddressDeny=any"} <= set(unit)


def test_no_library_that_sends_usage_data_is_let_to() -> None:
    assert "Environment=ORT_DISABLE_TELEMETRY=1" in (REPOSITORY / "systemd/edge.service").read_text().splitlines()
    assert run_bash("env").stdout.splitlines().count("ORT_DISABLE_TELEMETRY=1") == 1
