#!/bin/sh
# What CI runs, and what you can run by hand.
#   sh .ci/drivergate gate origin/main   the change against the branch that it goes to
#   sh .ci/drivergate gate               the commit against its parent
#   sh .ci/drivergate drift              out/ against inventory/, whatever else is wrong
set -eu

case "${1:-}" in
  gate)
    if [ -n "${2:-}" ]; then
      base=$(git merge-base "$2" HEAD)
      exec drivergate check --against "$base"
    fi
    exec drivergate check --rev HEAD
    ;;
  drift)
    exec drivergate render --check
    ;;
  *)
    echo "usage: sh .ci/drivergate gate [TARGET] | drift" >&2
    exit 2
    ;;
esac
