#!/usr/bin/env bash
# Packs a finished build with scripts/package (without compression, to be quick) and runs the result in a root folder
# that otherwise holds only the C library: bundle_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
package=$1/scripts/package build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

if ! command -v xz >/dev/null; then
  echo "skipped: scripts/package needs xz (xz-utils)"
  exit 77
fi

# refuses CODE TEXT ARGUMENT...: expects that scripts/package ends with this exit code and prints TEXT.
refuses() {
  local code=$1 text=$2 said got=0
  shift 2
  said=$("$package" --out "$work/none" "$@" 2>&1) || got=$?
  if [[ $got -ne $code ]] || ! grep -qF -- "$text" <<<"$said"; then
    echo "FAILED: package $* should end with $code and say \"$text\", it ends with $got and says: $said"
    exit 1
  fi
}
refuses 2 'there is no option "--nonsense"' --nonsense
refuses 2 "--build lacks its value" --build
refuses 2 '--level is "10"' --level 10
refuses 1 "is not a build folder" --build "$work"
"$package" --help | grep -q -- --cpu-only

"$package" --build "$build_dir" --tests --level 0 --out "$work" 2>/dev/null
tar -xf fernwood-*.tar.xz
mv fernwood-*/ unpacked
for file in README.md LICENSE PACKAGE.txt docs/reference/devices.md examples/train_forest.cpp licenses/libtbb12.txt tests/run; do
  [[ -s unpacked/$file ]] || { echo "FAILED: $file is missing in the package"; exit 1; }
done

# taken_from_here PROGRAM: libraries loaded from outside the package, except for the C library's.
taken_from_here() {
  env -i "$(command -v ldd)" "$1" | awk '$2 == "=>" { print $3 }' | grep -v "^$work/unpacked/" |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl)[.]so[.0-9]*$' || true
}
for program in unpacked/bin/fernwood unpacked/tests/*_test; do
  foreign=$(taken_from_here "$work/$program")
  [[ -z $foreign ]] || { echo "FAILED: $program takes $foreign"; exit 1; }
done

# A root folder with the C library, entered by chroot; where that is not permitted, the program runs without it.
root=$work/unpacked
mkdir -p "$root"/{lib64,lib/x86_64-linux-gnu,tmp,proc}
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64"
cp -L /lib/x86_64-linux-gnu/{libc,libm,libdl,libpthread,librt,libresolv}.so.* "$root/lib/x86_64-linux-gnu"
snapshot=$1/tests/sentences.txt  # which the tests compare
mkdir -p "$root$(dirname "$snapshot")" && cp "$snapshot" "$root$snapshot"
# shellcheck disable=SC2016
alone=(unshare --mount sh -c 'mount --bind /proc "$0/proc" && exec env -i "$(command -v chroot)" "$0" "$@"' "$root")
if "${alone[@]}" /bin/fernwood --version 2>/dev/null; then
  root=""
else
  echo "note: root folders are not allowed here; the program sees this machine's"
  alone=(env -i)
fi
run() { "${alone[@]}" "$root/$1" "${@:2}"; }

run bin/fernwood doctor
run bin/fernwood dataset generate --out "$root/tmp/rooms" --frames 4 --test-frames 1 --size 160x120 --seed 1
run bin/fernwood train --data "$root/tmp/rooms" --out "$root/tmp/model" --trees 1 --samples-per-frame 200 --features 40
run bin/fernwood verify --model "$root/tmp/model" --data "$root/tmp/rooms"
run tests/image_test --gtest_brief=1
run tests/predict_test --gtest_brief=1
echo "the package runs"
