"""Small inventories for the cases. Every argument is YAML as somebody wrote it, so that quotes are the case's own."""

FLEET, CLUSTER, CATALOG = "inventory/fleet.yaml", "inventory/clusters/east.yaml", "inventory/catalog/driver.yaml"
REPOSITORY = "nvcr.io/nvidia/driver"
UBUNTU = 'id: ubuntu, version: "22.04"'
KERNEL = "5.15.0-118-generic"

HEAD = "apiVersion: drivergate.dev/v1alpha1\nkind: {kind}\n"


def fleet(
    operator: str = "v26.7.0", *, api: str = "NVIDIADriver", more: str = "", driver: str = "", top: str = ""
) -> str:
    """The fleet: an operator, a repository of precompiled drivers, and whatever else its defaults hold."""
    return (
        HEAD.format(kind="Fleet") + "name: cases\n" + top + "defaults:\n"
        f"  operator: {{version: {operator}, driverApi: {api}{more}}}\n"
        f"  driver: {{repository: {REPOSITORY}, mode: precompiled{driver}}}\n"
    )


def pool(
    name: str,
    driver: str = "",
    *,
    os: str = UBUNTU,
    kernels: str = KERNEL,
    arch: str = "amd64",
    selector: str | None = None,
    more: str = "",
) -> str:
    """One line below `pools`. Without a selector of its own a pool is chosen by a label that holds its name."""
    parts = {
        "nodeSelector": f"{{gpu-pool: {name}}}" if selector is None else selector,
        "os": f"{{{os}}}",
        "arch": f"[{arch}]",
        "kernels": f"[{kernels}]" if kernels else "",
        "driver": f"{{{driver}}}" if driver else "",
    }
    line = ", ".join(f"{key}: {value}" for key, value in parts.items() if value)
    return f"  {name}: {{{line}{more}}}\n"


def cluster(*pools: str, name: str = "east", top: str = "") -> str:
    """A cluster with its pools."""
    return HEAD.format(kind="Cluster") + f"name: {name}\n{top}pools:\n" + "".join(pools)


def image(tag: str, platforms: str = "linux/amd64", more: str = "") -> str:
    """One line below `images`."""
    return f'  - {{tag: "{tag}", platforms: [{platforms}]{more}}}\n'


def catalog(*lines: str, repository: str = REPOSITORY) -> str:
    """A catalog of one repository."""
    return HEAD.format(kind="ImageCatalog") + f"repository: {repository}\nimages:\n" + "".join(lines)


def files(*pools: str, images: tuple[str, ...] = (), **of_fleet: str) -> dict[str, str | bytes]:
    """A whole repository, path to text: one cluster with these pools. A tag alone is built for amd64."""
    lines = [line if line.startswith(" ") else image(line) for line in images]
    listed = {CATALOG: catalog(*lines)} if lines else {}
    return {FLEET: fleet(**of_fleet), CLUSTER: cluster(*pools), **listed}
