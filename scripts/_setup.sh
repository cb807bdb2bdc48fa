# shellcheck shell=bash
# Sourced by run, test, check, bench and install: a virtual environment with the package in it.
#
# The wheels come from a cache outside the checkout, so that a second clone downloads and compiles nothing:
#   CACHE/wheels/<python>-<machine>-<processor and build options>/<set>-<requirements>/
# A set is `run` (what the program needs) or `test` (what its tests add). llama.cpp and hnswlib are compiled for the
# processor they run on; on an older one they could die of an illegal instruction, hence the processor in the name.

set -euo pipefail

ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd -P)
HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
VENV=$ROOT/.venv
CACHE=${EDGE_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/edge}
MODELS=${EDGE_MODELS_DIR:-$CACHE/models}
# The multimodal part is not used, and is half of what there is to compile.
readonly BUILD_OPTIONS="-DLLAVA_BUILD=OFF -DGGML_NATIVE=ON"
readonly BUILD_INCLUDE=$ROOT/scripts/llama_cpp.cmake

export HOME PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_USER=0 PYTHONNOUSERSITE=1
export ORT_DISABLE_TELEMETRY=1 # onnxruntime 1.29 and later would send usage data
if [ -n "${EDGE_CACHE_DIR:-}" ]; then export EDGE_MODELS_DIR="$MODELS"; fi
# Each of these would change what is built, or where it goes. SOURCE_DATE_EPOCH turns ggml's native kernels off.
unset PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV SOURCE_DATE_EPOCH HNSWLIB_NO_NATIVE

# shellcheck source=scripts/_preflight.sh
source "$ROOT/scripts/_preflight.sh"

probe_processor() { grep -E '^(flags|Features|CPU implementer|CPU part)' /proc/cpuinfo | sort -u; }

# --- names of what is cached ------------------------------------------------------------------------------------

short_hash() { sha256sum | cut -c1-16; }

# PYTHON: the folder of all wheels that fit this interpreter and this processor.
platform_folder() {
    local version
    version=$(probe_python "$1") && version=${version% *}
    printf '%s/wheels/cp%s-%s-%s' "$CACHE" "${version/./}" "$(probe_machine)" \
        "$(printf '%s\n' "$BUILD_OPTIONS" "$(<"$BUILD_INCLUDE")" "$(probe_processor)" | short_hash)"
}

# PYTHON: where the headers of an interpreter are unpacked that has none installed.
headers_folder() { printf '%s/headers/%s' "$CACHE" "$(probe_python "$1" | tr ' ' -)"; }

# PYTHON: the variable that lets the compiler find them.
headers_variable() {
    local folder version
    folder=$(headers_folder "$1")/usr/include
    version=$(probe_python "$1") && version=${version% *}
    if ! probe_headers "$1" && [ -d "$folder" ]; then printf 'CPATH=%s' "$folder/python$version:$folder"; fi
}

# PYTHON SET: what pyproject.toml asks for, one requirement a line. `run` has the build backend too, so that the
# package itself can be installed without a network.
requirements() {
    "$1" - "$ROOT/pyproject.toml" "$2" <<'PYTHON'
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    table = tomllib.load(file)
run = table["build-system"]["requires"] + table["project"]["dependencies"]
print(*{"run": run, "test": table["project"]["optional-dependencies"]["test"]}[sys.argv[2]], sep="\n")
PYTHON
}

# PYTHON SET
wheel_folder() { printf '%s/%s-%s' "$(platform_folder "$1")" "$2" "$(requirements "$1" "$2" | short_hash)"; }

# PYTHON: what a virtual environment was made for. Another text than the one kept in it: it is made anew.
venv_stamp() {
    printf '%s\n%s\n' "$ROOT" "$(platform_folder "$1")"
    "$1" - "$ROOT/pyproject.toml" <<'PYTHON' | short_hash
import json, sys, tomllib
with open(sys.argv[1], "rb") as file:
    table = tomllib.load(file)
print(json.dumps([table["project"], table["build-system"], table["tool"]["setuptools"]], sort_keys=True))
PYTHON
}

