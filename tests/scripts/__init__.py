"""Tests of the scripts and the systemd units."""
