#!/usr/bin/env bash
# Tests that scripts/check_layers accepts the permitted and reports each violation: check_layers_test.sh SCRIPT
set -euo pipefail
script=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# start: creates a source tree without violations.
start() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{include/fernwood/{core,image,train,predict},src/{core,dataset/files,formats/import,train},apps/live,plugins,shell,lab,tables/{include/fernwood/records,src/{records,search}}}
  printf '%s\n' '#include <Random123/philox.h>' 'namespace fernwood {' 'struct Draw;' 'struct Draw {};' \
    'namespace cuda {' 'struct Stream {};' '}  // namespace cuda' '}  // namespace fernwood' >"$tree/include/fernwood/core/draw.h"
  echo '#include "fernwood/core/draw.h"' >"$tree/include/fernwood/image/lab.h"
  echo '#include "fernwood/image/lab.h"' >"$tree/include/fernwood/train/train.h"
  echo '#include <tbb/parallel_for.h>' >"$tree/src/core/parallel.cpp"
  echo '#include <opencv2/core.hpp>' >"$tree/plugins/images.cpp"
  printf '%s\n' '#include "train/grow.h"' '  kernel<<<grid, block>>>();' >"$tree/src/train/grow.cu"
  printf '%s\n' 'namespace fernwood::image {' 'class Frame;' \
    '}  // namespace fernwood::image' 'namespace fernwood::train {' 'namespace {' 'struct Draw {};' \
    'constexpr int kTile = 32;' 'constexpr const char* kNames[2] = {"a", "b"};' 'int rate(int x) {' '}  // namespace' \
    'struct Stream {};' 'struct Draw::Hidden {};' '}  // namespace fernwood::train' >"$tree/src/train/grow.cpp"
  printf '%s\n' '#include "main.h"' '#include "apps/live/picture.h"' '#include "fernwood/train/train.h"' >"$tree/apps/main.cpp"
  printf '%s\n' '#include "fernwood/core/draw.h"' 'namespace fernwood::apps {' 'int show();' '}  // namespace fernwood::apps' >"$tree/shell/console.h"
  echo '#include "fernwood/core/draw.h"' >"$tree/tables/include/fernwood/records/table.h"
  echo '#include "fernwood/search/search.h"' >"$tree/tables/src/search/search_records.h"
  printf '%s\n' '#include "search/search_records.h"' '#include "fernwood/records/table.h"' >"$tree/tables/src/search/search_records.cpp"
  printf '%s\n' '#include "apps/live/picture.h"' '#include "records/table.h"' '#include "lab/study.h"' '#include "train/grow.h"' 'namespace fernwood::lab {' \
    'class Study {' '};' '}  // namespace fernwood::lab' >"$tree/lab/main.cpp"
}

# forbids TEXT FILE LINES: expects that the check fails and prints TEXT after LINES are added to FILE.
forbids() {
  start
  printf '%s\n' "$3" >>"$tree/$2"
  local said
  if said=$("$script" "$tree"); then
    echo "FAILED: accepted in $2: $3"
    failures=$((failures + 1))
  elif ! grep -qF -- "$1" <<<"$said"; then
    echo "FAILED: $2 with $3 should say \"$1\", it says: $said"
    failures=$((failures + 1))
  fi
}

start
if ! "$script" "$tree"; then
  echo "FAILED: a tree in which all is well was refused"
  failures=1
fi

