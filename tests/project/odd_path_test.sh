#!/usr/bin/env bash
# The build does not depend on the names of folders above the checkout: odd_path_test.sh SOURCE CMAKE [OPTIONS...]
# configures it below folders whose names the build excludes or treats specially, and expects the same sources as
# elsewhere.
set -euo pipefail
source=$1 cmake=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# sources_of CHECKOUT: prints the compiled files by their paths in the checkout.
sources_of() {
  "$cmake" -S "$1" -B "$work/build" -G Ninja -DFERNWOOD_TESTS=OFF -DFERNWOOD_CUDA=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    "${@:2}" >"$work/log" 2>&1 || {
    echo "FAILED: $1 does not configure:" >&2
    grep -A5 'CMake Error' "$work/log" >&2
    exit 1
  }
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$work/build/compile_commands.json" |
    sed "s|^$1/||; s|^$work/build/|build/|" | sort
  rm -rf "$work/build"
}

mkdir "$work/plain"
ln -s "$source" "$work/plain/fernwood"
expected=$(sources_of "$work/plain/fernwood" "$@")
[[ $(wc -l <<<"$expected") -gt 100 ]] || { echo "FAILED: only $(wc -l <<<"$expected") sources" && exit 1; }
for folder in cuda plugins x_kernels.cpp "a b" tests; do
  mkdir -p "$work/$folder"
  ln -s "$source" "$work/$folder/main.cpp"
  found=$(sources_of "$work/$folder/main.cpp" "$@")
  [[ $found == "$expected" ]] || { echo "FAILED: below $folder other sources are compiled:" && diff <(echo "$expected") <(echo "$found") && exit 1; }
done
echo "the same $(wc -l <<<"$expected") sources everywhere"