# --- wheels -----------------------------------------------------------------------------------------------------

wheels_whole() { (cd "$1" 2>/dev/null && sha256sum --check --status --strict SHA256SUMS 2>/dev/null); }

# SET: fills the cache once. Two set-ups at a time do it one after the other.
ensure_wheels() {
    local folder lock
    folder=$(wheel_folder "$VENV/bin/python" "$1")
    wheels_whole "$folder" && return
    mkdir -p "$(dirname "$folder")"
    exec {lock}>"$folder.lock"
    if ! flock --nonblock "$lock"; then
        say "Another set-up is filling the cache of wheels; waiting for it ..."
        flock "$lock"
    fi
    wheels_whole "$folder" || build_wheels "$1" "$folder"
    exec {lock}>&-
}

# SET FOLDER: works beside the folder and renames at the end, so that the folder is whole or not there. What pip
# has downloaded and compiled before an interruption is kept for the next try.
build_wheels() {
    local part="$2.part" log="$2.log" platform other known=()
    platform=$(dirname "$2")
    for other in "$platform"/{run,test}-*/; do
        if [ -f "$other/SHA256SUMS" ]; then known+=(--find-links "$other"); fi
    done
    rm -rf "$part"
    mkdir -p "$part/wheels" "$part/tmp"
    requirements "$VENV/bin/python" "$1" >"$part/requirements.txt"
    if [ "$1" = run ]; then say "Fetching and compiling the libraries: 3 to 10 minutes, once. The log is $log"; fi
    local environment=(
        "TMPDIR=$part/tmp" # /tmp is kept in memory on some systems, and too small there
        "CMAKE_ARGS=$BUILD_OPTIONS -DCMAKE_PROJECT_llama_cpp_INCLUDE=$(quoted "$BUILD_INCLUDE")"
        "CMAKE_BUILD_PARALLEL_LEVEL=$(compile_jobs)"
    )
    mapfile -t -O "${#environment[@]}" environment < <(headers_variable "$VENV/bin/python")
    with_progress "libraries to $1" "$log" env "${environment[@]}" "$VENV/bin/python" -m pip wheel "${known[@]}" \
        --cache-dir "$platform/pip" --wheel-dir "$part/wheels" --requirement "$part/requirements.txt" ||
        build_failed "$log"
    (cd "$part/wheels" && sha256sum -- *.whl >SHA256SUMS)
    rm -rf "$2"
    mv "$part/wheels" "$2"
    rm -rf "$part" "$platform/pip"
}

build_failed() { # LOG
    grep -i 'error' "$1" | tail -n 5 >&2 || tail -n 5 "$1" >&2
    die "The libraries could not be fetched or compiled; the first set-up needs the network, the log says more: $1"
}

quoted() { "$VENV/bin/python" -c 'import shlex, sys; print(shlex.quote(sys.argv[1]))' "$1"; } # as the build reads it

# SET...: installs from the cache alone. A cache that pip cannot use after all is filled anew, once.
install_wheels() {
    local set
    for set in "$@"; do ensure_wheels "$set"; done
    pip_offline "$@" >/dev/null 2>&1 && return
    for set in "$@"; do
        rm -rf "$(wheel_folder "$VENV/bin/python" "$set")"
        ensure_wheels "$set"
    done
    pip_offline "$@" >&2 || die "The libraries could not be installed into $VENV; see above."
}

pip_offline() {
    local set arguments=()
    for set in "$@"; do
        arguments+=(--find-links "$(wheel_folder "$VENV/bin/python" "$set")")
    done
    for set in "$@"; do
        requirements "$VENV/bin/python" "$set" >"$VENV/requirements-$set.txt"
        arguments+=(--requirement "$VENV/requirements-$set.txt")
    done
    PIP_FIND_LINKS='' "$VENV/bin/python" -m pip install --quiet --no-index --no-cache-dir "${arguments[@]}"
}

