#!/bin/sh
# What CI runs, and what you can run by hand.
#   sh .ci/drivergate gate origin/main   the change against the branch that it goes to
#   sh .ci/drivergate gate               the commit against the last green one, or its first parent where none is known
#   sh .ci/drivergate diff origin/main   what the change does to the fleet, as Markdown for a comment
#   sh .ci/drivergate drift              out/ against inventory/, whatever else is wrong
#   sh .ci/drivergate scheduled          what stands, on the day of the run: fails on silences that are past their day
#   sh .ci/drivergate audit              what the clusters run, as build/audit.json; needs a kubeconfig of theirs
# DRIVERGATE_TODAY is the day of all jobs of a run, DRIVERGATE_GREEN the last commit of the branch whose gate passed, and
# DRIVERGATE_OBSERVED the file of an audit: evidence that no node runs a kernel any more.
# Reports of the gate lie in build/: for GitHub SARIF and a summary, for GitLab code quality and tests.
set -eu

base() {
  git merge-base "$1" HEAD && return
  echo "no commit is known that HEAD and $1 have in common: fetch the whole history (fetch-depth: 0, GIT_DEPTH: 0)" >&2
  exit 3
}

case "${1:-}" in
  gate)
    target=${2:-} today=${DRIVERGATE_TODAY:-} green=${DRIVERGATE_GREEN:-}
    if [ -n "${GITHUB_ACTIONS:-}" ]; then
      set -- --format github --output sarif=build/drivergate.sarif --output markdown=build/drivergate.md
    elif [ -n "${GITLAB_CI:-}" ]; then
      set -- --output gitlab=build/code-quality.json --output junit=build/junit.xml
    else
      set --
    fi
    if [ -s "${DRIVERGATE_OBSERVED:-}" ]; then set -- "$@" --observed "$DRIVERGATE_OBSERVED"; fi
    if [ -n "$target" ]; then
      base=$(base "$target")
      exec drivergate check --against "$base" ${today:+--today "$today"} "$@"
    fi
    # What was merged since the last green commit was synced one by one: nodes may run what any of it declares.
    if [ -n "$green" ] && [ "$green" != "$(git rev-parse HEAD)" ] && git merge-base --is-ancestor "$green" HEAD; then
      exec drivergate check --rev HEAD --against "$green" --merged "$@"
    fi
    echo "no green commit before this one is known: it is judged against its first parent" >&2
    exec drivergate check --rev HEAD "$@"
    ;;
  diff)
    base=$(base "${2:?name the branch that the change goes to}")
    set --
    if [ -s "${DRIVERGATE_OBSERVED:-}" ]; then set -- --observed "$DRIVERGATE_OBSERVED"; fi
    exec drivergate diff "$base" HEAD --format markdown "$@"
    ;;
  drift)
    exec drivergate render --check ${DRIVERGATE_TODAY:+--today "$DRIVERGATE_TODAY"}
    ;;
  scheduled)
    exec drivergate check --scheduled ${DRIVERGATE_TODAY:+--today "$DRIVERGATE_TODAY"}
    ;;
  audit)
    mkdir -p build
    # What differs is no reason to lose what was seen; a cluster that can't be asked is.
    code=0
    drivergate audit --format json > build/audit.json || code=$?
    if [ "$code" -le 1 ]; then exit 0; fi
    exit "$code"
    ;;
  *)
    echo "usage: sh .ci/drivergate gate [TARGET] | diff TARGET | drift | scheduled | audit" >&2
    exit 2
    ;;
esac
