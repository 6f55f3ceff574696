"""One pool made effective: its driver through all levels, its OS and kernels from its node image or its own."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from generator.declared import model
from generator.declared.fleet import Driver, Kernel, Mode, Operator, OsRelease, Pool, Size, Taint
from generator.declared.inventory import Loaded
from generator.declared.layers import Level, Path, below, merged
from generator.declared.shape import did_you_mean
from generator.declared.texts import Texts
from generator.facts.kernel import architecture, label_form
from generator.facts.label import label_key_problem, label_value_problem
from generator.finding import Finding, Place, Severity

TAINT = re.compile(r"([^=:\s]+)(?:=([^=:\s]*))?:(NoSchedule|PreferNoSchedule|NoExecute)")
OWN_MACHINE = ("os", "arch", "kernels", "upcomingKernels")
BOTH = "driver.branch and driver.version are alternatives, and both are given"
HOST_DRIVER_KEYS = frozenset({"mode", "version"})


def both(driver: Mapping[str, Any]) -> bool:
    """Whether one level gives both of the alternatives branch and version."""
    return "branch" in driver and "version" in driver


class PoolMaker:
    """Makes the pools of one cluster; what they inherit is merged once."""

    def __init__(
        self,
        cluster: Loaded[model.Cluster],
        levels: tuple[Level, ...],
        operator: Operator,
        images: Mapping[str, Loaded[model.NodeImage]],
        texts: Texts,
    ) -> None:
        self.cluster, self.levels, self.operator = cluster, levels, operator
        self.images, self.texts = images, texts
        self.inherited = Level("inherited", cluster.file, (), merged(levels))
        self.driver_levels = below(levels, "driver")
        self.own_driver = self.driver(self.driver_levels)

    def make(self, name: str) -> tuple[Pool | None, list[Finding]]:
        """The pool, or the findings that leave none to judge."""
        shape, tree = self.cluster.shape.pools[name], self.cluster.tree["pools"][name]
        path: Path = ("pools", name)
        own = Level("pool", self.cluster.file, path, tree)
        findings = [*self._alternatives(name, tree), *self._labels(name, shape)]
        driver_levels = (*below((own,), "driver"), *self.driver_levels)
        driver = self.own_driver if shape.driver is UNSET else self.driver(driver_levels)
        findings += self._host_driver(name, driver.mode, driver_levels)
        machine, problems = self._machine(name, shape, driver)
        findings += problems
        taints, problems = self._taints(name, shape)
        findings += problems
        size, problems = self._size(name, shape)
        findings += problems
        if findings:
            return None, findings
        protect = tree.get("protect", self.inherited.value.get("protect", True))
        renamed = "" if shape.renamed_from is UNSET else shape.renamed_from
        pool = Pool(
            name=name,
            cluster=self.cluster.shape.name,
            driver=driver,
            object_name=renamed or name,
            file=self.cluster.file,
            levels=(own, *self.levels),
            owner="" if shape.owner is UNSET else shape.owner,
            node_selector={} if shape.node_selector is UNSET else shape.node_selector,
            default=shape.default,
            taints=taints,
            size=size,
            family="" if shape.gpu is UNSET else shape.gpu.family,
            secure_boot=None if shape.secure_boot is UNSET else shape.secure_boot,
            node_image="" if shape.node_image is UNSET else shape.node_image,
            floating=shape.kernel_source == "floating",
            renamed_from=renamed,
            protect=bool(protect),
            **machine,
        )
        return pool, []

    def driver(self, levels: tuple[Level, ...]) -> Driver:
        """The effective driver. A host's own driver drops whatever it would inherit."""
        mode = Mode(next((level.value["mode"] for level in levels if "mode" in level.value), "precompiled"))
        settings = merged(_own(levels) if mode in {Mode.PREINSTALLED, Mode.UNMANAGED} else levels)
        if mode in {Mode.PREINSTALLED, Mode.UNMANAGED}:
            return Driver(mode=mode, version=settings.get("version", ""))
        return Driver(
            mode=mode,
            repository=settings.get("repository", ""),
            version=settings.get("branch", settings.get("version", "")),
            is_branch="branch" in settings,
            module_type=settings.get("kernelModuleType", "auto"),
            upgrade_policy=settings.get("upgradePolicy", {}),
            spec=settings.get("spec", {}),
        )

    def _problem(self, name: str, path: Path, message: str, hint: str, *, key: bool = False) -> Finding:
        whole: Path = ("pools", name, *path)
        place = self.texts.key(self.cluster.file, whole) if key else self.texts.value(self.cluster.file, whole)
        return self._at(name, place, message, hint)

    def _at(self, name: str, place: Place, message: str, hint: str) -> Finding:
        return Finding(
            rule="inventory/schema",
            severity=Severity.INVALID,
            place=place,
            message=f'pool "{name}": {message}',
            hint=hint,
            cluster=self.cluster.shape.name,
            pool=name,
        )

    def _alternatives(self, name: str, tree: Mapping[str, Any]) -> Iterator[Finding]:
        for key in OWN_MACHINE:
            if "nodeImage" in tree and key in tree:
                message = f"nodeImage and {key} are alternatives, and both are given"
                yield self._problem(name, (key,), message, f"remove {key} or nodeImage", key=True)
        if both(tree.get("driver", {})):
            yield self._problem(name, ("driver", "version"), BOTH, "remove one of the two", key=True)

    def _labels(self, name: str, shape: model.Pool) -> Iterator[Finding]:
        if shape.node_selector is UNSET:
            return
        for key, value in shape.node_selector.items():
            path: Path = ("nodeSelector", key)
            if why := label_key_problem(key):
                yield self._problem(name, path, f'nodeSelector key "{key}" {why}', "write a label key", key=True)
            elif why := label_value_problem(value):
                yield self._problem(name, path, f'nodeSelector {key} is "{value}", which {why}', "write a label value")

    def _host_driver(self, name: str, mode: Mode, levels: tuple[Level, ...]) -> Iterator[Finding]:
        if mode not in {Mode.PREINSTALLED, Mode.UNMANAGED}:
            return
        for level in _own(levels):
            for key in sorted(set(level.value) - HOST_DRIVER_KEYS):
                place = self.texts.key(level.file, (*level.path, key))
                message = f"driver.{key} beside mode {mode}: that driver is not the operator's to set"
                yield self._at(name, place, message, f"remove driver.{key}, or change the mode")

    def _machine(self, name: str, shape: model.Pool, driver: Driver) -> tuple[dict[str, Any], list[Finding]]:
        """OS, architectures and kernels, from the node image or the pool's own."""
        if shape.node_image is not UNSET:
            image = self.images.get(shape.node_image)
            if image is None:
                known = sorted(self.images)
                hint = did_you_mean(shape.node_image, known) or "add a NodeImage document with that name"
                return {}, [self._problem(name, ("nodeImage",), f'no NodeImage is named "{shape.node_image}"', hint)]
            os: model.Os | UnsetType = image.shape.os
            arch: list[model.Arch] = image.shape.arch
            kernels, findings = self._image_kernels(name, image)
        else:
            os, arch = shape.os, [] if shape.arch is UNSET else shape.arch
            kernels, findings = self._own_kernels(shape, name), []
        if driver.managed:
            findings += self._incomplete(name, os, arch, kernels, driver)
        findings += self._foreign_kernels(name, arch, kernels)
        machine = {
            "os": None if os is UNSET else OsRelease(os.id, os.version),
            "arch": tuple(arch),
            "kernels": tuple(kernels),
        }
        return machine, findings

    def _image_kernels(self, name: str, image: Loaded[model.NodeImage]) -> tuple[list[Kernel], list[Finding]]:
        kernels: dict[str, Kernel] = {}
        findings = []
        for key, upcoming in (("running", False), ("upcoming", True)):
            for index, release in enumerate(getattr(image.shape, key)):
                written = image.shape.kernels.get(release)
                if written is None:
                    hint = did_you_mean(release, sorted(image.shape.kernels)) or f"add {release} to kernels"
                    place = self.texts.value(image.file, (key, index))
                    message = f'node image "{image.shape.name}" has no kernel for its {key} release "{release}"'
                    findings.append(self._at(name, place, message, hint))
                    continue
                kernel = Kernel(label_form(written), written, upcoming, image.file, ("kernels", release))
                kernels.setdefault(kernel.name, kernel)
        return list(kernels.values()), findings

    def _own_kernels(self, shape: model.Pool, name: str) -> list[Kernel]:
        kernels: dict[str, Kernel] = {}
        for key, written_list, upcoming in (
            ("kernels", shape.kernels, False),
            ("upcomingKernels", shape.upcoming_kernels, True),
        ):
            for index, written in enumerate([] if written_list is UNSET else written_list):
                path: Path = ("pools", name, key, index)
                kernel = Kernel(label_form(written), written, upcoming, self.cluster.file, path)
                kernels.setdefault(kernel.name, kernel)
        return list(kernels.values())

    def _incomplete(
        self, name: str, os: Any, arch: list[Any], kernels: list[Kernel], driver: Driver
    ) -> Iterator[Finding]:
        missing = [key for key, value in (("os", None if os is UNSET else os), ("arch", arch)) if not value]
        if driver.mode is Mode.PRECOMPILED and not kernels:
            missing.append("kernels")
        if missing:
            message = f"{' and '.join(missing)} must be known for a {driver.mode} driver"
            hint = f"add {', '.join(missing)}, or name a nodeImage"
            yield self._problem(name, (), message, hint, key=True)

    def _foreign_kernels(self, name: str, arch: list[Any], kernels: list[Kernel]) -> Iterator[Finding]:
        for kernel in kernels:
            named = architecture(kernel.name)
            if named and arch and named not in arch:
                place = self.texts.value(kernel.file, kernel.path)
                message = f'kernel "{kernel.written}" is one of {named}, and arch is {", ".join(arch)}'
                yield self._at(name, place, message, f"add {named} to arch, or remove the kernel")

    def _taints(self, name: str, shape: model.Pool) -> tuple[tuple[Taint, ...], list[Finding]]:
        taints, findings = [], []
        for index, written in enumerate(shape.taints):
            found = TAINT.fullmatch(written)
            if found is None:
                message = f'"{written}" is no taint'
                hint = 'write "key=value:Effect" or "key:Effect" with NoSchedule, PreferNoSchedule or NoExecute'
                findings.append(self._problem(name, ("taints", index), message, hint))
                continue
            taints.append(Taint(found[1], found[2] or "", found[3]))
        return tuple(taints), findings

    def _size(self, name: str, shape: model.Pool) -> tuple[Size | None, list[Finding]]:
        nodes = shape.nodes
        if nodes is UNSET:
            return None, []
        if isinstance(nodes, int):
            return Size(nodes, nodes), []
        if nodes.min > nodes.max:
            message = f"nodes.min is {nodes.min} and nodes.max is {nodes.max}"
            return None, [self._problem(name, ("nodes",), message, "make min at most max")]
        return Size(nodes.min, nodes.max), []


def _own(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """The levels from the pool's own up to the one that names the mode."""
    for index, level in enumerate(levels):
        if "mode" in level.value:
            return levels[: index + 1]
    return levels
