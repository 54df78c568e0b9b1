#!/usr/bin/env bash
# check_version.sh TAG: fails unless TAG is the version of both packages, has a section in CHANGELOG.md and is on main.
# check_version.sh --notes TAG: prints that section.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "::error::$*" >&2
  exit 1
}
section() {
  awk -v head="## [$1]" 'index($0, "## [") == 1 { found = index($0, head) == 1; next } found' CHANGELOG.md
}

if [ "$1" = --notes ]; then
  section "$2"
  exit
fi
for file in deno.json cli/deno.json; do
  version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$file")
  [ "$version" = "$1" ] || fail "The tag is \"$1\", but the version in $file is \"$version\""
done
section "$1" | grep -q '[^[:space:]]' || fail "CHANGELOG.md has no section \"[$1]\" with text"
git merge-base --is-ancestor HEAD origin/main || fail "The tag \"$1\" is not on main"
