#!/usr/bin/env bash
# Removes the deployed example application. See README.md beside it.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=deploy/common.sh
. "$here/deploy/common.sh"

usage() {
  cat <<'END'
Usage: examples/undeploy.sh [options]

Removes everything that examples/deploy.sh made: the functions, the gateway, the logs, the bucket with all objects in it.

  --plan          show what would be removed, in full, and do nothing
  --yes           do not ask
  --region NAME   the region; by default AWS_REGION, that of what is deployed, or that of the profile
  --help          show this

Variables: as for deploy.sh.
END
}

parse_options undeploy.sh "$@"
choose_backend
if [ "$backend" = local ] && [ -z "$moving" ] && [ ! -e "$state/terraform.tfstate" ] && [ ! -e "$state/unfinished" ]; then
  say "Nothing to do: nothing was deployed from here."
  exit 0
fi
prepare
if [ "$resources" = 0 ] && [ ! -e "$state/unfinished" ]; then
  say "Nothing to do: nothing is deployed."
  exit 0
fi

step "Looking at what is deployed"
make_plan -destroy || explain "The plan could not be made"
if [ -n "$plan_only" ]; then
  show_plan
  exit 0
fi
plan_as_json
removed=$(run_script list_removed.ts "$state/plan.json")
rm -f "$state/plan.json"
if [ -z "$removed" ]; then
  rm -f "$state/plan" "$state/unfinished"
  say "Nothing to do: nothing is deployed."
  exit 0
fi
say "$removed"
confirm "Remove all this, with every object in the buckets, from account $account in $region?"

step "Removing"
apply removal
rm -f "$state/stale"

step "Removed from account $account in $region"
say "$removed"