forbids "floor may not include image" include/fernwood/core/draw.h '#include "fernwood/image/lab.h"'
forbids "train may not include predict" include/fernwood/train/train.h '#include "fernwood/predict/predictor.h"'
forbids "floor may not include formats" src/core/parallel.cpp ' # include "formats/import/mat_file.h"'
forbids "a public header may not include the private" include/fernwood/train/train.h '#include "train/grow.h"'
forbids "a public header may not include <cuda_runtime.h>" include/fernwood/core/draw.h '#include <cuda_runtime.h>'
forbids "TBB may not be included here" include/fernwood/core/draw.h '#include <tbb/task_arena.h>'
forbids "TBB may not be included here" src/train/grow.cu '#include <oneapi/tbb/task_arena.h>'
forbids "POSIX may not be included here" src/core/parallel.cpp '#include <unistd.h>'
forbids "POSIX may not be included here" shell/console.h '#include <csignal>'
forbids "POSIX may not be included here" apps/main.cpp '#include <sys/prctl.h>'
forbids "dlopen may not be included here" src/core/parallel.cpp '#include <dlfcn.h>'
forbids "in src/core/platform alone" apps/main.cpp 'const char* kMemory = "/proc/self/statm";'
forbids "write JSON by core/json_text.h" src/train/grow.cpp '  return value.dump();'
forbids "write JSON by core/json_text.h" apps/main.cpp '  out << value->dump(2);'
forbids "OpenCV may not be included here" src/formats/import/mat_file.cpp '#include <opencv2/imgproc.hpp>'
forbids "OpenCV may not be included here" src/dataset/files/image_io.cpp '#include <opencv2/core.hpp>'
forbids "OpenCV may not be included here" apps/main.cpp '#include <opencv2/highgui.hpp>'
forbids "apps may include public headers only" apps/main.cpp '#include "train/grow.h"'
forbids "core may not include lab" apps/main.cpp '#include "lab/study.h"'
forbids "core may not include lab" src/train/grow.cu '#include "lab/study.h"'
forbids "train may not include apps" src/train/grow.cu '#include "apps/live/picture.h"'
forbids "a public header may not include the private" include/fernwood/train/train.h '#include "lab/study.h"'
forbids "train may not include report" src/train/grow.cu '#include "fernwood/report/page.h"'
forbids "core may not include records, which is of the project tables" src/train/grow.cu '#include "fernwood/records/table.h"'
forbids "tables may not include image, which is of the project core" tables/src/search/search_records.cpp '#include "fernwood/image/lab.h"'
forbids "floor may not include records" shell/console.h '#include "fernwood/records/table.h"'
forbids "records may not include search" tables/src/records/grow.cpp '#include "search/search_records.h"'
forbids "shell may include public headers only" shell/console.h '#include "core/draw.h"'
forbids "OpenCV may not be included here" lab/main.cpp '#include <opencv2/highgui.hpp>'
forbids "write the path from" lab/main.cpp '#include "study.h"'
forbids "in more than one file" src/train/score.cu '  kernel<<<grid, block>>>();'
forbids "module nonsense has no layer" src/train/grow.cu '#include "fernwood/nonsense/x.h"'
forbids "write the path from" src/train/grow.cu '#include "grow.h"'

# in_namespace NAME LINE: prints a file with one declaration in a namespace.
in_namespace() { printf '%s\n' "namespace $1 {" "$2" "}  // namespace $1"; }
forbids "fernwood::Draw is taken, by a type in include/fernwood/core/draw.h" src/core/parallel.cpp "$(in_namespace fernwood 'class Draw {')"
forbids "fernwood::Draw is taken" src/core/parallel.cpp "$(in_namespace fernwood 'enum class Draw : char { kOne };')"
forbids "fernwood::Draw is taken" include/fernwood/train/train.h "$(in_namespace fernwood 'struct Draw final {')"
forbids "fernwood::train::Stream is taken, by a type in" src/train/grow.cu "$(in_namespace fernwood::train 'struct Stream : Base {')"
forbids "fernwood::lab::Study is taken" lab/study.h "$(in_namespace fernwood::lab 'struct Study {')"
forbids "a file of train in the namespace fernwood::image" src/train/grow.cu "$(in_namespace fernwood::image 'int mean();')"
forbids "a file of train in the namespace fernwood" src/train/grow.cu "$(in_namespace fernwood 'struct Other {};')"
forbids "a file of core in the namespace fernwood::train" src/core/parallel.cpp "$(in_namespace fernwood::train 'int grow();')"
forbids "a file of apps in the namespace fernwood::lab" apps/main.cpp "$(in_namespace fernwood::lab 'int study();')"

# Names with internal linkage must be unique in a module.
alone() { in_namespace fernwood::train "$(printf '%s\n' 'namespace {' "$1" '}  // namespace')"; }
forbids "the name Draw is also in src/train/grow.cpp" src/train/score.cpp "$(alone 'class Draw {')"
forbids "the name kTile is also in src/train/grow.cpp" src/train/score.cpp "$(alone 'constexpr int kMost = 1, kTile = 64;')"
forbids "the name kNames is also in src/train/grow.cpp" src/train/score.cpp "$(alone 'const char* const kNames[] = {')"
forbids "the name rate(int x) is also in src/train/grow.cpp" src/train/score.cpp "$(alone 'double rate(int x) { return 1; }')"

exit "$((failures > 0))"
