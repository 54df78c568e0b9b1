# shellcheck shell=bash
# Says what to do about a failure of Terraform.

# explain PROBLEM: ends the script with the remedy for what "$state/last.log" holds.
explain() {
  local log="$state/last.log" remedy id
  [ -n "$shown" ] || cat "$log" >&2
  if grep -q 'Error acquiring the state lock' "$log"; then
    id=$(sed -nE 's/.* ID: +([0-9a-f-]{36}).*/\1/p' "$log" | head -1)
    remedy="Another run holds the state. If there is none (it was killed), free it by:
  TF_DATA_DIR=\"$TF_DATA_DIR\" \"$TERRAFORM\" -chdir=\"$here/tf\" force-unlock $id"
  elif grep -qE 'ExpiredToken|token .*expired' "$log"; then
    remedy="The credentials expired on the way. Renew them (aws sso login, or new keys) and run the script again: it goes on."
  elif grep -qE 'No valid credential sources|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch' "$log"; then
    remedy="The credentials were refused. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and run the script again."
  elif grep -qE 'AWS account ID not allowed|account ID not allowed' "$log"; then
    remedy="The credentials changed between the check and the deployment. Run the script again."
  elif grep -qE 'AccessDenied|not authorized to perform|UnauthorizedOperation' "$log"; then
    remedy="The credentials lack the permission named above. Use ones that may manage IAM roles, Lambda, API Gateway, EventBridge,
S3, SNS and CloudWatch Logs, and run the script again: it goes on."
  elif grep -qE 'EntityAlreadyExists|AlreadyExists|ResourceConflict|ConflictException|BucketAlreadyOwnedByYou|already exist' "$log"; then
    remedy="Something of this name is there that the state knows nothing of: another deployment in this account and region, or what a
killed run left. In the latter case remove what is named above (by hand, or in the console) and run the script again;
else give the application another \"name\" in examples/app.json."
  elif grep -qE 'Failed to query available provider packages|Failed to install provider|could not connect to registry' "$log"; then
    remedy="Terraform could not fetch the provider hashicorp/aws. Check the network (and HTTPS_PROXY, behind a proxy); without one,
name a folder that holds it as a filesystem_mirror in the file of TF_CLI_CONFIG_FILE."
  elif grep -qE 'dial tcp|no such host|connection refused|i/o timeout|RequestError|request send failed|network is unreachable' "$log"; then
    remedy="The network failed on the way. Check it and run the script again: it goes on."
  elif grep -qE 'NoSuchBucket' "$log"; then
    remedy="The bucket of STATE_URL does not exist: make it first."
  else
    remedy="Terraform says above what is wrong; a second run goes on where this one ended."
  fi
  die "$1" "$remedy"
}
