"""The CustomResourceDefinitions that the fleet names, so that hook, CI and laptop judge by what really runs."""

from typing import Any

from generator.documents.document import read
from generator.documents.scalar import Ambiguous, is_null
from generator.facts.definition import Definition, definitions
from generator.finding import Finding, Place, invalid
from generator.layout import OUT, path_problem

EXAMPLE = "crds/nvidiadrivers.yaml"

TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read_crd(file: str, data: bytes | None, said: Place) -> tuple[tuple[Definition, ...], tuple[Finding, ...]]:
    """The kinds that a CRD file defines. `said` is where the fleet names the file."""
    if wrong := path_problem(file, EXAMPLE):
        return (), (invalid("inventory/schema", said, *wrong),)
    if file.split("/", maxsplit=1)[0] == OUT:
        return (), (
            invalid("inventory/schema", said, f"{file} lies inside {OUT}/", f"move it out, for example to {EXAMPLE}"),
        )
    if data is None:
        return (), (
            invalid(
                "inventory/schema",
                said,
                f"{file} is not there",
                "correct the path: it is relative to the repository's root",
            ),
        )
    document = read(data, file)
    if document.findings:
        return (), document.findings
    found = definitions(plain(document.value))
    if not found:
        place, hint = Place(file, 1, 1), "name CustomResourceDefinition files in crds"
        return (), (
            invalid("inventory/schema", place, f"{file} holds no CustomResourceDefinition with a schema", hint),
        )
    return found, ()


def plain(value: Any) -> Any:
    """A document's values as a Kubernetes client reads them: what we keep ambiguous becomes what YAML says."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if not isinstance(value, Ambiguous):
        return value
    if is_null(value):
        return None
    try:
        return float(value.text)
    except ValueError:
        return TRUTHS.get(value.text.lower(), value.text)
