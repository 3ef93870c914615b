#!/usr/bin/env bash
# Tests that scripts/demo uses an existing program without building one: demo_test.sh SOURCE_DIR PROGRAM
set -euo pipefail
source_dir=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export FERNWOOD_CACHE=$work/cache

# A clone without a build, and a PATH on which building fails; the frames are tiny, so that the test takes seconds.
mkdir -p "$work"/{clone/scripts,path}
cp "$source_dir/scripts/demo" "$work/clone/scripts"
cp "$source_dir/CMakeLists.txt" "$work/clone"
printf '#!/bin/sh\necho "no building here" >&2\nexit 9\n' >"$work/path/cmake"
cp "$work/path/cmake" "$work/clone/scripts/setup"
tiny() {
  cat <<END
#!/bin/sh
[ "\$1" != --version ] || { echo "fernwood ${1:-$("$program" --version | cut -d ' ' -f 2)}"; exit; }
[ "\$1 \$2" != "dataset generate" ] || set -- "\$@" --size 64x48
[ "\$1" != train ] || set -- "\$@" --preset fast --trees 1 --samples-per-frame 100
exec "$program" "\$@"
END
}
chmod +x "$work"/path/cmake "$work"/clone/scripts/setup
export PATH=$work/path:$PATH

# demo CODE ARGUMENT...: expects this exit code; the output goes to $work/log.
demo() {
  local code=$1 got=0
  shift
  "$work/clone/scripts/demo" "$@" >"$work/log" 2>&1 || got=$?
  [[ $got -eq $code ]] || { cat "$work/log" && echo "FAILED: demo $* should end with $code, it ends with $got" && exit 1; }
}
pages() {
  local page
  for page in index evaluation training_data; do
    [[ -s $1/$page.html ]] || { echo "FAILED: $1/$page.html is missing" && exit 1; }
  done
}

demo 2 --nonsense
demo 2 --program
demo 2 --program "$work/none" "$work/out"
demo 9 "$work/out"
grep -q "no building here" "$work/log"
tiny 0.0.7 >"$work/path/fernwood"
chmod +x "$work/path/fernwood"
demo 9 "$work/out"  # another version than the clone's
[[ ! -e $work/out ]] || { echo "FAILED: a demo that cannot run leaves a folder" && exit 1; }
tiny >"$work/path/fernwood"
demo 0 "$work/out"
pages "$work/out"
mkdir -p "$work/clone/build/mine/apps"
mv "$work/path/fernwood" "$work/clone/build/mine/apps/fernwood"
(cd "$work" && demo 0 --program clone/build/mine/apps/fernwood here)
pages "$work/here"
demo 9 --program "$work/path/cmake" "$work/out"
echo "scripts/demo takes what is there"
