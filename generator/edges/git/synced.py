"""The commit that clusters are taken to run: where the work begins to differ from the upstream's default branch."""

from msgspec import Struct

from generator.edges.errors import OutsideError, UnreadableError
from generator.edges.git.command import Git
from generator.edges.git.history import start_commit

SHORT = 12
ORIGIN = "refs/remotes/origin/HEAD"


class Base(Struct, frozen=True):
    """A revision to compare with, and how a reader is told which it is; `branch` where it is that of an upstream."""

    rev: str
    label: str
    branch: str = ""


def named(rev: str) -> Base:
    """A revision that the reader named."""
    return Base(rev, rev)


def synced_base(git: Git) -> Base:
    """The merge base of HEAD and the default branch of the upstream; HEAD where no such branch is known here.

    What is merged is what Argo CD or Flux brings to clusters; commits of this clone alone are not.
    """
    here = Base("HEAD", "HEAD")
    try:
        listed = git.read("for-each-ref", "--format=%(refname) %(symref:short)", "refs/remotes/*/HEAD")
        remotes = dict(line.split(" ", 1) for line in listed.decode("utf-8", "replace").splitlines() if " " in line)
        if len(remotes) != 1 and ORIGIN not in remotes:
            return here
        ref = ORIGIN if ORIGIN in remotes else next(iter(remotes))
        found = git.run("merge-base", "HEAD", ref)
    except OutsideError:
        return here
    commit = found.stdout.decode().strip()
    if found.code or not commit:
        return here
    branch = remotes[ref].partition("/")[2]
    return Base(commit, f"{commit[:SHORT]} (merge base with {remotes[ref]})", branch)


def compared_base(git: Git) -> Base:
    """What a change is compared with where nobody says it.

    That is the merge base with the upstream's default branch; on that branch itself, or without an upstream, HEAD while
    the work tree differs from it, and the commit before HEAD where it doesn't. UnreadableError where there is none.
    """
    here = start_commit(git, "HEAD").collect()
    base = synced_base(git)
    if base.rev not in {"HEAD", here.id}:
        return base
    if git.read("status", "--porcelain", "--untracked-files=all").strip():
        return Base("HEAD", "HEAD")
    if here.first_parent is None:
        raise UnreadableError(
            "there is nothing to compare with: the first commit is the only one, and the work tree is as it is",
            "name a commit: drivergate diff BASE",
        )
    return Base(here.first_parent, "HEAD~1")
