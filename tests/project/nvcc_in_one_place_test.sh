#!/usr/bin/env bash
# scripts/nvcc_in_one_place calls nvcc with the same path from any clone: nvcc_in_one_place_test.sh SCRIPT
set -euo pipefail
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
expect() {
  [[ "$2" == "$3" ]] || { echo "FAILED: $1: \"$2\" in place of \"$3\"" && failures=$((failures + 1)); }
}

# A stand-in for nvcc that prints its argument and the folder's contents.
cat >"$work/nvcc" <<'FAKE'
#!/usr/bin/env bash
while [[ $# -gt 0 ]]; do
  case $1 in
    -c) source=$2 ;;
    -o) object=$2 ;;
    -MF) dependencies=$2 ;;
  esac
  shift
done
echo "$source: $(cat "$source")" >"$object"
[[ -z ${dependencies:-} ]] || echo "x.o : $source include/a.h" >"$dependencies"
exit "${FAKE_CODE:-0}"
FAKE
chmod +x "$work/nvcc"

name=src/tried/by_test_$$.cu
for clone in one two/deeper; do
  mkdir -p "$work/$clone/scripts" "$work/$clone/src/tried"
  cp "$script" "$work/$clone/scripts/"
  echo kernel >"$work/$clone/$name"
  "$work/$clone/scripts/nvcc_in_one_place" "$work/nvcc" -I "$work/$clone/src" -MF "$work/$clone/d" -c "$work/$clone/$name" -o "$work/$clone/o"
  expect "dependencies of $clone" "$(cat "$work/$clone/d")" "x.o : $work/$clone/$name include/a.h"
done
expect "what is compiled" "$(cat "$work/one/o")" "$(cat "$work/two/deeper/o")"
expect "the source" "$(sed 's/.*: //' "$work/one/o")" kernel

code=0
FAKE_CODE=7 "$work/one/scripts/nvcc_in_one_place" "$work/nvcc" -c "$work/one/$name" -o "$work/one/o" || code=$?
expect "the exit code" "$code" 7
place=$(sed 's/: .*//' "$work/one/o")
expect "what is left there" "$(ls "$place" 2>/dev/null)" ""

# Files outside the clone, such as CMake's compiler checks, are compiled in place.
echo asked >"$work/question.cu"
"$work/one/scripts/nvcc_in_one_place" "$work/nvcc" -c "$work/question.cu" -o "$work/one/o"
expect "a file of others" "$(cat "$work/one/o")" "$work/question.cu: asked"
rm -f "${place%%/src/*}/lock_of_${name//\//_}"
exit "$((failures > 0))"
