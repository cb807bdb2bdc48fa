"""Each thing a machine can lack is one sentence with what to do, and status 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.conftest import run_bash

FITTING = """
probe_bits() { echo 64; }
probe_machine() { echo aarch64; }
probe_packages() { echo arm64; }
probe_memory_mb() { echo 1990; }
probe_free_mb() { echo 20000; }
probe_command() { true; }
probe_ensurepip() { true; }
probe_headers() { true; }
probe_borrowed_headers() { false; }
probe_python() { echo "3.13 64"; }
wheels_whole() { false; }
unset PYTHON
"""


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("probe_bits() { echo 32; }", "programs are 32-bit"),
        ("probe_packages() { echo armhf; }", "install the 64-bit Raspberry Pi OS"),
        ("probe_machine() { echo riscv64; }", "of type riscv64"),
        ("probe_memory_mb() { echo 906; }", "906 MB of memory"),
        ("probe_python() { false; }", "sudo apt install python3 python3-venv python3-dev"),
        ('probe_python() { echo "3.9 64"; }', "Python 3.9 is too old, 3.11 to 3.13 is needed"),
        ('probe_python() { echo "2.7 64"; }', "Python 2.7 is too old"),
        ('probe_python() { echo "3.14 64"; }', "Python 3.14 is too new"),
        ('probe_python() { echo "3.11 32"; }', "32-bit program"),
        ("probe_ensurepip() { false; }", "sudo apt install python3-venv"),
        ("probe_ensurepip() { false; }; PYTHON=python3.12", "sudo apt install python3.12-venv"),
        (
            'probe_command() { [ "$1" != c++ ]; }',
            "this is missing: C and C++ compiler; install it: sudo apt install build-essential",
        ),
        ('probe_command() { [ "$1" != cmake ]; }', "this is missing: cmake;"),
        (
            "probe_headers() { false; }",
            "this is missing: Python.h of python3; install it: sudo apt install build-essential cmake python3-dev",
        ),
        ("probe_command() { false; }", "this is missing: C and C++ compiler, cmake;"),
        ("probe_writable() { false; }", "You may not write to the folder"),
        ("probe_free_mb() { echo 1200; }", "1200 MB free and 2200 MB are needed"),
    ],
)
def test_what_is_missing_is_named_with_the_fix(fault: str, sentence: str, tmp_path: Path) -> None:
    result = run_bash(f"{FITTING}{fault}\npreflight", EDGE_CACHE_DIR=str(tmp_path))
    assert result.returncode == 1
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_fitting_machine_passes_without_a_word(tmp_path: Path) -> None:
    result = run_bash(f"{FITTING}preflight; echo $PYTHON", EDGE_CACHE_DIR=str(tmp_path))
    assert (result.returncode, result.stdout, result.stderr) == (0, "python3\n", "")


def test_with_cached_wheels_no_compiler_is_needed() -> None:
    result = run_bash(f"{FITTING}probe_command() {{ false; }}; wheels_whole() {{ true; }}; preflight")
    assert (result.returncode, result.stderr) == (0, "")


def test_a_fitting_python_is_found_by_its_name() -> None:
    probe = 'probe_python() { case $1 in python3) echo "3.14 64" ;; python3.12) echo "3.12 64" ;; *) false ;; esac; }'
    assert run_bash(f"{FITTING}{probe}\nfind_python; echo $PYTHON").stdout == "python3.12\n"


def test_a_python_that_was_named_is_taken_or_refused_but_not_replaced() -> None:
    probe = 'probe_python() { case $1 in /opt/old) echo "3.8 64" ;; *) echo "3.12 64" ;; esac; }'
    result = run_bash(f"{FITTING}{probe}\nPYTHON=/opt/old; find_python")
    assert result.returncode == 1
    assert "Python 3.8 is too old" in result.stderr


def test_two_disks_are_asked_for_their_own_share() -> None:
    disks = 'probe_filesystem() { echo "$1"; }; probe_free_mb() { [ "$1" = / ] && echo 100 || echo 900; }'
    result = run_bash(f"{disks}\ncheck_disk / 50 /tmp 901")
    assert "The disk of /tmp has 900 MB free and 901 MB are needed" in result.stderr
    assert run_bash(f"{disks}\ncheck_disk / 50 /tmp 900").returncode == 0


def test_headers_that_are_not_installed_are_borrowed_where_that_is_possible(tmp_path: Path) -> None:
    fetched = "mkdir -p usr/include/python3.13 && touch usr/include/python3.13/Python.h libpython3.13-dev.deb"
    commands = f"""
        apt-get() {{ echo "apt-get $1 $2 $3" >>{tmp_path}/asked; {fetched}; }}
        dpkg-deb() {{ true; }}
    """
    lacking = FITTING.replace("probe_headers() { true; }", "probe_headers() { false; }").replace(
        "probe_borrowed_headers() { false; }\n", ""
    )
    for _ in range(2):
        result = run_bash(f"{lacking}{commands}\npreflight; headers_variable python3", EDGE_CACHE_DIR=str(tmp_path))
        assert result.returncode == 0, result.stderr
        include = f"{tmp_path}/headers/3.13-64/usr/include"
        assert result.stdout == f"CPATH={include}/python3.13:{include}"
    assert (tmp_path / "asked").read_text() == "apt-get download -qq libpython3.13-dev\n"
