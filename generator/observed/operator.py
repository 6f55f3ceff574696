"""Which release of the operator runs, as its own pods tell it."""

from collections.abc import Iterable

from generator.facts.reference import parse
from generator.observed.pod import Pod


def operator_release(pods: Iterable[Pod]) -> str:
    """The validator's image is of the operator's version (chart values, validator.version); "" where none tells."""
    for pod in pods:
        if pod.validates:
            for container in pod.containers:
                found = parse(container.image) if container.image else None
                if found and "gpu-operator" in found.repository and found.tag.startswith("v"):
                    return found.tag
    return ""
