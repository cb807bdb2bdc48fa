"""What the board tells of itself, read from the kernel's files: heat, supply, load and memory. None is "not known"."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COLDEST, _HOTTEST = -40.0, 150.0
"""A sensor that tells of more is broken, or counts in another unit."""
_UNDER_VOLTAGE, _CAPPED, _THROTTLED, _SOFT_LIMIT = 0x1, 0x2, 0x4, 0x8
"""What holds now, of what a Raspberry Pi's firmware tells; higher bits tell of the past."""
_FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"
_SUPPLY_SENSOR = "rpi_volt"


@dataclass(frozen=True, slots=True)
class Supply:
    """What the board does about its power supply or its heat, now."""

    under_voltage: bool
    throttled: bool


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of the machine's memory: all of it, and what could be had without swapping."""

    total: int
    available: int


@dataclass(frozen=True, slots=True)
class Board:
    """Reads below a root; tests use a folder of their own."""

    root: Path = Path("/")

    def temperature(self) -> float | None:
        """The hottest thermal zone in degrees Celsius."""
        zones = (_number(path) for path in self._glob("sys/class/thermal/thermal_zone*/temp"))
        degrees = [thousandths / 1000 for thousandths in zones if thousandths is not None]
        return max((each for each in degrees if _COLDEST < each < _HOTTEST), default=None)

    def supply(self) -> Supply | None:
        """Of a Raspberry Pi; other boards do not tell."""
        told = _text(self.root / _FIRMWARE)
        bits = None if told is None else _whole_number(told, 16)
        if bits is not None:
            return Supply(bool(bits & _UNDER_VOLTAGE), bool(bits & (_CAPPED | _THROTTLED | _SOFT_LIMIT)))
        alarms = [
            _number(sensor.parent / "in0_lcrit_alarm")
            for sensor in self._glob("sys/class/hwmon/hwmon*/name")
            if _text(sensor) == _SUPPLY_SENSOR
        ]
        known = [alarm for alarm in alarms if alarm is not None]
        return Supply(any(known), throttled=False) if known else None

    def load(self) -> float | None:
        """Tasks that ran or wanted to in the last minute, for each core."""
        told = (_text(self.root / "proc/loadavg") or "").split()
        cores = len(self._glob("sys/devices/system/cpu/cpu[0-9]*")) or os.cpu_count()
        load = _decimal(told[0]) if told else None
        return None if load is None or not cores else load / cores

    def memory(self) -> Memory | None:
        """From /proc/meminfo."""
        parted = (line.partition(":") for line in (_text(self.root / "proc/meminfo") or "").splitlines())
        told = {name: _whole_number(rest.removesuffix("kB"), 10) for name, _, rest in parted}
        total, available = told.get("MemTotal"), told.get("MemAvailable")
        return None if not total or available is None else Memory(total * 1024, available * 1024)

    def memory_pressure(self) -> float | None:
        """Percent of the last ten seconds in which some task waited for memory; kernels without PSI do not tell."""
        for word in _words_of_line(self.root / "proc/pressure/memory", "some"):
            name, _, value = word.partition("=")
            if name == "avg10":
                return _decimal(value)
        return None

    def _glob(self, pattern: str) -> list[Path]:
        try:
            return sorted(self.root.glob(pattern))
        except OSError:
            return []


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None


def _number(path: Path) -> int | None:
    text = _text(path)
    return None if text is None else _whole_number(text, 10)


def _whole_number(text: str, base: int) -> int | None:
    try:
        return int(text, base)
    except ValueError:
        return None


def _decimal(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _words_of_line(path: Path, first: str) -> Iterator[str]:
    for line in (_text(path) or "").splitlines():
        begin, *words = line.split()
        if begin == first:
            yield from words