# One for each core, but no more than the memory allows: a compiler takes up to 700 MB here.
compile_jobs() {
    local cores by_memory
    cores=$(nproc) by_memory=$(($(probe_memory_mb) / 1000))
    echo $((by_memory < 1 ? 1 : by_memory < cores ? by_memory : cores))
}

# TEXT LOG COMMAND...: runs it with its output in the log, and tells every ten seconds that it goes on.
with_progress() {
    local text=$1 log=$2 start=$SECONDS next=10 status=0
    shift 2
    setsid "$@" >"$log" 2>&1 </dev/null &
    BACKGROUND=$!
    trap 'kill -TERM -- "-$BACKGROUND" 2>/dev/null' EXIT
    while kill -0 "$BACKGROUND" 2>/dev/null; do
        sleep 0.2
        if ((SECONDS - start >= next)); then
            say "  ... $(elapsed "$start") $text: $(latest_step "$log")"
            next=$((next + 10))
        fi
    done
    wait "$BACKGROUND" || status=$?
    trap - EXIT
    return $status
}

elapsed() { printf '%d:%02d' $(((SECONDS - $1) / 60)) $(((SECONDS - $1) % 60)); }

latest_step() {
    { grep -oE '^ *(Collecting|Downloading|Building wheel for|Created wheel for|Saved) [^ ]+' "$1" || echo starting; } |
        tail -n 1 | sed -E 's/^ *//; s/ [^ ]*\// /'
}

# --- the virtual environment ------------------------------------------------------------------------------------

# Makes .venv, or leaves it as it is where it fits. Sets nothing else up.
ensure_venv() {
    local lock
    venv_fits && return
    exec {lock}<"$ROOT"
    flock "$lock"
    venv_fits || make_venv
    exec {lock}<&-
}

venv_fits() {
    [ -x "$VENV/bin/python" ] && [ -f "$VENV/stamp" ] && [ "$(venv_stamp "$VENV/bin/python" 2>/dev/null)" = "$(<"$VENV/stamp")" ]
}

# What a link leads to may be another checkout's, and making an environment empties its folder.
make_venv() {
    if [ -L "$VENV" ]; then die "$VENV is a link to another environment, which does not fit. Remove the link, and run this again."; fi
    preflight
    say "Making the virtual environment $VENV ..."
    "$PYTHON" -m venv --clear "$VENV"
    install_wheels run
    "$VENV/bin/python" -m pip install --quiet --no-index --no-deps --no-build-isolation --editable "$ROOT" >&2
    venv_stamp "$VENV/bin/python" >"$VENV/stamp"
}

# What the tests and checks use on top.
ensure_test_tools() {
    ensure_venv
    cmp --silent "$VENV/stamp" "$VENV/stamp-test" && return
    say "Installing the test tools ..."
    install_wheels run test
    cp "$VENV/stamp" "$VENV/stamp-test"
}

# Room in MB: measured, and rounded up by a fifth.
readonly VENV_MB=400 WHEELS_MB=100 BUILD_MB=600 MODELS_MB=1100

# Everything that can be known to fail later, before anything is changed.
preflight() {
    check_userland
    check_memory
    find_python
    check_venv_module
    check_writable "$(dirname "$VENV")"
    local cached models=$MODELS_MB
    if wheels_whole "$(wheel_folder "$PYTHON" run)"; then
        cached=0
    else
        check_build_tools
        check_writable "$CACHE"
        cached=$((WHEELS_MB + BUILD_MB))
    fi
    if [ -n "$(find "$MODELS" -name '*.gguf' -print -quit 2>/dev/null)" ]; then models=0; fi
    check_disk "$VENV" "$VENV_MB" "$CACHE" $((cached + models))
}
