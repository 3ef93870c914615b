#!/usr/bin/env bash
# The shared library exports exactly the functions of its headers: exported_symbols_test.sh NM LIBRARY HEADER...
set -euo pipefail
nm=$1 library=$2
shift 2
shown=$("$nm" --dynamic --defined-only "$library" | awk '{ print $NF }' | sort)
declared=$(grep -hoE '\bfernwood_[a-z_]+\(' "$@" | tr -d '(' | sort -u)
if ! diff <(echo "$declared") <(echo "$shown"); then
  echo "FAILED: < is declared but not in the library, > is in the library but not declared"
  exit 1
fi
