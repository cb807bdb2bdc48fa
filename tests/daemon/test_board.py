"""What the kernel's files tell of a board; what they do not tell is not known, which is not the same as fine."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.daemon.board import Board, Memory, Supply
from tests.daemon.boards import FakeBoard


@pytest.fixture
def fake(tmp_path: Path) -> FakeBoard:
    return FakeBoard(tmp_path)


def test_a_board_that_tells_nothing_is_not_known(fake: FakeBoard) -> None:
    board = fake.board
    assert (board.temperature(), board.supply(), board.memory(), board.memory_pressure()) == (None,) * 4
    assert board.load() is None


def test_the_hottest_zone_counts(fake: FakeBoard) -> None:
    fake.cool(41.25)
    fake.write("sys/class/thermal/thermal_zone1/temp", "82400\n")
    assert fake.board.temperature() == 82.4


@pytest.mark.parametrize("nonsense", ["", "hot", "-273000", "999999999", "82.4"])
def test_a_broken_sensor_tells_nothing(fake: FakeBoard, nonsense: str) -> None:
    fake.write("sys/class/thermal/thermal_zone0/temp", nonsense)
    assert fake.board.temperature() is None
    fake.write("sys/class/thermal/thermal_zone1/temp", "40000")
    assert fake.board.temperature() == 40.0


@pytest.mark.parametrize(
    ("bits", "supply"),
    [
        (0x0, Supply(under_voltage=False, throttled=False)),
        (0x1, Supply(under_voltage=True, throttled=False)),
        (0x50000, Supply(under_voltage=False, throttled=False)),
        (0x50005, Supply(under_voltage=True, throttled=True)),
        (0x8, Supply(under_voltage=False, throttled=True)),
    ],
)
def test_what_the_firmware_tells_of_now(fake: FakeBoard, bits: int, supply: Supply) -> None:
    fake.throttle(bits)
    assert fake.board.supply() == supply


@pytest.mark.parametrize("alarm", [0, 1])
def test_a_sensor_of_the_supply_alone(fake: FakeBoard, alarm: int) -> None:
    fake.write("sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    fake.write("sys/class/hwmon/hwmon2/name", "rpi_volt\n")
    assert fake.board.supply() is None
    fake.write("sys/class/hwmon/hwmon2/in0_lcrit_alarm", f"{alarm}\n")
    assert fake.board.supply() == Supply(bool(alarm), throttled=False)


def test_load_is_that_of_a_core(fake: FakeBoard) -> None:
    fake.busy(3.0, cores=4)
    assert fake.board.load() == 0.75
    fake.write("proc/loadavg", "much")
    assert fake.board.load() is None


def test_memory(fake: FakeBoard) -> None:
    fake.memory(300, 4000)
    assert fake.board.memory() == Memory(4000 << 20, 300 << 20)
    fake.write("proc/meminfo", "MemTotal: 4 kB\nMemAvailable: much kB\n")
    assert fake.board.memory() is None


def test_pressure_is_that_of_some_tasks(fake: FakeBoard) -> None:
    fake.press(12.5)
    assert fake.board.memory_pressure() == 12.5
    fake.write("proc/pressure/memory", "some avg10=x\n")
    assert fake.board.memory_pressure() is None


def test_this_machine_can_be_asked() -> None:
    board = Board()
    memory = board.memory()
    assert memory is None or 0 < memory.available <= memory.total
    assert (board.load() or 0.0) >= 0
