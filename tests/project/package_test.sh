#!/usr/bin/env bash
# Installs fernwood into a temporary folder, builds the examples against it, and compares their results with the
# installed program's: package_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cmake --install "$build_dir" --prefix "$work/prefix" >install.log
cmake -S "$source_dir/examples" -B examples -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build examples

fernwood=$work/prefix/bin/fernwood
"$fernwood" dataset generate --out rooms --frames 4 --test-frames 1 --size 160x120 --seed 1
examples/train_forest rooms/train rooms.fernwood
"$fernwood" describe rooms.fernwood

color=$(echo rooms/test/*_colors.png)
examples/label_frame rooms.fernwood "$color" "${color/_colors/_depth}" labels.png
"$fernwood" predict --model rooms.fernwood --color "$color" --depth "${color/_colors/_depth}" --out predicted
cmp labels.png predicted/*_labels.png
echo "the example and the program give the same labels"

examples/train_and_label c.fernwood classes.ppm | grep " 100.0 % of the pixels"
test "$(head -n 1 classes.ppm)" = "P6 128 96 255"
"$fernwood" describe c.fernwood | grep wall

# With pkg-config instead of CMake; the folder may have been moved after the installation.
if command -v pkg-config >/dev/null; then
  mv prefix moved
  fernwood=$work/moved/bin/fernwood
  export PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name fernwood.pc)")
  # shellcheck disable=SC2046  # several words
  cc "$source_dir/examples/train_and_label.c" -o by_pkg_config $(pkg-config --cflags --libs fernwood) \
    -Wl,-rpath,"$(pkg-config --variable=libdir fernwood)"
  ./by_pkg_config c2.fernwood classes2.ppm | grep " 100.0 % of the pixels"
  cmp c.fernwood c2.fernwood
  test "$(pkg-config --modversion fernwood)" = "$("$fernwood" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)"
fi

# The annex, if it is a part of the build.
tables=$(dirname "$fernwood")/fernwood-tables
if [[ -x $tables ]]; then
  cmake -S "$source_dir/tables/examples" -B table_examples -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$(dirname "$(dirname "$fernwood")")"
  cmake --build table_examples
  awk 'BEGIN { print "x,y,class"; for (i = 0; i < 400; ++i) print i % 20 "," int(i / 20) "," (i % 20 > 9) }' >table.csv
  FERNWOOD_CACHE=$work/cache table_examples/records table.csv table.csv table.fernwood | grep "400 of 400 records right"
  table_examples/stream table.csv stream.fernwood && test -s stream.fernwood
  "$tables" evaluate --model table.fernwood --data table.csv --no-remember | grep "accuracy     100.00 %"
fi
