# shellcheck shell=bash
# What deploy.sh and undeploy.sh share. Written for bash 3.2, the one of macOS.
# Expects `here`, the folder of the scripts.

root=$(dirname "$here")
state="$here/.state"
# shellcheck source=tools.sh
. "$here/deploy/tools.sh"
# shellcheck source=explain.sh
. "$here/deploy/explain.sh"

say() { printf '%s\n' "$*"; }
step() { printf '\n==> %s\n' "$*"; }

# die PROBLEM REMEDY: ends the script with both.
die() {
  printf '\nError: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf '%s\n' "$2" >&2
  exit 1
}

# parse_options SCRIPT ARGUMENT…: sets `region`, `architecture`, `plan_only`, `yes`.
parse_options() {
  local script=$1
  shift
  region='' architecture='' plan_only='' yes=''
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) usage && exit 0 ;;
      -p | --plan) plan_only=1 ;;
      -y | --yes) yes=1 ;;
      --region | --arch)
        set_option "$1" "${2:-}"
        shift
        ;;
      --region=* | --arch=*) set_option "${1%%=*}" "${1#*=}" ;;
      *) die "There is no option \"$1\"" "See $script --help." ;;
    esac
    shift
  done
  if [ -z "$yes$plan_only" ] && [ ! -t 0 ]; then
    die "Nobody can be asked: the input is no terminal" "Pass --yes to go ahead unasked, or --plan to look only."
  fi
}

# set_option NAME VALUE: one of those of `script` that have a value.
set_option() {
  case "$script $1" in
    *' --region' | 'deploy.sh --arch') ;;
    *) die "There is no option \"$1\"" "See $script --help." ;;
  esac
  case "$2" in
    '' | -*) die "The option $1 lacks its value" "See $script --help." ;;
  esac
  if [ "$1" = --region ]; then
    region=$2
    [[ $region =~ ^[a-z]{2,}(-[a-z]+)+-[0-9]+$ ]] ||
      die "There is no region \"$region\"" "Regions look like eu-west-1."
  else
    architecture=$2
    [[ $architecture =~ ^(x86_64|arm64)$ ]] ||
      die "There is no architecture \"$architecture\"" "Choose --arch x86_64 or --arch arm64."
  fi
}

# confirm QUESTION
confirm() {
  local answer
  [ -z "$yes" ] || return 0
  printf '\n%s [y/N] ' "$1"
  read -r answer || answer=''
  case "$answer" in
    [yY] | [yY][eE][sS]) ;;
    *) say "Nothing was changed." && exit 1 ;;
  esac
}

# One run at a time; a lock whose process is gone was left by an interrupted run.
lock() {
  local owner
  mkdir -p "$state"
  chmod 700 "$state" # the state of Terraform is nobody else's business
  if ! mkdir "$state/lock" 2>/dev/null; then
    owner=$(cat "$state/lock/pid" 2>/dev/null || true)
    if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null; then
      die "Another run is under way: process $owner" "Wait for its end. If that process is something else, remove \"$state/lock\"."
    fi
    say "An earlier run was interrupted: taking over."
    rm -rf "$state/lock"
    mkdir "$state/lock" || die "Another run has just started" "Wait for its end."
  fi
  echo $$ >"$state/lock/pid"
  trap 'rm -rf "$state/lock" "$state"/tools.??????' EXIT
}

# tf: runs Terraform, shows what it prints, and keeps that for explain(). The pipe must outlive Ctrl-C and a closed terminal, as
# Terraform then ends what is under way and writes its state.
tf() {
  local status=0
  shown=1
  (
    trap '' HUP
    "$TERRAFORM" -chdir="$here/tf" "$@" 2>&1 | tee -i "$state/last.log"
    exit "${PIPESTATUS[0]}"
  ) || status=$?
  return "$status"
}

# quiet_tf: the same, shown by explain() only.
quiet_tf() {
  shown=''
  "$TERRAFORM" -chdir="$here/tf" "$@" >"$state/last.log" 2>&1
}

# make_plan ARGUMENT…: writes "$state/plan". Where a run was cut off in the middle, what it made without noting it is adopted first,
# or else it would be in the way for ever.
make_plan() {
  local address id
  if [ -e "$state/unfinished" ]; then
    say "The last run did not end: looking for what it left."
    quiet_tf plan -input=false -out="$state/plan" || explain "The plan could not be made"
    plan_as_json
    run_script adopt.ts "$state/plan.json" >"$state/adopt"
    rm -f "$state/plan.json"
    while IFS=$'\t' read -r address id <&3; do
      say "Adopting: $address"
      quiet_tf import -input=false "$address" "$id" || explain "It could not be adopted: $address"
    done 3<"$state/adopt"
    rm -f "$state/adopt"
  fi
  quiet_tf plan -input=false "$@" -out="$state/plan"
}

