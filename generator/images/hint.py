"""How to come by an image that is not built: what to correct in the inventory, or how to build it."""

from functools import cache

from msgspec import Struct

from generator.declared.mirror import catalog_name
from generator.facts import driver as drivers
from generator.facts import tag
from generator.facts.recipe import CONTAINERS, recipe
from generator.images.lookup import DIGEST, Lack, Miss, copied_from
from generator.images.nearest import Nearest, os_of

TELLING = frozenset({"KERNEL_VERSION", "DRIVER_BRANCH", "DRIVER_VERSION", "OS_TAG"})
# Systems that NVIDIA publishes driver images for (gpu-driver-container .github/workflows/image.yaml, Makefile).
PUBLIC_SYSTEMS = {"ubuntu": "22.04", "rhel": "9.4", "rhcos": "4.16", "rocky": "9.4"}  # with a VERSION_ID of each
LIST = "add its line to the catalog"


class Wrong(Struct, frozen=True):
    """The key of `os` that NFD would label otherwise, and how to correct it."""

    key: str
    hint: str


def hint(miss: Miss, nearest: Nearest) -> str:
    """How to get the image."""
    repository = nearest.repository(miss.repository)
    copied = copied_from(nearest.catalog, miss)
    if copied is not None:
        return f"copy it from {copied.repository} with all its platforms (skopeo copy --all) and {LIST}"
    if repository is None:
        asks = catalog_name(nearest.catalog.mirrors, miss.repository)
        near = nearest.name(asks)
        if near:
            return f"correct the repository ({near})"
        return f"add an ImageCatalog of {asks} that lists what is built"
    if miss.lack in {Lack.RECORD, Lack.CERTAINTY}:
        return "write the platforms of the image into its line"
    if miss.tag.startswith(DIGEST):
        return f"correct the digest, or {LIST} if it is built"
    if wrong := misspelt(miss):
        return wrong.hint
    way = "before the roll" if miss.upcoming else "or roll the pool to a kernel that is built"
    if miss.lack is Lack.GONE and miss.entry is not None:
        way = way if miss.kernel else f"or set a driver.version that is built for {os_of(miss)}"
        return f"push it again and remove `gone: true` from {miss.entry.file}:{miss.entry.line}, {way}"
    if usual := expected(miss, nearest):
        other, is_built = usual
        then = f"; {other} is built" if is_built else f", build {other} ({_recipe(miss)}) and {LIST}"
        return f"{by_branch(miss)}{then}"
    os = miss.pool.os
    if os and os.id not in PUBLIC_SYSTEMS and not repository.has_system(os.id):
        return (
            f"build it yourself and {LIST}, since no images are published for {os.id}, or set driver.mode: "
            "preinstalled if the host brings its driver (the operator's driver.enabled=false)"
        )
    if miss.kernel is None:
        return f"{LIST} once it is built, or set a driver.version that is built for {os_of(miss)}"
    return f"build it ({_recipe(miss)}) and {LIST}, {way}"


def expected(miss: Miss, nearest: Nearest) -> tuple[str, bool] | None:
    """The tag by branch that an exact version should have been, and whether it is built; None where that is right."""
    pool, repository = miss.pool, nearest.repository(miss.repository)
    version = pool.driver.version
    exact = miss.kernel and drivers.is_driver(version) and not drivers.is_branch(version)
    if miss.lack is not Lack.IMAGE or not exact or pool.os is None or pool.os.id != "ubuntu":
        return None
    if repository is None or not repository.by_branch(os_of(miss)):
        return None
    other = tag.compose(drivers.branch(version), miss.kernel.name if miss.kernel else "", os_of(miss))
    entry = nearest.catalog.find(miss.repository, other)
    return other, entry is not None and not entry.gone


def by_branch(miss: Miss) -> str:
    """What to do about such a version."""
    return f'set driver.branch: "{drivers.branch(miss.pool.driver.version)}" in place of the version'


def misspelt(miss: Miss) -> Wrong | None:
    """What NFD would label otherwise. An id that nobody knows is free text: it may be a system of the user's own."""
    os = miss.pool.os
    if os is None or miss.lack is not Lack.IMAGE:
        return None
    near = _public_system(os.id)
    if near and near != os.id:
        return Wrong("id", f'correct os.id "{os.id}": did you mean "{near}"?')
    if near and not os.version[:1].isdigit():
        return Wrong("version", f'write os.version as NFD\'s VERSION_ID has it, in digits ("{PUBLIC_SYSTEMS[os.id]}")')
    return None


@cache
def _public_system(os_id: str) -> str:
    """The public system that is meant by an id, which is in lower case (os-release(5)); "" for all others."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(os_id.lower(), sorted(PUBLIC_SYSTEMS), n=1, cutoff=0.8)), "")


def _recipe(miss: Miss) -> str:
    """The build in short: what differs from one image to the next."""
    assert miss.kernel is not None
    build = recipe(os_of(miss), miss.kernel.written, miss.pool.driver.version, miss.arches[0])
    if build is None:
        return f"in the manner of ubuntu24.04/precompiled of {CONTAINERS}"
    platform = f" --platform {miss.platforms.replace(' and ', ',')}" if miss.lack is Lack.PLATFORM else ""
    given = [f"{name}={value}" for name, value in build.arguments.items() if name in TELLING]
    if "DRIVER_VERSION" in build.open_arguments:
        given.append("DRIVER_VERSION" if build.folder.startswith("ubuntu") else build.open_arguments["DRIVER_VERSION"])
    where = (
        f"{build.tool}{platform} {build.folder}" if build.tool == "docker build" else f"{build.tool} in {build.folder}"
    )
    return f"{where} of {CONTAINERS} with {', '.join(given[:-1])} and {given[-1]}"
