#!/usr/bin/env bash
# A program linked against the shared C library must not load a library with another interface: the soname includes the
# minor version, with which the interface may change. soname_test.sh READELF LIBRARY VERSION
set -euo pipefail
readelf=$1 library=$2 version=$3
name=$("$readelf" -d "$library" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')
wanted=$(basename "${library%%.so*}").so.${version%.*}
if [[ $name != "$wanted" ]]; then
  echo "FAILED: the soname is $name; version $version needs $wanted"
  exit 1
fi
