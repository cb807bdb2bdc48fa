"""Every error a caller can meet: one class per cause.

Each class carries the wire code, the exit status of the command line, the HTTP status and a hint that names
the next step. The list is documented in `edge/ERRORS.md`, which a test keeps true.
"""

from __future__ import annotations

from typing import ClassVar

Detail = str | int | float | bool | None


class EdgeError(Exception):
    """Base of all errors that are shown to a person. `details` go to the wire beside code, message and hint."""

    code: ClassVar[str] = "internal"
    exit_status: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    default_hint: ClassVar[str] = "Look at the daemon's log (journalctl -u edge, or the terminal it runs in)."

    def __init__(self, message: str, *, hint: str | None = None, **details: Detail) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint if hint is not None else self.default_hint
        self.details: dict[str, Detail] = details

    def to_wire(self) -> dict[str, Detail]:
        """The body of an error on the socket: code, message, hint and the details, flat."""
        return {"code": self.code, "message": self.message, "hint": self.hint, **self.details}


# --- asked wrongly (exit status 2) -----------------------------------------------------------------------------


class RequestInvalid(EdgeError):
    """A field of a request is missing, of the wrong type or out of range; `field` names it."""

    code = "invalid_request"
    exit_status = 2
    http_status = 400
    default_hint = "Correct the named field and send the request again."


class FieldUnknown(RequestInvalid):
    """A request has a field that the interface does not know."""

    code = "unknown_field"
    default_hint = "Remove the field, or correct its name; edge/daemon/API.md lists them."


class BodyInvalid(RequestInvalid):
    """A body is not a JSON object, or not UTF-8."""

    code = "invalid_body"
    default_hint = "Send one JSON object, encoded as UTF-8."


class BodyTooLarge(RequestInvalid):
    """A body is over the limit of 1 MiB."""

    code = "body_too_large"
    http_status = 413
    default_hint = "Send it in smaller parts."


class ImportInvalid(RequestInvalid):
    """A line of an import is not what it should be; `line` names it. Nothing of its batch was imported."""

    code = "invalid_import"
    default_hint = "Correct the line and import the file again: what is there already is passed over."


class BatchDiffers(EdgeError):
    """A session has a batch of that task already, with another number of items; `total` in the details is its own."""

    code = "batch_differs"
    exit_status = 2
    http_status = 409
    default_hint = "Name the same total to go on with it, or another task to begin a new batch."


class BatchItemUnexpected(EdgeError):
    """Items of a batch are handled in order, and this one is not the next; `next` in the details is."""

    code = "unexpected_item"
    exit_status = 2
    http_status = 409
    default_hint = "Go on with the item that `next` names; `resume` tells it at any time."


class BatchEnded(EdgeError):
    """The batch was cancelled; no further item is taken."""

    code = "batch_ended"
    exit_status = 2
    http_status = 409
    default_hint = "Resume it first, if it is to go on."


class ForgettingChanged(EdgeError):
    """What would be forgotten is no longer what the preview showed; nothing was forgotten."""

    code = "forgetting_changed"
    exit_status = 2
    http_status = 409
    default_hint = "Look at what goes now, and confirm that."


class ClusterKeyInvalid(RequestInvalid):
    """A cluster's key is not 2 to 5 words, or 2 to 10 characters in Chinese."""

    code = "invalid_cluster_key"
    default_hint = "Name it in 2 to 5 words, for example `coffee at home`."


class ClusterKeyTaken(EdgeError):
    """Another cluster has that key, or one of the same words; `cluster` in the details is its id."""

    code = "cluster_key_taken"
    exit_status = 2
    http_status = 409
    default_hint = "Choose other words, or merge the two clusters."


class ClusterMergeSelf(EdgeError):
    """A cluster was to be merged into itself."""

    code = "cluster_merge_self"
    exit_status = 2
    http_status = 409
    default_hint = "Name two clusters; `edge clusters list` shows the ids."


class ClusterRunOpen(EdgeError):
    """A run that organises the owner's clusters is open already; a second one would work against it."""

    code = "cluster_run_open"
    exit_status = 2
    http_status = 409
    default_hint = "Wait until it has ended; `edge clusters history` shows it."


class ClusterRunEnded(EdgeError):
    """The run has ended, so it stages and ends no more."""

    code = "cluster_run_ended"
    exit_status = 2
    http_status = 409
    default_hint = "Begin another run."


class ClusterUndoOrder(EdgeError):
    """A run was to be undone that others in force build on, or one that is not in force; `newest` in the details is
    the one that can be."""

    code = "cluster_undo_order"
    exit_status = 2
    http_status = 409
    default_hint = "Undo the newest first: `edge clusters undo` takes it where no run is named."


