"""One image of a catalog, the grammars of its parts, and its canonical line."""

import re

from msgspec import Struct

from generator.finding import Place

# A registry with a path: the whole name as it stands before a tag.
REPOSITORY = r"[A-Za-z0-9][A-Za-z0-9._-]*(?::[0-9]{1,5})?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+"
TAG = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}"
PLATFORM = r"[a-z0-9]+/[a-z0-9_]+(?:/[a-z0-9._]+)?"
VERSION = r"[0-9A-Za-z][0-9A-Za-z._+-]*"
PLATFORMS = re.compile(rf"{PLATFORM}(?:, {PLATFORM})*")
MODULE_TYPE = r"open|proprietary"
DIGEST = r"sha256:[0-9a-f]{64}"
# What no reader takes for a line end is asked once of the whole text: to compile a set with ranges beyond Latin-1
# costs 2 ms wherever it stands, and comments may stand in ten places.
_COMMENT = r"#[^\x00-\x1f\x7f]*"
NOTHING = rf" *(?:{_COMMENT})?\r?"
REST = rf"(?: +{_COMMENT})? *\r?"
# Compiled by who reads lines one by one, which hardly a catalog asks for.
LINE = (
    rf'  - \{{tag: "({TAG})"'
    rf"(?:, platforms: \[([a-z0-9._/, ]+)\])?"
    rf'(?:, driverVersion: "({VERSION})")?'
    rf"(?:, moduleType: ({MODULE_TYPE}))?"
    rf'(?:, digest: "({DIGEST})")?'
    rf"(, gone: true)?\}}{REST}"
)
# The same for a file without comments or blank lines between: all of it at once, in C.
LINES = re.compile(rf"^{LINE}$", re.MULTILINE)


class Entry(Struct, frozen=True, gc=False):
    """A built image, and the line that says so. What is None is not recorded; `gone` counts as missing."""

    tag: str
    platforms: tuple[str, ...] | None = None
    driver_version: str | None = None
    module_type: str | None = None
    digest: str | None = None
    gone: bool = False
    file: str = ""
    line: int = 0

    @property
    def place(self) -> Place:
        """Where the image is listed."""
        return Place(self.file, self.line, 1) if self.line else Place(self.file)


def canonical(entry: Entry) -> str:
    """The one line that an image has in a catalog, without a line end."""
    parts = [f'tag: "{entry.tag}"']
    if entry.platforms is not None:
        parts.append(f"platforms: [{', '.join(entry.platforms)}]")
    if entry.driver_version is not None:
        parts.append(f'driverVersion: "{entry.driver_version}"')
    if entry.module_type is not None:
        parts.append(f"moduleType: {entry.module_type}")
    if entry.digest is not None:
        parts.append(f'digest: "{entry.digest}"')
    if entry.gone:
        parts.append("gone: true")
    return f"  - {{{', '.join(parts)}}}"
