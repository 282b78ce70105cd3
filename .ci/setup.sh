# Sourced by examples/run and tests/run: finds what is missing on a Debian machine, installs it where it may, and builds
# a preset. Sets XT_BUILD to the build folder.

xt_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

xt_packages="g++ cmake ninja-build ccache antlr4 libantlr4-runtime-dev llvm-22-dev libboost-program-options-dev nlohmann-json3-dev libgtest-dev libze-dev libz3-dev opencl-c-headers"

xt_missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# Installs packages, or says which ones and stops.
xt_install() {
  local missing
  missing=$(xt_missing "$@" | tr '\n' ' ')
  [ -z "${missing// /}" ] && return 0
  local as_root=""
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root="sudo"; else
      echo "These packages are missing and this user may not install them:" >&2
      echo "  apt-get install -y $missing" >&2
      return 3
    fi
  fi
  if ! command -v apt-get >/dev/null; then
    echo "This machine has no apt-get. Install what these Debian packages hold: $missing" >&2
    return 3
  fi
  echo "installing: $missing"
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update -qq >/dev/null || true
  # shellcheck disable=SC2086 # a list of names
  $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null || {
    echo "apt-get could not install: $missing" >&2
    return 3
  }
}

# xt_build PRESET [TARGET…]
xt_build() {
  local preset=$1
  shift
  XT_BUILD="$xt_root/build/$preset"
  export CCACHE_BASEDIR="$xt_root"
  local log="$XT_BUILD.log"
  mkdir -p "$xt_root/build"
  (cd "$xt_root" && cmake --preset "$preset") >"$log" 2>&1 || {
    cat "$log" >&2
    echo "configuring the preset $preset failed" >&2
    return 3
  }
  echo "building ($preset) …"
  (cd "$xt_root" && cmake --build --preset "$preset" ${1:+--target "$@"}) >"$log" 2>&1 || {
    tail -n 60 "$log" >&2
    echo "the build failed; the whole log is $log" >&2
    return 3
  }
}
