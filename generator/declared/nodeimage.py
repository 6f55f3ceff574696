"""What is wrong within one NodeImage: told once, however many pools name it."""

from collections.abc import Iterator

from generator.declared import model
from generator.declared.inventory import Loaded
from generator.declared.ownpool import repeated
from generator.declared.shape import did_you_mean
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.facts.kernel import architecture
from generator.finding import Finding, Severity


def problems(image: Loaded[model.NodeImage], texts: Texts) -> Iterator[Finding]:
    """Releases without a kernel, kernels of an architecture that isn't listed, what is listed twice."""
    yield from _releases(image, texts)
    yield from _kernels(image, texts)
    for key in ("arch", "running", "upcoming"):
        listed = getattr(image.shape, key)
        for first, index in repeated(listed):
            message = f'{key} lists "{listed[index]}" twice'
            hint = f"remove one of them, or correct it to what was meant: the other is {key}.{first}"
            yield _problem(image, texts, (key, index), message, hint, rule="inventory/duplicate")


def _releases(image: Loaded[model.NodeImage], texts: Texts) -> Iterator[Finding]:
    known = image.shape.kernels
    for key in ("running", "upcoming"):
        told: set[str] = set()
        for index, release in enumerate(getattr(image.shape, key)):
            if release not in known and release not in told:
                told.add(release)
                hint = did_you_mean(release, sorted(known)) or f"add {release} to kernels"
                yield _problem(image, texts, (key, index), f'no kernel for its {key} release "{release}"', hint)


def _kernels(image: Loaded[model.NodeImage], texts: Texts) -> Iterator[Finding]:
    arch: list[str] = list(image.shape.arch)
    for release, kernel in image.shape.kernels.items():
        named = architecture(kernel)
        if named and named not in arch:
            message = f'kernel "{kernel}" is one of {named}, and arch is {", ".join(arch)}'
            hint = f"add {named} to arch, or remove the kernel"
            yield _problem(image, texts, ("kernels", release), message, hint)


def _problem(
    image: Loaded[model.NodeImage], texts: Texts, path: Path, message: str, hint: str, *, rule: str = "inventory/schema"
) -> Finding:
    return Finding(
        rule=rule,
        severity=Severity.INVALID,
        place=texts.value(image.file, path),
        message=f'node image "{image.shape.name}": {message}',
        hint=hint,
    )
