"""A fleet of any size that the gate finds nothing in: the same bytes for the same numbers."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

OS = (("22.04", "5.15.0"), ("24.04", "6.8.0"))
BRANCHES = {"535": "535.288.01", "550": "550.163.01", "570": "570.211.01", "580": "580.126.20", "595": "595.58.03"}
FLAVOURS = ("aws", "azure", "gcp", "generic", "oracle")
# The newest kernels are what pools run, so that a lookup is no neighbour of the file's first line.
STREAMS, FIRST = 4, 1000
FAMILIES = ("ampere", "ada", "hopper")
POOLS_PER_CLUSTER = 10
HEADER = "apiVersion: drivergate.dev/v1alpha1\n"

FLEET = f"""{HEADER}kind: Fleet
name: bench
requires: ">=0.1"

defaults:
  operator:
    version: v26.7.0
    install: helm
    driverApi: NVIDIADriver
  driver:
    repository: nvcr.io/nvidia/driver
    mode: precompiled
    branch: "580"
    upgradePolicy:
      autoUpgrade: true
      maxParallelUpgrades: 1
      maxUnavailable: "25%"
      waitForCompletion: {{podSelector: "", timeoutSeconds: 0}}
      podDeletion: {{force: false, timeoutSeconds: 300, deleteEmptyDir: true}}
      drain: {{enable: false}}

profiles:
  canary:
    driver: {{upgradePolicy: {{maxParallelUpgrades: 2}}}}
  steady:
    driver: {{upgradePolicy: {{maxUnavailable: "10%"}}}}
"""

# Three files a pool beside its NVIDIADriver, as a team would add them.
TEMPLATES = {
    "workloads/budget-{pool}.yaml.j2": """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ name }}
  namespace: {{ owner }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      example.com/pool: {{ name }}
""",
    "workloads/images-{pool}.yaml.j2": """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ name ~ "-images" }}
  namespace: {{ owner }}
data:
  mode: {{ mode }}
  images: {{ images | lines(4) }}
""",
    "patches/affinity-{pool}.yaml.j2": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ name }}
  namespace: {{ owner }}
spec:
  template:
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
{% for key, value in node_selector | items %}
                  - key: {{ key }}
                    operator: In
                    values: [{{ value }}]
{% endfor %}
""",
}


