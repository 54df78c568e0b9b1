# shellcheck shell=bash
# Finds the tools that the scripts need, or fetches them. Written for bash 3.2, the one of macOS.

# fit NAME PROGRAM: whether the program answers with a version that the scripts were written for.
fit() {
  local version major minor
  version=$("$2" --version 2>/dev/null) || return 1
  version=$(sed -nE '1s/^[^0-9]*([0-9]+\.[0-9]+).*/\1/p' <<<"$version")
  major=${version%%.*} minor=${version##*.}
  case "$1" in
    deno) [ "$major" = 2 ] && [ "$minor" -ge 9 ] ;;
    terraform | tofu) [ "$major" = 1 ] && [ "$minor" -ge 10 ] ;;
    *) return 1 ;;
  esac 2>/dev/null
}

# platform: this machine, as tools.txt names it.
platform() {
  local system machine
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) die "This system, \"$(uname -s)\", is neither Linux nor macOS" "On Windows, run the scripts in WSL." ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=arm64 ;; # and no other Arm: armv7l and the like are 32-bit
    *) die "There are no tools for the processor \"$(uname -m)\"" "Install Deno 2.9 and Terraform 1.10, or later, by hand." ;;
  esac
  printf '%s-%s\n' "$system" "$machine"
}

# need PROGRAM: ends the script where it is not on the PATH.
need() {
  command -v "$1" >/dev/null 2>&1 || die "The tool \"$1\" is missing" "Install it, for instance by: ${2:-apt-get install $1}"
}

# digest BITS FILE: its SHA-2 digest.
digest() {
  if command -v "sha${1}sum" >/dev/null 2>&1; then
    "sha${1}sum" "$2"
  else
    need shasum "apt-get install coreutils"
    shasum -a "$1" "$2"
  fi | cut -d' ' -f1
}

# mirror NAME: where its archives are.
mirror() {
  local url
  case "$1" in
    terraform) url=${TERRAFORM_MIRROR:-https://releases.hashicorp.com} ;;
    deno) url=${NPM_CONFIG_REGISTRY:-https://registry.npmjs.org} ;;
  esac
  printf '%s\n' "${url%/}"
}

# fetch_tool NAME: downloads the pinned version, checks it, and sets `tool` to the program.
fetch_tool() {
  local name=$1 version here_on sum path archive folder url actual
  here_on=$(platform)
  read -r _ version _ sum path < <(grep "^$name [^ ]* $here_on " "$here/deploy/tools.txt") ||
    die "No version of $name is pinned for $here_on" "Install $name by hand."
  tool="$state/tools/$name-$version/$name"
  [ -x "$tool" ] && return

  need curl
  if [ "$name" = terraform ]; then need unzip; else need tar; fi
  url="$(mirror "$name")/$path"
  say "Fetching $name $version, as the PATH has none that fits: $url"
  folder=$(mktemp -d "$state/tools.XXXXXX")
  archive="$folder/${path##*/}"
  curl -fL --retry 2 --connect-timeout 15 -sS -o "$archive" "$url" || {
    rm -rf "$folder"
    die "Cannot fetch \"$url\"" "Check the network (and HTTPS_PROXY, behind a proxy), or install $name by hand."
  }
  actual=$(digest $((${#sum} * 4)) "$archive")
  if [ "$actual" != "$sum" ]; then
    rm -rf "$folder"
    die "The checksum of \"$url\" is wrong: it is not the file that was pinned" \
      "Try again; if it stays so, something between you and the server changes downloads: install $name by hand."
  fi
  case "$name" in
    terraform) unzip -q -j "$archive" terraform -d "$folder" ;;
    deno) tar -xzf "$archive" -C "$folder" --strip-components=1 package/deno ;;
  esac
  chmod +x "$folder/$name"
  fit "$name" "$folder/$name" || {
    rm -rf "$folder"
    die "The fetched $name $version does not run on this machine" "Install $name by hand."
  }
  mkdir -p "$(dirname "$tool")"
  mv "$folder/$name" "$tool" # last, and at once: an interrupted download leaves no tool behind
  rm -rf "$folder"
}

# find_tools: sets TERRAFORM and DENO.
find_tools() {
  TERRAFORM='' DENO=''
  local name
  for name in terraform tofu; do
    if [ -z "$TERRAFORM" ] && fit "$name" "$name"; then TERRAFORM=$(command -v "$name"); fi
  done
  if fit deno deno; then DENO=$(command -v deno); fi
  # No && and ||: within them a failure would not end the script.
  if [ -z "$TERRAFORM" ]; then
    fetch_tool terraform
    TERRAFORM=$tool
  fi
  if [ -z "$DENO" ]; then
    fetch_tool deno
    DENO=$tool
  fi
}
