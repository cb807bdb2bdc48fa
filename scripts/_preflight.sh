# shellcheck shell=bash
# Sourced by _setup.sh: what a machine must have, one check each. A check that fails says in one sentence what is
# missing and what to do, and ends with status 1. The probe_ functions are all that looks at the machine; tests
# replace them.

readonly OLDEST_PYTHON=11 NEWEST_PYTHON=13 # of Python 3
readonly LEAST_MEMORY_MB=1400              # a board sold with 1.5 GB or more

probe_bits() { getconf LONG_BIT; }
probe_machine() { uname -m; }
probe_packages() { if command -v dpkg >/dev/null; then dpkg --print-architecture; fi; }
probe_memory_mb() { awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo; }
probe_free_mb() { df --output=avail -BM "$1" | awk 'END { print int($1) }'; }
probe_filesystem() { stat -c %d "$1"; }
probe_writable() { [ -w "$1" ]; }
probe_command() { command -v "$1" >/dev/null; }
probe_python() { "$1" -c 'import sys; print("%d.%d %d" % (*sys.version_info[:2], sys.maxsize.bit_length() + 1))' 2>/dev/null; }
probe_ensurepip() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
probe_headers() { [ -f "$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; }

# PYTHON FOLDER: the headers that are not installed, unpacked into the folder from Debian's package of them. Its package
# manager fetches a package without any rights.
probe_borrowed_headers() {
    local version
    version=$(probe_python "$1") && version=${version% *}
    [ -f "$2/usr/include/python$version/Python.h" ] && return
    probe_command apt-get && probe_command dpkg-deb || return 1
    mkdir -p "$2"
    (cd "$2" && apt-get download -qq "libpython$version-dev" && dpkg-deb --extract libpython*.deb .) >/dev/null 2>&1
    [ -f "$2/usr/include/python$version/Python.h" ]
}

say() { printf '%s\n' "$*" >&2; }

die() {
    say "edge: $*"
    exit 1
}

check_userland() {
    local machine
    machine=$(probe_machine)
    if [ "$(probe_bits)" != 64 ] || [[ $(probe_packages) =~ ^(armhf|armel|i386)$ ]]; then
        die "This system's programs are 32-bit, also if its kernel is 64-bit; install the 64-bit Raspberry Pi OS or Debian and run this again."
    fi
    case $machine in
    aarch64 | x86_64) ;;
    *) die "This machine is of type $machine, and the libraries exist for aarch64 and x86_64 only; use a 64-bit Raspberry Pi or PC." ;;
    esac
}

check_memory() {
    local memory
    memory=$(probe_memory_mb)
    if [ "$memory" -lt "$LEAST_MEMORY_MB" ]; then
        die "This machine has $memory MB of memory and the smallest model needs a board with 2 GB; use a larger board."
    fi
}

# Sets PYTHON to an interpreter that fits: the one named in PYTHON, else the first of the usual names.
find_python() {
    local name found unfit=""
    for name in ${PYTHON:+"$PYTHON"} ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        found=$(probe_python "$name") || continue
        if python_fits "$found"; then
            PYTHON=$name
            return
        fi
        unfit=${unfit:-$found}
    done
    complain_of_python "$unfit"
}

python_fits() { # "3.11 64"
    local version=${1% *} bits=${1#* }
    [ "${version%.*}" = 3 ] && [ "${version#*.}" -ge $OLDEST_PYTHON ] && [ "${version#*.}" -le $NEWEST_PYTHON ] && [ "$bits" = 64 ]
}

complain_of_python() {
    local version=${1% *} range="3.$OLDEST_PYTHON to 3.$NEWEST_PYTHON"
    if [ -z "$1" ]; then
        die "No ${PYTHON:-python3} that works was found; install one: sudo apt install python3 python3-venv python3-dev"
    elif [ "${1#* }" != 64 ]; then
        die "Python $version here is a 32-bit program; install a 64-bit Python $range, or name one: PYTHON=/path/to/python3 $0"
    elif [ "${version%.*}" -lt 3 ] || [ "${version#*.}" -lt $OLDEST_PYTHON ]; then
        die "Python $version is too old, $range is needed; upgrade to Debian 12 or Raspberry Pi OS Bookworm or later, or name another: PYTHON=/path/to/python3 $0"
    fi
    die "Python $version is too new, $range is needed; install one of those and name it: PYTHON=/path/to/python3.$NEWEST_PYTHON $0"
}

check_venv_module() {
    if ! probe_ensurepip "$PYTHON"; then
        die "$PYTHON cannot make virtual environments; install what is missing: sudo apt install $(python_package "$PYTHON")-venv"
    fi
}

# What compiles llama.cpp and hnswlib for this very processor. Not needed where their wheels are cached.
check_build_tools() {
    local IFS=, missing=()
    probe_command "${CC:-cc}" && probe_command "${CXX:-c++}" || missing+=(" C and C++ compiler")
    probe_command cmake || missing+=(" cmake")
    probe_headers "$PYTHON" || probe_borrowed_headers "$PYTHON" "$(headers_folder "$PYTHON")" || missing+=(" Python.h of $PYTHON")
    if [ ${#missing[@]} -gt 0 ]; then
        die "To compile the model library for this processor, this is missing:${missing[*]}; install it: sudo apt install build-essential cmake $(python_package "$PYTHON")-dev"
    fi
}

# Debian's package of an interpreter: python3.12 for one named so, else the default python3.
python_package() {
    local name=${1##*/}
    if [[ $name =~ ^python3\.[0-9]+$ ]]; then printf '%s' "$name"; else printf python3; fi
}

# FOLDER MB FOLDER MB: room for both, also where they share a disk.
check_disk() {
    local first second
    first=$(existing_folder "$1") second=$(existing_folder "$3")
    if [ "$(probe_filesystem "$first")" = "$(probe_filesystem "$second")" ]; then
        check_room "$first" $(($2 + $4))
    else
        check_room "$first" "$2"
        check_room "$second" "$4"
    fi
}

check_room() {
    local free
    [ "$2" -gt 0 ] || return 0
    free=$(probe_free_mb "$1")
    if [ "$free" -lt "$2" ]; then
        die "The disk of $1 has $free MB free and $2 MB are needed; free some space, or keep what is fetched on another disk: EDGE_CACHE_DIR=/path $0"
    fi
}

check_writable() {
    local folder
    folder=$(existing_folder "$1")
    probe_writable "$folder" || die "You may not write to the folder $folder; use a copy and a cache of your own (EDGE_CACHE_DIR=/path $0)."
}

existing_folder() {
    local folder=$1
    while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
    printf '%s' "$folder"
}
