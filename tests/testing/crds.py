"""What a whole object of the operator's own kinds must hold."""

from generator.facts import crd


def required(kind: str, data_release: str) -> tuple[str, ...]:
    """The fields below `spec` that somebody has to write: required and without a default."""
    spec = crd.schema(kind, data_release)
    return tuple(key for key in spec.get("required", ()) if "default" not in spec["properties"][key])