def write_fleet(root: Path, *, pools: int, entries: int, templates: bool = False) -> None:
    """An inventory of so many pools, ten a cluster, and so many images that are built."""
    _write(root / "inventory/fleet.yaml", FLEET)
    for name, text in node_images(entries):
        _write(root / f"inventory/node-images/{name}.yaml", text)
    for number in range(-(-pools // POOLS_PER_CLUSTER)):
        size = min(POOLS_PER_CLUSTER, pools - number * POOLS_PER_CLUSTER)
        _write(root / f"inventory/clusters/{cluster_name(number)}.yaml", cluster(number, size, entries))
    for name, text in catalogs(entries):
        _write(root / f"inventory/catalog/nvcr.io/nvidia/driver/{name}.yaml", text)
    for path, text in (TEMPLATES if templates else {}).items():
        _write(root / "templates/{cluster}" / path, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def kernels(entries: int, os: int, flavour: str) -> list[str]:
    """The kernels that every branch is built for, oldest first."""
    files = len(BRANCHES) * len(OS) * len(FLAVOURS)
    last = FIRST + max(STREAMS * 3, -(-entries // files))
    return [f"{OS[os][1]}-{number}-{flavour}" for number in range(FIRST, last)]


def catalogs(entries: int) -> Iterator[tuple[str, str]]:
    """One file a branch and OS, one image a line with everything that can be recorded; the newest are never cut."""
    surplus = sum(len(kernels(entries, 0, each)) for each in FLAVOURS) * len(BRANCHES) * len(OS) - entries
    for branch, version in BRANCHES.items():
        for number, (os, _) in enumerate(OS):
            tags = [
                f"{branch}-{kernel}-ubuntu{os}" for flavour in FLAVOURS for kernel in kernels(entries, number, flavour)
            ]
            if branch == "535":  # no pool uses it
                cut = min(len(tags) - 1, max(0, surplus))
                surplus -= cut
                tags = tags[cut:]
            yield f"{branch}-ubuntu{os}", catalog(version, sorted(tags))


def catalog(version: str, tags: list[str]) -> str:
    """One file of the catalog."""
    lines = [
        f'  - {{tag: "{tag}", platforms: [linux/amd64], driverVersion: "{version}", '
        f'digest: "sha256:{sha256(tag.encode()).hexdigest()}"}}\n'
        for tag in tags
    ]
    head = f"{HEADER}kind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages:\n"
    return head + "".join(lines)


def node_images(entries: int) -> Iterator[tuple[str, str]]:
    """Streams of machine images: three releases each, two of them running."""
    for number, (os, _) in enumerate(OS):
        for flavour in FLAVOURS:
            newest = kernels(entries, number, flavour)[-3 * STREAMS :]
            for stream in range(STREAMS):
                name = f"{flavour}-ubuntu{os.replace('.', '')}-{stream}"
                own = newest[3 * stream : 3 * stream + 3]
                releases = "".join(f'  "2026.0{month}": {kernel}\n' for month, kernel in enumerate(own, start=4))
                yield (
                    name,
                    (
                        f"{HEADER}kind: NodeImage\nname: {name}\n"
                        f'os: {{id: ubuntu, version: "{os}"}}\narch: [amd64]\nkernels:\n{releases}'
                        'running: ["2026.04", "2026.05"]\nupcoming: ["2026.06"]\n'
                    ),
                )


def cluster_name(number: int) -> str:
    """Sorted as they are numbered."""
    return f"cluster-{number:04d}"


def cluster(number: int, size: int, entries: int) -> str:
    """One cluster of several pools: node images and own kernels, taints, overrides."""
    profile = ("", "profile: canary\n", "profile: steady\n")[number % 3]
    body = "".join(pool(number, index, entries) for index in range(size))
    return f'{HEADER}kind: Cluster\nname: {cluster_name(number)}\nring: "{number % 3}"\n{profile}pools:\n{body}'


def pool(number: int, index: int, entries: int) -> str:
    """One pool; `index` decides what it has of its own."""
    at = number * POOLS_PER_CLUSTER + index
    os, flavour, family = at % len(OS), FLAVOURS[at % len(FLAVOURS)], FAMILIES[at % len(FAMILIES)]
    name = pool_name(index)
    lines = [
        f"  {name}:",
        f"    owner: team-{at % 7}",
        f"    nodeSelector: {{example.com/pool: {name}}}",
        "    nodes: {min: 2, max: 40}" if index % 4 == 0 else f"    nodes: {4 + at % 13}",
        f"    gpu: {{family: {family}}}",
    ]
    if index % 3 == 0:
        lines.append('    taints: ["nvidia.com/gpu=present:NoSchedule", "example.com/dedicated=train:NoSchedule"]')
    if index % 5 == 4:
        own = kernels(entries, os, flavour)[-2:]
        lines += [f'    os: {{id: ubuntu, version: "{OS[os][0]}"}}', "    arch: [amd64]"]
        lines += [f"    kernels: [{own[0]}]", f"    upcomingKernels: [{own[1]}]"]
    else:
        lines.append(f"    nodeImage: {flavour}-ubuntu{OS[os][0].replace('.', '')}-{at % STREAMS}")
    if index % 5 == 2:
        lines.append("    driver: {kernelModuleType: open, upgradePolicy: {maxParallelUpgrades: 4}}")
    if index % 5 == 3:
        lines.append("    driver: {spec: {rdma: {enabled: true}}}")
    return "\n".join(lines) + "\n"


def pool_name(index: int) -> str:
    """Unique in its cluster."""
    return f"pool-{index:02d}"
