"""The names of a repository's own folders and files, each relative to its root, and which others may be named."""

INVENTORY = "inventory"
TEMPLATES = "templates"
OUT = "out"
INPUTS = (INVENTORY, TEMPLATES)

# What render owns: path and hash of every file below out/. The name is relative to it.
MANIFEST = ".drivergate-manifest"
BASELINE = ".drivergate-baseline.yaml"
SOURCES_LOCK = ".drivergate-sources.lock"
# Where the inventories of other repositories are read as if they lay there.
SOURCES = f"{INVENTORY}/@"


def is_plain_path(path: str) -> bool:
    """Whether a path can be looked for below the root: no way out, and one spelling only."""
    return {"", ".", ".."}.isdisjoint(path.split("/")) and path.isprintable()


def path_problem(path: str, example: str) -> tuple[str, str] | None:
    """What is wrong with a path that the inventory names and what to do, None where it may be read.

    Of one in out/, the rule out/contains-input tells.
    """
    if not is_plain_path(path):
        return f"{path} is no path relative to the repository's root", f"write it like {example}"
    if path.split("/", maxsplit=1)[0] == INVENTORY:
        return f"{path} lies inside {INVENTORY}/", f"move it out, for example to {example}"
    return None
