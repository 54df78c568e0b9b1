#!/bin/sh
# Removes the application that deploy.sh deployed. A bucket that holds objects stays, unless --delete-data is given.
# Options: --plan, --yes, --delete-data, --help.
case "$0" in */*) here=${0%/*} ;; *) here=. ;; esac
MATE_COMMAND=undeploy exec "$here/deploy.sh" "$@"
