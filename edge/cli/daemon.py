"""`edge daemon`: the assistant itself."""

from __future__ import annotations

import os
from pathlib import Path

import click

from edge.cli.options import Options, json_option, pass_options, socket_option


@click.command()
@socket_option
@json_option
@pass_options
def daemon(options: Options) -> int:
    """Serve on the socket until Ctrl-C or SIGTERM.

    What it serves with is in the settings (`edge settings`); where, in EDGE_STATE_DIR, EDGE_SOCKET, EDGE_CONFIG and
    EDGE_MODELS_DIR. The models must be on this machine: `edge models fetch` gets them once.

    \b
    edge daemon
    EDGE_STATE_DIR=/tmp/trial edge daemon --socket /tmp/trial.sock
    """
    from edge.config import load_settings

    environ = dict(os.environ)
    if options.socket:
        environ["EDGE_SOCKET"] = options.socket
    settings = load_settings(environ, Path.home(), os.getuid())
    # numpy's own threads would fight the model's for the cores and stall a search of 0.2 ms for 50.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # onnxruntime from 1.29 on would keep a queue of events to send.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    # Only here: the daemon imports numpy, onnxruntime and llama_cpp.
    from edge.daemon.main import run_daemon

    return run_daemon(settings)
