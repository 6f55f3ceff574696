"""Commands to type and names to show in a Markdown page: nothing in them breaks out of it, or of a shell's word."""

from collections.abc import Iterable, Iterator

from generator.declared.fleet import Cluster
from generator.words import printable, shell_quoted


def code(text: str) -> str:
    """What can't break out of a code span or a line."""
    return printable(text).replace("`", "'")


def codes(texts: Iterable[str], between: str = ", ") -> str:
    """Each in a span of its own."""
    return between.join(f"`{code(text)}`" for text in texts)


def context(cluster: Cluster) -> str:
    """The kubeconfig context of a cluster, as a shell's word."""
    return shell_quoted(cluster.kube_context or cluster.name)


def shell(*commands: str) -> Iterator[str]:
    """A block of commands, with the empty line before it."""
    yield ""
    yield "```sh"
    yield from (printable(command) for command in commands)
    yield "```"
