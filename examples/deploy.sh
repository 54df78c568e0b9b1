#!/usr/bin/env bash
# Deploys the example application. See README.md beside it.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=deploy/common.sh
. "$here/deploy/common.sh"

usage() {
  cat <<'END'
Usage: examples/deploy.sh [options]

Bundles the functions of examples/app.json and deploys them to AWS, or brings what is deployed up to date.
It needs curl, unzip and credentials: a profile in ~/.aws, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
Terraform (or OpenTofu) 1.10 and Deno 2.9 are taken from the PATH, or fetched into examples/.state/tools.

  --plan          show what would be done, in full, and do nothing
  --yes           do not ask
  --region NAME   the region; by default AWS_REGION, that of what is deployed, or that of the profile
  --arch NAME     x86_64 or arm64; by default that of what is deployed, else x86_64
  --help          show this

Variables: AWS_PROFILE, AWS_REGION and the others of AWS; STATE_URL=s3://bucket/path?region=… keeps the state there
(local moves it back); TF_VAR_log_format=JSON, TF_VAR_throttle_rate=… and the others of tf/variables.tf.
END
}

parse_options deploy.sh "$@"
prepare

step "Bundling the functions"
"$DENO" run -A --config "$root/deno.json" "$root/scripts/bundle.ts" "$here/app.json" \
  --out "$state/bundles" --arch "$architecture" || die "The bundles could not be made" "The message above says why."

step "Comparing with what is deployed"
status=0
make_plan -detailed-exitcode || status=$?
case "$status" in
  0 | 2) ;;
  *) explain "The plan could not be made" ;;
esac
if [ -n "$plan_only" ]; then
  show_plan
  exit 0
fi

if [ "$status" = 2 ]; then
  # The lines that matter; --plan shows all.
  changes=$(sed $'s/\033\\[[0-9;]*m//g' "$state/last.log" | grep -E '^ +# aws_.* (will|must) be |^Plan:' || true)
  say "$changes"
  confirm "Deploy this to account $account in $region?"
  # Terraform makes the new deployment of the gateway before it destroys a route: the stage would have the route for ever.
  if grep -qE 'aws_api_gateway_(resource|method|integration)\..* will be destroyed' <<<"$changes"; then : >"$state/stale"; fi
  step "Deploying"
  apply deployment
fi
if [ -e "$state/stale" ]; then
  step "Deploying the gateway again, without the removed routes"
  make_plan -replace=aws_api_gateway_deployment.gateway || explain "The plan could not be made"
  apply deployment
  rm -f "$state/stale"
elif [ "$status" = 0 ]; then
  rm -f "$state/plan" "$state/unfinished"
  say "Nothing to do: all is as the plan wants it."
fi

step "Deployed"
output() { "$TERRAFORM" -chdir="$here/tf" output -raw "$1"; }
cat <<END
Base URL: $(output base_url)

Try it (the first request of each function is a cold start):

$(output curl)

What the other functions do, how to follow the logs, and what it costs: examples/README.md
Whoever knows the URL can call it: remove it after use by examples/undeploy.sh
END
