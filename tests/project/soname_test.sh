#!/usr/bin/env bash
# A program linked against the shared C library must not load a library with another interface: the soname includes the
# minor version, with which the interface may change. soname_test.sh READELF LIBRARY VERSION
set -euo pipefail
readelf=$1 library=$2 version=$3
name=$("$readelf" -d "$library" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')
if [[ $name != libfernwood_c.so.${version%.*} ]]; then
  echo "FAILED: the soname is $name; version $version needs libfernwood_c.so.${version%.*}"
  exit 1
fi
