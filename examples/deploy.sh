#!/bin/sh
# Deploys the example application to AWS; undeploy.sh removes it. It needs curl, tar and credentials for AWS.
# Options: --plan, --yes, --help. README.md beside this script says more.
set -eu
unset CDPATH
case "$0" in */*) here=${0%/*} ;; *) here=. ;; esac
here=$(cd "$here" && pwd -P)
root=${here%/*}

die() {
  printf 'Error: %s\n' "$1" >&2
  exit 1
}

# Keeps the folders of PATH that neither a package nor this clone can fill. "npx" and "npm run" put those of packages first.
clean_path() {
  set -f
  IFS=:
  for folder in $PATH; do
    real=$(cd -P "$folder" 2>/dev/null && pwd -P) || continue
    case "$folder/:$real/" in
      [!/]* | /:* | */node_modules/* | "$root"/* | *":$root"/*) continue ;;
    esac
    printf %s "$real:"
  done
}
PATH=$(clean_path)
PATH=${PATH%:} # An empty part would be the working folder.
export PATH

# Fetches Deno from the npm registry, checks the pinned SHA-512 checksum, and prints the path of the program.
fetch_deno() {
  version=2.9.5
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64)
      package=linux-x64-glibc
      sum=4c3a9c9e82dede3960a981109bb1fb30aeaad093ad87ea3c89267392744e0e756425f3e23678d59f533565ceaf9e9fa2a64c9be80bf5fc25251e01ed96ae7d1b
      ;;
    Linux-aarch64)
      package=linux-arm64-glibc
      sum=22e623b33f4f1a5ec225c35732e376eca34307c438d1bacadd21b797e4d7303556eb564ac1c9f47d01c11e75c58a2ca013023c6f2fdf2a7012125ba1641d5ab7
      ;;
    Darwin-x86_64)
      package=darwin-x64
      sum=81b765c5666e01916226266d4d3d3432ffda0bb7ffdf5fa9caa24640a959af95f7dd6793a39074186f9e7dc5f73f551971e44a1ee3c4010d41fccda846df2bf5
      ;;
    Darwin-arm64)
      package=darwin-arm64
      sum=497f7ca927414f5970f71e8dc06c31db121aca5d6446299d467168858949ea7b7798b2b34ca1c7290c10b390f6a4463b99b50619b61ef5baccda47cdef9a4f92
      ;;
    *) die "Cannot fetch Deno for this system: install Deno 2.9 from https://deno.com" ;;
  esac
  # Outside the folders of the tool, because the tool may not write to a program that it runs.
  folder="${XDG_CACHE_HOME:-$HOME/.cache}/mate-deno-$version"
  if [ ! -x "$folder/deno" ]; then
    url="${NPM_CONFIG_REGISTRY:-https://registry.npmjs.org}"
    url="${url%/}/@deno/$package/-/$package-$version.tgz"
    echo "Fetching Deno $version: $url" >&2
    part="$folder.$$"
    mkdir -p "$part"
    trap 'rm -rf "$part"' EXIT
    curl -fsSL --retry 2 -o "$part/deno.tgz" "$url" || die "Cannot download \"$url\""
    got=$( (sha512sum "$part/deno.tgz" 2>/dev/null || shasum -a 512 "$part/deno.tgz") | cut -d' ' -f1)
    [ "$got" = "$sum" ] || die "Cannot use \"$url\": its checksum is \"$got\", not the pinned \"$sum\""
    tar -xzf "$part/deno.tgz" -C "$part" --strip-components=1 package/deno
    rm "$part/deno.tgz"
    chmod +x "$part/deno"
    rm -rf "$folder"
    mv "$part" "$folder" # last, so that an interrupted download leaves no program
  fi
  echo "$folder/deno"
}

case "$(deno --version 2>/dev/null)" in
  'deno 2.9.'[5-9]* | 'deno 2.'[1-9][0-9].*) deno=deno ;;
  *) deno=$(fetch_deno) ;;
esac

# Deno checks every package against the lock file. It gets a copy, because it adds new packages to the file.
mkdir -p "$here/.mate"
cp "$root/cli/packages.lock.json" "$here/.mate/deno.lock"

# Temporary files get a folder that no other program uses, because packages may read and write it.
TMPDIR="${XDG_CACHE_HOME:-$HOME/.cache}/mate/tmp"
export TMPDIR
mkdir -p "$TMPDIR"

# The first program prints the permissions and loads no package. The second loads packages, and has only these permissions.
flags=$("$deno" run --quiet --no-prompt --deny-import --no-npm --allow-read --allow-write --allow-net --allow-env \
  --allow-run "$root/cli/commands/deploy_permissions.ts" "$here/app.json" "$@") || exit 1
set -f
IFS='
'
# shellcheck disable=SC2086 # a line is a flag
exec "$deno" run $flags --deny-import --lock="$here/.mate/deno.lock" \
  "$root/cli/deploy_main.ts" "${MATE_COMMAND:-deploy}" "$@" "$here/app.json"
