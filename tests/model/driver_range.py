"""A range of driver versions as what it means: the versions that lie in it."""

from generator.facts.driverrange import Range, Version


def holds(versions: Range, version: Version) -> bool:
    """Whether the version lies in the range."""
    return versions.low <= version and (versions.high is None or version < versions.high)