class PromptTooLong(EdgeError):
    """The role text and the person's words alone do not fit the context; the counts are in the details."""

    code = "prompt_too_long"
    exit_status = 2
    http_status = 413
    default_hint = "Shorten the message, send it in parts, or raise model.context in the settings."


class SettingsInvalid(EdgeError):
    """A settings file or environment variable has an unknown key, a wrong type or a value out of range."""

    code = "invalid_settings"
    exit_status = 2
    http_status = 500
    default_hint = "Correct the named line; edge/SETTINGS.md documents every setting."


# --- not there (exit status 3) ---------------------------------------------------------------------------------


class MemoryNotFound(EdgeError):
    """No memory unit of this owner has the id."""

    code = "memory_not_found"
    exit_status = 3
    http_status = 404
    default_hint = "`edge memories` lists the ids."


class ClusterNotFound(EdgeError):
    """No cluster of this owner has the id."""

    code = "cluster_not_found"
    exit_status = 3
    http_status = 404
    default_hint = "`edge clusters list` shows the ids."


class ClusterRunNotFound(EdgeError):
    """No run of this owner has the id."""

    code = "cluster_run_not_found"
    exit_status = 3
    http_status = 404
    default_hint = "`edge clusters history` lists the ids."


class ClusterUndoNothing(EdgeError):
    """No run is in force that could be undone."""

    code = "nothing_to_undo"
    exit_status = 3
    http_status = 409
    default_hint = "`edge clusters history` shows what was done and undone."


class BatchNotFound(EdgeError):
    """No batch of this owner has the id."""

    code = "batch_not_found"
    exit_status = 3
    http_status = 404
    default_hint = "`edge batches` lists the ids."


class BackupNotFound(EdgeError):
    """There is no backup of that name."""

    code = "backup_not_found"
    exit_status = 3
    http_status = 404
    default_hint = "`edge restore` without a name lists the backups."


class SessionNotFound(EdgeError):
    """The owner has no session of that name."""

    code = "session_not_found"
    exit_status = 3
    http_status = 404
    default_hint = "`edge sessions` lists them."


class TurnNotOpen(EdgeError):
    """No turn of this owner that still runs has the id."""

    code = "turn_not_open"
    exit_status = 3
    http_status = 404
    default_hint = "A turn ends once; begin another."


class RouteNotFound(EdgeError):
    """The socket serves nothing under that path, or not with that method."""

    code = "route_not_found"
    exit_status = 2
    http_status = 404
    default_hint = "edge/daemon/API.md lists the paths and methods."


class ModelUnknown(EdgeError):
    """The manifest has no model of that id."""

    code = "unknown_model"
    exit_status = 3
    http_status = 404
    default_hint = "`edge models list` shows the ids."


# --- the daemon (exit status 4) --------------------------------------------------------------------------------


class DaemonNotRunning(EdgeError):
    """Nothing answers on the socket."""

    code = "daemon_not_running"
    exit_status = 4
    http_status = 503
    default_hint = "Start it with `edge daemon` (or `systemctl start edge` where it is installed as a service)."


class DaemonRunning(EdgeError):
    """Another daemon already serves the socket or the state folder."""

    code = "daemon_running"
    exit_status = 4
    default_hint = "Use the one that runs, stop it first, or give this one another EDGE_SOCKET and EDGE_STATE_DIR."


class SocketForbidden(EdgeError):
    """The socket exists but this user may not connect to it."""

    code = "socket_forbidden"
    exit_status = 4
    default_hint = "Ask the administrator to add you to the socket's group: sudo usermod -aG edge $USER"


class NotPermitted(EdgeError):
    """Another's memory is for root alone; what concerns everybody's, also for the user who runs the daemon."""

    code = "not_permitted"
    exit_status = 4
    http_status = 403
    default_hint = "Ask as root, or as the user who runs the daemon: sudo edge ..."


class SocketPathInvalid(EdgeError):
    """The socket's path is longer than the kernel takes (107 bytes), or its folder cannot be used."""

    code = "invalid_socket_path"
    exit_status = 4
    default_hint = "Set EDGE_SOCKET to a shorter path in a folder of yours, for example /tmp/edge.sock."


class AnswerInvalid(EdgeError):
    """What came back on the socket is not what an edge daemon sends."""

    code = "invalid_answer"
    exit_status = 4
    default_hint = "Check that EDGE_SOCKET is an edge daemon of the same version."


