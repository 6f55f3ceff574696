#!/bin/sh
# What CI runs, and what you can run by hand.
#   sh .ci/drivergate gate origin/main   the change against the branch that it goes to
#   sh .ci/drivergate gate               the commit against its parent
#   sh .ci/drivergate diff origin/main   what the change does to the fleet, as Markdown for a comment
#   sh .ci/drivergate drift              out/ against inventory/, whatever else is wrong
#   sh .ci/drivergate scheduled          what stands, on the day of the run: fails on silences that are past their day
# Reports of the gate lie in build/: for GitHub SARIF and a summary, for GitLab code quality and tests.
set -eu

base() {
  git merge-base "$1" HEAD && return
  echo "no commit is known that HEAD and $1 have in common: fetch the whole history (fetch-depth: 0, GIT_DEPTH: 0)" >&2
  exit 3
}

case "${1:-}" in
  gate)
    target=${2:-}
    if [ -n "${GITHUB_ACTIONS:-}" ]; then
      set -- --format github --output sarif=build/drivergate.sarif --output markdown=build/drivergate.md
    elif [ -n "${GITLAB_CI:-}" ]; then
      set -- --output gitlab=build/code-quality.json --output junit=build/junit.xml
    else
      set --
    fi
    if [ -n "$target" ]; then
      base=$(base "$target")
      exec drivergate check --against "$base" "$@"
    fi
    exec drivergate check --rev HEAD "$@"
    ;;
  diff)
    base=$(base "${2:?name the branch that the change goes to}")
    exec drivergate diff "$base" HEAD --format markdown
    ;;
  drift)
    exec drivergate render --check
    ;;
  scheduled)
    exec drivergate check --scheduled
    ;;
  *)
    echo "usage: sh .ci/drivergate gate [TARGET] | diff TARGET | drift | scheduled" >&2
    exit 2
    ;;
esac
