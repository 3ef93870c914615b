#!/usr/bin/env bash
# Kernels for newer instruction sets must not define symbols that the linker can merge with other files: it might keep
# their copy of an inline function, and the program would crash on older processors. kernel_symbols_test.sh NM OBJECT...
set -euo pipefail
nm=$1
shift
shared=$("$nm" --demangle --defined-only "$@" | grep -E ' [WVu] ' || true)
if [[ -n $shared ]]; then
  echo "FAILED: give these internal linkage, or let the compiler inline them:"
  echo "$shared"
  exit 1
fi
