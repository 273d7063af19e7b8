# Sourced by tools/fresh and tools/package_test: a bare Debian 12 root. Needs root and debootstrap; packages come from where this
# machine's own come from. The bare root is kept in build/fresh/base, so that only the first call fetches it.
#   make_root          copies it to $root, which is mounted for chroot until the script ends
#   in_root COMMAND    a line for the shell in it, from /root
suite=bookworm
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "$0 needs root and the package debootstrap" >&2
  exit 1
fi

# The archive that this machine uses for the suite: a one-line source, or a stanza with URIs and Suites.
archive() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    sed -e 's/\[[^]]*\]//' "$file" | awk -v suite=$suite '$1 == "deb" && $3 == suite { print $2; exit }'
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] || continue
    awk -v suite=$suite '
      function tell() { if (uri != "" && found) print uri; uri = ""; found = 0 }
      /^[ \t]*$/ { tell() }
      tolower($1) == "uris:" { uri = $2 }
      tolower($1) == "suites:" { for (i = 2; i <= NF; i++) if ($i == suite) found = 1 }
      END { tell() }' "$file"
  done
}
uri=$(archive | head -n 1)
if [ -z "$uri" ]; then
  echo "no package source for $suite in /etc/apt" >&2
  exit 1
fi

folder=$(pwd)/build/fresh
base=$folder/base
root=$folder/${root_name:-root}
mkdir -p "$folder"

unmount() {
  local place
  for place in dev proc; do
    if mountpoint -q "$root/$place"; then umount -R "$root/$place"; fi
  done
}
trap unmount EXIT
unmount

# The bare root with this machine's apt settings for fetching (proxies, retries); apt and debootstrap both heed them.
if [ ! -e "$base.complete" ]; then
  echo "+ debootstrap --variant=minbase $suite build/fresh/base"
  rm -rf "$base"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
  export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"
  include=()
  case $uri in https:*) include=(--include=ca-certificates) ;; esac
  debootstrap --variant=minbase "${include[@]}" $suite "$base" "$uri" >"$folder/debootstrap.log" ||
    { tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
  echo "deb $uri $suite main" >"$base/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until)\b' \
    >"$base/etc/apt/apt.conf.d/90host" || true
  touch "$base.complete"
fi

make_root() {
  rm -rf --one-file-system "$root"
  cp -a "$base" "$root"
  if [ -e /etc/resolv.conf ]; then cp -L /etc/resolv.conf "$root/etc/resolv.conf"; fi
  if [ -e /etc/hosts ]; then cp -L /etc/hosts "$root/etc/hosts"; fi
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --make-rslave "$root/dev"
}

in_root() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" sh -c "cd /root && $1"
}
