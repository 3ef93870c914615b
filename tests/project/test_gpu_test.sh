#!/usr/bin/env bash
# Tests that scripts/test_gpu reports passed, failed and skipped tests, with shell scripts as GPU, sanitizer and tests:
# test_gpu_test.sh SCRIPT
set -euo pipefail
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{bin,build/tests}
failures=0

# program NAME LINES: creates a script.
program() { printf '%s\n' '#!/bin/sh' "$2" >"$work/$1" && chmod +x "$work/$1"; }

# ends CODE TEXT: expects this exit code and TEXT in the output.
ends() {
  local said got=0
  said=$(PATH=$work/bin:$PATH "$script" "$work/build") || got=$?
  if [[ $got -ne $1 ]] || ! grep -qF -- "$2" <<<"$said"; then
    echo "FAILED: should end with $1 and say \"$2\", it ends with $got and says: $said"
    failures=$((failures + 1))
  fi
}

passing='case "$*" in *list_tests*) echo "  Case" ;; *) echo "[  PASSED  ] 3 tests." ;; esac'
program bin/nvidia-smi 'exit 9'
ends 77 "without an NVIDIA GPU"
program bin/nvidia-smi 'echo "H100, 9.0"'
program bin/compute-sanitizer 'shift 4; exec "$@"'
for module in core image backbone records predict train stream; do program "build/tests/${module}_test" "$passing"; done
program build/tests/search_test 'case "$*" in *list_tests*) ;; *) exit 1 ;; esac'
ends 0 "33 passed, 0 failed"
program build/tests/train_test 'case "$*" in *list_tests*) echo "  Case" ;; *Level*) exit 1 ;; *) echo "[  PASSED  ] 3 tests." ;; esac'
ends 1 "FAILED: racecheck, train_test: ended with 1"
program build/tests/train_test 'case "$*" in *list_tests*) echo "  Case" ;; *) echo "[  PASSED  ] 0 tests." ;; esac'
ends 1 "FAILED: train_test: no test ran"
program build/tests/train_test 'case "$*" in *list_tests*) echo "  Case" ;; *) echo "no GPU: old driver"; echo "[  PASSED  ] 1 test." ;; esac'
ends 1 "FAILED: train_test: skipped tests for want of a GPU"
exit "$((failures > 0))"
