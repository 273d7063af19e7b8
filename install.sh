#!/bin/sh
# Builds Cairn and puts the program on PATH, with scenes, manual pages and completion:
#   ./install.sh [--prefix DIR] [--dev]      DIR: /usr/local for root, else ~/.local; --dev: headers and libraries too
#   ./install.sh --uninstall [--prefix DIR]
# CAIRN_BUILD=build/package takes a build tree that has the program instead of building one.
set -eu
cd "$(dirname "$0")"

usage() {
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

prefix=""
remove=""
components=program
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) [ $# -gt 1 ] && [ -n "$2" ] || usage; prefix=$2; shift ;;
    --prefix=?*) prefix=${1#--prefix=} ;;
    --dev) components="program development" ;;
    --uninstall) remove=yes ;;
    *) usage ;;
  esac
  shift
done
if [ -z "$prefix" ]; then
  if [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fi
case $prefix in /*) ;; *) prefix=$(pwd)/$prefix ;; esac
list=$prefix/share/cairn/installed_files.txt

# Removes what the list names, and folders of ours that are then empty.
uninstall() {
  while IFS= read -r file; do
    rm -f "$file"
  done <"$list"
  rm -f "$list"
  for folder in share/cairn/scenes share/cairn share/doc/cairn share/doc/libcairn-dev include/cairn lib/cmake/cairn; do
    if [ -d "$prefix/$folder" ]; then find "$prefix/$folder" -depth -type d -empty -delete; fi
  done
}

if [ -n "$remove" ]; then
  if [ ! -e "$list" ]; then
    echo "install.sh: nothing to remove: $list does not exist; name the folder with --prefix" >&2
    exit 1
  fi
  uninstall
  echo "Removed from $prefix."
  exit 0
fi

. tools/stages.sh
build=${CAIRN_BUILD:-build/install}
if [ -z "${CAIRN_BUILD:-}" ]; then
  stage packages "$(tools/dependencies --seconds run)" tools/dependencies run
  stage configure 2 cmake --preset package -B "$build" -DCAIRN_PYTHON=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
  stage build "$(on_cores 580)" cmake --build "$build" --target cairn_app
fi
if [ -e "$list" ]; then uninstall; fi
manifest=$(mktemp)
trap 'rm -f "$manifest"' EXIT
for component in $components; do
  stage "install $component" 1 cmake --install "$build" --prefix "$prefix" --component "$component" --strip
  sed '$a\' "$build/install_manifest_$component.txt" >>"$manifest"
done
mkdir -p "$(dirname "$list")"
cp "$manifest" "$list"
"$prefix/bin/cairn" --version
case ":$PATH:" in
  *":$prefix/bin:"*) echo "Try: cairn run cannonball66" ;;
  *) echo "Add $prefix/bin to PATH, then try: cairn run cannonball66" ;;
esac
