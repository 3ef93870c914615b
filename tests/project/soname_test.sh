#!/usr/bin/env bash
# A program that was linked against the shared library for C finds no other interface in its place: the library's name (soname) has the
# minor version, as the interface may change with it: soname_test.sh READELF LIBRARY VERSION
set -euo pipefail
readelf=$1 library=$2 version=$3
name=$("$readelf" -d "$library" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')
if [[ $name != libfernwood_c.so.${version%.*} ]]; then
  echo "FAILED: the soname is $name; version $version needs libfernwood_c.so.${version%.*}"
  exit 1
fi
