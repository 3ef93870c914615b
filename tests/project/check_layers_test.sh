#!/usr/bin/env bash
# scripts/check_layers accepts what is allowed and names each thing that is not: check_layers_test.sh SCRIPT
set -euo pipefail
script=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# start: a tree in which all is well.
start() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{include/fernwood/{core,image,train,predict},src/{core,dataset,train},apps}
  echo '#include <Random123/philox.h>' >"$tree/include/fernwood/core/draw.h"
  echo '#include "fernwood/core/draw.h"' >"$tree/include/fernwood/image/lab.h"
  echo '#include "fernwood/image/lab.h"' >"$tree/include/fernwood/train/train.h"
  echo '#include <tbb/parallel_for.h>' >"$tree/src/core/parallel.cpp"
  echo '#include <opencv2/core.hpp>' >"$tree/src/dataset/image_io.cpp"
  printf '%s\n' '#include "train/grow.h"' '  kernel<<<grid, block>>>();' >"$tree/src/train/grow.cu"
  printf '%s\n' '#include "main.h"' '#include "fernwood/train/train.h"' >"$tree/apps/main.cpp"
}

# forbids TEXT FILE LINE: with the line added to the file, the check fails and says the text.
forbids() {
  start
  echo "$3" >>"$tree/$2"
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

forbids "core may not include image" include/fernwood/core/draw.h '#include "fernwood/image/lab.h"'
forbids "train may not include predict" include/fernwood/train/train.h '#include "fernwood/predict/predictor.h"'
forbids "core may not include dataset" src/core/parallel.cpp ' # include "dataset/mat_file.h"'
forbids "a public header may not include the private" include/fernwood/train/train.h '#include "train/grow.h"'
forbids "a public header may not include <cuda_runtime.h>" include/fernwood/core/draw.h '#include <cuda_runtime.h>'
forbids "TBB may not be included here" include/fernwood/core/draw.h '#include <tbb/task_arena.h>'
forbids "TBB may not be included here" src/train/grow.cu '#include <oneapi/tbb/task_arena.h>'
forbids "OpenCV may not be included here" src/dataset/mat_file.cpp '#include <opencv2/imgproc.hpp>'
forbids "OpenCV may not be included here" apps/main.cpp '#include <opencv2/highgui.hpp>'
forbids "apps may include public headers only" apps/main.cpp '#include "train/grow.h"'
forbids "in more than one file" src/train/score.cu '  kernel<<<grid, block>>>();'
forbids "module nonsense has no layer" src/train/grow.cu '#include "fernwood/nonsense/x.h"'
forbids "write the path from" src/train/grow.cu '#include "grow.h"'

exit "$((failures > 0))"
