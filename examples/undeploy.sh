#!/bin/sh
# Removes the application that deploy.sh deployed. A bucket that holds objects stays, unless --delete-data is given.
# Options: --plan, --yes, --delete-data, --help.
MATE_COMMAND=undeploy exec "$(dirname "$0")/deploy.sh" "$@"
