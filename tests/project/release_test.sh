#!/usr/bin/env bash
# Tests the checks that scripts/release, scripts/sdist and scripts/wheel make before they build: release_test.sh
# SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/clone/scripts"
cp "$source_dir"/scripts/{release,release_notes,sdist,wheel,debian_licences.sh,aarch64_python.sh} "$work/clone/scripts"
cp "$source_dir"/{CMakeLists.txt,CHANGELOG.md} "$work/clone"
cd "$work/clone"
git init -q
git add -A
git -c user.name=x -c user.email=x@example.org commit -q -m x

# refuses CODE TEXT SCRIPT ARGUMENT...: expects this exit code and TEXT in the output.
refuses() {
  local code=$1 text=$2 said got=0
  shift 2
  said=$("scripts/$@" 2>&1) || got=$?
  if [[ $got -ne $code ]] || ! grep -qF -- "$text" <<<"$said"; then
    echo "FAILED: $* should end with $code and say \"$text\", it ends with $got and says: $said"
    exit 1
  fi
}
refuses 2 'there is no option "--nonsense"' release --nonsense
refuses 2 "--out lacks its value" release --out
refuses 2 'there is no option "--nonsense"' sdist --nonsense
refuses 2 "--out lacks its value" sdist --out
refuses 2 'there is no option "--nonsense"' wheel --nonsense
refuses 2 '--glibc is "2.17"; the only older one is 2.28' wheel --cpu-only --glibc 2.17
refuses 2 "--glibc goes with --cpu-only alone" wheel --glibc 2.28
refuses 2 "--glibc goes with --cpu-only alone" wheel --cpu-only --glibc 2.28 --aarch64
scripts/release --help | grep -q -- --twice
scripts/sdist --help | grep -q -- --unbuilt

mkdir "$work/full"
touch "$work/full/file"
refuses 1 "is not empty" release --no-checks --out "$work/full"
echo "more" >>CMakeLists.txt
refuses 1 "changes that are not committed: CMakeLists.txt" release --no-checks --out "$work/out"
git checkout -q CMakeLists.txt
printf '# Changelog\n' >CHANGELOG.md
git -c user.name=x -c user.email=x@example.org commit -q -a -m y
refuses 1 "neither a section" release --no-checks --out "$work/out"
[[ ! -e $work/out ]] || { echo "FAILED: a release that is refused leaves a folder" && exit 1; }
rm -rf .git
refuses 1 "is not a clone" sdist --unbuilt
echo "scripts/release refuses what makes no release"