# apply WHAT: carries out "$state/plan".
apply() {
  local interrupted=''
  : >"$state/unfinished"
  trap 'interrupted=1' INT TERM
  if ! tf apply -input=false "$state/plan"; then
    rm -f "$state/plan"
    [ -z "$interrupted" ] || die "The $1 was interrupted" "Run the script again: it goes on where this run ended."
    explain "The $1 stopped half-way"
  fi
  trap - INT TERM
  rm -f "$state/plan" "$state/unfinished"
}

# plan_as_json: writes "$state/plan.json".
plan_as_json() {
  "$TERRAFORM" -chdir="$here/tf" show -json "$state/plan" >"$state/plan.json" || die "The plan cannot be read"
}

# show_plan: all of it.
show_plan() {
  tf show "$state/plan"
  rm -f "$state/plan"
}

# run_script FILE ARGUMENT…: runs one of the TypeScript files; prints what it prints.
run_script() {
  local status=0 file=$1
  shift
  NO_COLOR=1 "$DENO" run -A --quiet --config "$root/deno.json" "$here/deploy/$file" "$@" || status=$?
  case "$status" in
    0) ;;
    3) exit 1 ;; # it has said why
    *) die "Deno could not run \"$file\"" "Its packages come from the npm registry: check the network (and HTTPS_PROXY, behind a proxy)." ;;
  esac
}

# Where the state is: in examples/.state, or at STATE_URL, which is remembered.
choose_backend() {
  local before
  before=$(cat "$state/backend" 2>/dev/null || echo local)
  backend=${STATE_URL:-$before}
  case "$backend" in
    local) ;;
    s3://?*/?*) ;;
    *) die "STATE_URL is neither \"local\" nor like s3://bucket/path?region=eu-west-1: \"$backend\"" "Set it so, or unset it." ;;
  esac
  moving=''
  [ "$backend" = "$before" ] || moving=1
}

init() {
  local override="$here/tf/backend_override.tf" rest bucket key backend_region
  set -- -input=false
  # Only Terraform's registry is in the lock file; OpenTofu has one of its own.
  case "$TERRAFORM" in
    */tofu) ;;
    *) set -- "$@" -lockfile=readonly ;;
  esac
  if [ "$backend" = local ]; then
    rm -f "$override"
  else
    printf 'terraform {\n  backend "s3" {}\n}\n' >"$override"
    rest=${backend#s3://} backend_region=$region
    case "$rest" in *\?region=*) backend_region=${rest##*\?region=} ;; esac
    rest=${rest%%\?*} bucket=${rest%%/*} key=${rest#*/}
    set -- "$@" "-backend-config=bucket=$bucket" "-backend-config=key=$key" "-backend-config=region=$backend_region" \
      -backend-config=encrypt=true -backend-config=use_lockfile=true "-backend-config=use_path_style=$TF_VAR_s3_use_path_style"
  fi
  if [ -n "$moving" ]; then
    say "Moving the state to: $backend"
    set -- "$@" -migrate-state -force-copy
  fi
  quiet_tf init "$@" || explain "Terraform could not be set up"
  printf '%s\n' "$backend" >"$state/backend"
}

# inspect: compares the credentials with what the state says, and sets `account`, `region`, `architecture`, `resources`.
inspect() {
  local answer
  answer=$(run_script preflight.ts "region=$region" "architecture=$architecture" "state=$1") || exit 1
  IFS=$'\t' read -r account region architecture resources <<<"$answer"
  export AWS_REGION=$region TF_VAR_region=$region TF_VAR_account_id=$account TF_VAR_architecture=$architecture
}

# prepare: everything up to the first look at what is deployed.
prepare() {
  lock
  choose_backend
  find_tools
  export TF_DATA_DIR="$state/terraform" TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
  export DENO_TLS_CA_STORE="${DENO_TLS_CA_STORE:-mozilla,system}" # as Terraform trusts the system's certificates
  # Emulators know buckets by path only.
  if [ -n "${AWS_ENDPOINT_URL:-}" ]; then TF_VAR_s3_use_path_style=true; else TF_VAR_s3_use_path_style=false; fi
  export TF_VAR_s3_use_path_style
  [ -t 1 ] || export TF_CLI_ARGS="${TF_CLI_ARGS:-} -no-color"

  step "Checking the credentials"
  if [ "$backend" = local ] && [ -z "$moving" ]; then
    inspect "$state/terraform.tfstate"
    init
  else
    inspect ''
    init
    shown=''
    "$TERRAFORM" -chdir="$here/tf" state pull >"$state/pulled" 2>"$state/last.log" || explain "The state cannot be read"
    inspect "$state/pulled"
    rm -f "$state/pulled"
  fi
  say "Account $account, region $region, $architecture, $resources resources deployed"
}