class AnswerLate(EdgeError):
    """The daemon took the request and did not answer in time; whether it was done is not known."""

    code = "late_answer"
    exit_status = 4
    default_hint = "Look at `edge status` and at the daemon's log before you send it again."


class Busy(EdgeError):
    """The queue is full; the request was not begun."""

    code = "busy"
    exit_status = 5
    http_status = 503
    default_hint = "Try again in a few seconds."


class Stopping(EdgeError):
    """The daemon is shutting down and takes no new work."""

    code = "stopping"
    exit_status = 5
    http_status = 503
    default_hint = "Try again when the daemon has restarted."


class Cancelled(EdgeError):
    """The request was stopped by its own client, or because the daemon stops."""

    code = "cancelled"
    exit_status = 130
    http_status = 499
    default_hint = "Nothing to do: it was stopped on request."


# --- models (exit status 6) ------------------------------------------------------------------------------------


class ModelMissing(EdgeError):
    """The file of a model is not on this machine."""

    code = "model_missing"
    exit_status = 6
    http_status = 503
    default_hint = "Fetch it with `edge models fetch`, or copy it in with `edge models import FILE`."


class ModelDamaged(EdgeError):
    """A model file is truncated or its sha256 is not the manifest's; it is not used."""

    code = "model_damaged"
    exit_status = 6
    http_status = 503
    default_hint = "Fetch it again with `edge models fetch ID`."


class ModelUnfit(EdgeError):
    """A model file is whole but cannot be used here: another architecture, or the library refuses it."""

    code = "model_unfit"
    exit_status = 6
    http_status = 503
    default_hint = "Choose another with model.id in the settings; `edge models list` shows them."


class ModelFailed(EdgeError):
    """The model broke off while it evaluated; the daemon goes on."""

    code = "model_failed"
    exit_status = 6
    http_status = 500
    default_hint = "Ask again; if it happens each time, run `edge models verify`."


class ModelFileUnknown(EdgeError):
    """A file to import cannot be read, or is none of the manifest's."""

    code = "unknown_model_file"
    exit_status = 6
    default_hint = "`edge models list` shows the models; if the file should be one of them, copy it again."


class FetchFailed(EdgeError):
    """No source of a model could be reached or gave the right bytes; what was fetched is kept for a resume."""

    code = "fetch_failed"
    exit_status = 6
    default_hint = "Run the same command again to resume, or copy the file in with `edge models import FILE`."


class ManifestInvalid(EdgeError):
    """models/manifest.toml is missing or cannot be read as one."""

    code = "invalid_manifest"
    exit_status = 6
    default_hint = "Install the package again, or correct the named entry."


# --- storage (exit status 7) -----------------------------------------------------------------------------------


class StoreDamaged(EdgeError):
    """The database cannot be read; it is kept as it is."""

    code = "store_damaged"
    exit_status = 7
    http_status = 503
    default_hint = "Restore a backup, or start with another EDGE_STATE_DIR; the file is left untouched."


class StoreNewer(EdgeError):
    """The database was written by a newer version; it is left untouched."""

    code = "store_newer"
    exit_status = 7
    http_status = 503
    default_hint = "Install that version or a later one."


class DiskFull(EdgeError):
    """There is no room left; nothing was remembered or removed. What was there before stays."""

    code = "disk_full"
    exit_status = 7
    http_status = 507
    default_hint = "Free some space on the disk of the state folder and try again; nothing was remembered or removed."


class StoreReadOnly(EdgeError):
    """The state folder cannot be written; nothing was remembered or removed."""

    code = "store_read_only"
    exit_status = 7
    http_status = 507
    default_hint = "Make the state folder writable (a worn SD card turns read-only); nothing was remembered or removed."


class StoreFailed(EdgeError):
    """The database refused an operation for another reason (an I/O error)."""

    code = "store_failed"
    exit_status = 7
    http_status = 503
    default_hint = "Check the disk (dmesg) and the log; what was confirmed before is kept."


class EmbedderFailed(EdgeError):
    """The embedder broke off; recall goes on with rules and full text."""

    code = "embedder_failed"
    exit_status = 6
    http_status = 500
    default_hint = "Run `edge models verify`."


# --- the index (exit status 8) -----------------------------------------------------------------------------------


class IndexDamaged(EdgeError):
    """The verification of the vector index found faults; what is wrong was moved aside and is rebuilt."""

    code = "index_damaged"
    exit_status = 8
    default_hint = "No memory is lost: `edge index status` shows how far the rebuild is. Check the disk (dmesg)."
