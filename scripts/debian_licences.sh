# What scripts/package and scripts/wheel tell about the libraries of other projects that they pack: read with source.

# owners FILE...: "package file" for each. The same file is known to dpkg as /lib/x and as /usr/lib/x.
owners() {
  { dpkg -S "$@" "${@#/usr}" 2>/dev/null || true; } | sed -nE 's/^([^:, ]+)(:[^:, ]+)?: (.*)$/\1 \3/p' |
    sed -E 's, /lib, /usr/lib,' | sort -u
}

# add_licences FOLDER PLACE PACKAGE...: the licences of Debian packages whose libraries lie in PLACE, or which are compiled
# in (-dev), and packages.txt with their exact versions.
add_licences() {
  local folder=$1 place=$2 package
  shift 2
  mkdir -p "$folder"
  {
    echo "Libraries in $place, or compiled in (-dev), come unchanged from these packages of"
    echo "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release); their sources: apt-get source, https://snapshot.debian.org."
    # shellcheck disable=SC2016
    dpkg-query -W -f '${Package} ${Version}\n' "$@" | sort -u
  } >"$folder/packages.txt"
  for package in "$@"; do
    cp -L "/usr/share/doc/$package/copyright" "$folder/$package.txt" ||
      echo "${0##*/}: the licence of $package is missing in /usr/share/doc" >&2
  done
}

# compiled_in PACKAGE...: those that are installed here.
compiled_in() {
  local package
  for package in "$@"; do
    [[ ! -d /usr/share/doc/$package ]] || echo "$package"
  done
}
