"""A credential helper: the program `docker-credential-NAME`, asked for one registry and for no other."""

import re
import shutil
from collections.abc import Mapping

from msgspec import DecodeError, Struct, ValidationError, json

from generator.edges.errors import CouldNotLookError, reason
from generator.edges.process import Child, Output
from generator.edges.registry.address import Address
from generator.edges.registry.authfile import Stored, server, stored_of
from generator.words import printable

# docker-credential-helpers credentials/error.go: what it prints where it has none.
_NONE = b"credentials not found in native keychain"


class _Answer(Struct):
    Username: str = ""
    Secret: str = ""


def ask(name: str, address: Address, environ: Mapping[str, str], file: str) -> Stored | None:
    """What the helper keeps for a registry; raise CouldNotLookError where it fails. What it prints is never shown."""
    program = f"docker-credential-{name}"
    hint = f"mend it, or take it out of {printable(file)}"
    if re.fullmatch(r"[A-Za-z0-9._-]+", name) is None:
        raise CouldNotLookError(f'{printable(file)} names "{printable(name)}", which is no credential helper', hint)
    output = _run(program, server(address), environ, hint)
    if output.code != 0:
        if _NONE in output.stdout:
            return None
        raise CouldNotLookError(f"{program} ended with {output.code} when asked for {address.registry}", hint)
    try:
        answer = json.decode(output.stdout, type=_Answer)
    except (DecodeError, ValidationError, UnicodeDecodeError):
        raise CouldNotLookError(f"{program} answered for {address.registry} with something else", hint) from None
    return stored_of(answer.Username, answer.Secret, program)


def _run(program: str, wanted: str, environ: Mapping[str, str], hint: str) -> Output:
    found = shutil.which(program, path=environ.get("PATH"))
    if found is None:
        raise CouldNotLookError(f"{program} is not on the PATH", hint)
    try:
        return Child((found, "get"), environ, wanted.encode()).collect()
    except OSError as error:
        raise CouldNotLookError(f"{program} can't be run: {reason(error)}", hint) from None
