"""The names of a repository's own folders and files, each relative to its root."""

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
