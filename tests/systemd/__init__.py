"""The files for operators: units, alerts, the dashboard."""
