"""`edge models`: the model files on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edge.cli.options import Options, json_option, pass_options

if TYPE_CHECKING:
    from edge.models.files import ModelCheck, ModelFiles
    from edge.models.manifest import Model

STATUS_DAMAGED = 6


@click.group()
@json_option
def models() -> None:
    """List, fetch, verify and import model files.

    These need no daemon. They go into the first of these: EDGE_MODELS_DIR, or the user's cache folder. Only `fetch`
    uses the network.
    """


def _files() -> ModelFiles:
    from edge.models.files import ModelFiles
    from edge.models.manifest import load_manifest
    from edge.places import model_dirs

    return ModelFiles(load_manifest(), model_dirs(os.environ, Path.home()))


@models.command("list")
@json_option
@pass_options
def list_models(options: Options) -> None:
    """List the models there are, and which are on this machine.

    \b
    edge models list
    edge models list --json | jq -r '.models[] | select(.state == "present").id'
    """
    from edge.cli.progress import ProgressLine
    from edge.cli.terminal import print_json, print_out, size, table

    files = _files()
    with ProgressLine() as line:
        checks = [files.check(model.id, line.report) for model in files.manifest.models]
    if options.as_json:
        print_json({"models": [_wire(check) for check in checks]})
        return
    rows = [
        (
            check.model.id,
            check.model.role.value,
            size(check.model.bytes),
            f"from {check.model.min_memory_mb} MB",
            check.state.value + (" (default)" if check.model.default else ""),
        )
        for check in checks
    ]
    for text in table([("id", "role", "size", "memory", "state"), *rows]):
        print_out(text)


@models.command()
@click.argument("model_id", metavar="[ID]", required=False)
@click.option("--default", "take_default", is_flag=True, help="The models of a first run, which can be had everywhere.")
@json_option
@pass_options
def fetch(options: Options, model_id: str | None, take_default: bool) -> None:
    """Fetch a model; without ID, the best language model for this device, and the embedder.

    Resumes where it was stopped; every file is checked by size and sha256 before it is used.

    \b
    edge models fetch
    edge models fetch --default
    edge models fetch qwen2.5-1.5b-instruct-q4_k_m
    """
    from edge.cli.progress import ProgressLine
    from edge.models.fetch import Fetcher
    from edge.models.manifest import Role, device_memory_mb

    if model_id and take_default:
        raise click.UsageError("Give an ID or --default, not both.")
    files = _files()
    fetcher = Fetcher(files)
    with ProgressLine() as line:
        if model_id:
            fetched = [fetcher.fetch(model_id, line.report)]
        elif take_default:
            fetched = [fetcher.fetch(files.manifest.default(role).id, line.report) for role in Role]
        else:
            fetched = [fetcher.fetch_for_device(role, device_memory_mb(), line.report) for role in Role]
    _print_fetched(options, files, fetched)


def _print_fetched(options: Options, files: ModelFiles, fetched: list[Model]) -> None:
    from edge.cli.terminal import print_json, print_out

    checks = [files.check(model.id) for model in fetched]
    if options.as_json:
        print_json({"models": [_wire(check) for check in checks]})
        return
    for check in checks:
        print_out(f"{check.model.id}: {check.state.value}, in {check.files[0].path.parent}")


@models.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@json_option
@pass_options
def verify(options: Options, ids: tuple[str, ...]) -> int:
    """Read model files whole and check their sha256; without ID, of every model that is on this machine.

    The exit status is 6 if one is damaged, or is missing although it was named.

    \b
    edge models verify
    edge models verify all-minilm-l6-v2-int8
    """
    from edge.cli.progress import ProgressLine
    from edge.cli.terminal import print_json, print_out
    from edge.models.files import State

    files = _files()
    wanted = ids or tuple(model.id for model in files.manifest.models)
    with ProgressLine() as line:
        checks = [files.verify(model_id, line.report) for model_id in wanted]
    if not ids:
        checks = [check for check in checks if check.state is not State.MISSING]
    if options.as_json:
        print_json({"models": [_wire(check) for check in checks]})
    else:
        for check in checks:
            _print_verified(check)
        if not checks:
            print_out("There are no models on this machine; `edge models fetch` gets them.")
    right = {State.PRESENT} if ids else {State.PRESENT, State.PARTIAL}
    return 0 if all(check.state in right for check in checks) else STATUS_DAMAGED


def _print_verified(check: ModelCheck) -> None:
    from edge.cli.terminal import on_one_line, print_out

    print_out(f"{check.model.id}: {check.state.value}")
    for file in check.files:
        if file.problem:
            print_out(on_one_line(f"  {file.path} {file.problem}"))


@models.command("import")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@json_option
@pass_options
def import_file(options: Options, path: Path) -> None:
    """Copy a model file in, or all that a folder holds, for example from a USB stick.

    What a file is, its sha256 says, not its name.

    \b
    edge models import /media/usb/qwen2.5-0.5b-instruct-q4_k_m.gguf
    edge models import /media/usb
    """
    from edge.cli.progress import ProgressLine
    from edge.cli.terminal import print_json, print_out
    from edge.models.importing import import_path

    with ProgressLine() as line:
        imported = import_path(_files(), path, line.report)
    if options.as_json:
        rows = [
            {"id": each.model.id, "file": each.file.name, "path": str(each.path), "copied": each.copied}
            for each in imported
        ]
        print_json({"imported": rows})
        return
    for each in imported:
        print_out(f"{each.model.id}: {each.path}" + ("" if each.copied else " (was there already)"))


def _wire(check: ModelCheck) -> dict[str, Any]:
    return {
        "id": check.model.id,
        "role": check.model.role.value,
        "bytes": check.model.bytes,
        "min_memory_mb": check.model.min_memory_mb,
        "licence": check.model.licence,
        "default": check.model.default,
        "state": check.state.value,
        "files": [
            {
                "name": file.file.name,
                "bytes": file.file.bytes,
                "sha256": file.file.sha256,
                "state": file.state.value,
                "path": str(file.path),
                "problem": file.problem,
            }
            for file in check.files
        ],
    }
