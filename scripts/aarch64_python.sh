# shellcheck shell=bash
# To be sourced: functions of scripts/wheel and scripts/test_aarch64 that run Python for 64-bit ARM by emulation, after scripts/aarch64_toolchain.

# install_for_aarch64 PIP FOLDER ARGUMENT...: installs packages for the Python in build/aarch64/sysroot, with a pip of this machine.
install_for_aarch64() {
  local pip=$1 folder=$2 minor platforms=()
  shift 2
  for minor in 17 27 28 34 35 36; do platforms+=(--platform "manylinux_2_${minor}_aarch64"); done
  "$pip" install -q --disable-pip-version-check --target "$folder" "${platforms[@]}" --python-version 3.11 --only-binary :all: "$@"
}
