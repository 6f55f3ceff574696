"""One pool made effective: its driver through all levels, its OS and kernels from its node image or its own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from generator.declared import model
from generator.declared.driverspec import Specs
from generator.declared.fleet import Driver, Hold, Kernel, Mode, Operator, OsRelease, Pool
from generator.declared.inventory import Loaded
from generator.declared.layers import Level, below, merged
from generator.declared.ownpool import OwnPool, repeated
from generator.declared.shape import did_you_mean
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.facts.kernel import architecture, label_form
from generator.finding import Finding, Severity

HOST_DRIVER_KEYS = frozenset({"mode", "version"})


class PoolMaker:
    """Makes the pools of one cluster; what they inherit is merged once."""

    def __init__(
        self,
        cluster: Loaded[model.Cluster],
        levels: tuple[Level, ...],
        operator: Operator,
        images: Mapping[str, Loaded[model.NodeImage] | None],
        texts: Texts,
        specs: Specs,
    ) -> None:
        """`images` by name, None for one that could not be read."""
        self.cluster, self.levels, self.operator = cluster, levels, operator
        self.images, self.texts, self.specs = images, texts, specs
        self.own = OwnPool(cluster, texts)
        self.inherited = Level("inherited", cluster.file, (), merged(levels))
        self.driver_levels = below(levels, "driver")
        self.own_driver = self.driver(self.driver_levels)

    def make(self, name: str) -> tuple[Pool | None, list[Finding]]:
        """The pool, or the findings that leave none to judge; neither where its node image could not be read."""
        shape, tree = self.cluster.shape.pools[name], self.cluster.tree["pools"][name]
        path: Path = ("pools", name)
        own = Level("pool", self.cluster.file, path, tree)
        parts = self.own.parts(name)
        findings = list(parts.findings)
        driver_levels = (*below((own,), "driver"), *self.driver_levels)
        driver = self.own_driver if shape.driver is UNSET else self.driver(driver_levels)
        findings += self._host_driver(name, driver.mode, driver_levels)
        machine, problems = self._machine(name, shape, driver)
        findings += problems
        if findings or machine is None:
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
            taints=parts.taints,
            size=parts.size,
            family="" if shape.gpu is UNSET else shape.gpu.family,
            secure_boot=None if shape.secure_boot is UNSET else shape.secure_boot,
            node_image="" if shape.node_image is UNSET else shape.node_image,
            floating=shape.kernel_source == "floating",
            renamed_from=renamed,
            hold=_hold(shape.hold),
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
            spec=self.specs.fitted(levels, self.operator),
        )

    def _host_driver(self, name: str, mode: Mode, levels: tuple[Level, ...]) -> Iterator[Finding]:
        """What stands beside such a mode. A farther level's mistake names no pool, so it is told once for all."""
        if mode not in {Mode.PREINSTALLED, Mode.UNMANAGED}:
            return
        for level in _own(levels):
            for key in sorted(set(level.value) - HOST_DRIVER_KEYS):
                place = self.texts.key(level.file, (*level.path, key))
                message = f"driver.{key} beside mode {mode}: that driver is not the operator's to set"
                hint = f"remove driver.{key}, or change the mode"
                if level.name == "pool":
                    yield self.own.at(name, place, message, hint)
                else:
                    rule, severity = "inventory/schema", Severity.INVALID
                    yield Finding(rule=rule, severity=severity, place=place, message=message, hint=hint)

    def _machine(self, name: str, shape: model.Pool, driver: Driver) -> tuple[dict[str, Any] | None, Sequence[Finding]]:
        """OS, architectures and kernels, from the node image or the pool's own."""
        image = None
        if shape.node_image is not UNSET:
            image = self.images.get(shape.node_image)
            if image is None:
                return None, () if shape.node_image in self.images else [self._no_image(name, shape.node_image)]
        os: model.Os | UnsetType = image.shape.os if image else shape.os
        arch: list[model.Arch] = image.shape.arch if image else [] if shape.arch is UNSET else shape.arch
        kernels = _image_kernels(image) if image else self._own_kernels(shape, name)
        findings = [] if image else list(self._unfit_kernels(name, arch, kernels))
        if driver.managed and not findings:
            findings += self._incomplete(name, image, os, arch, kernels, driver)
        machine = {
            "os": None if os is UNSET else OsRelease(os.id, os.version),
            "arch": tuple(arch),
            "kernels": tuple(kernels),
        }
        return machine, findings

    def _no_image(self, name: str, written: str) -> Finding:
        hint = did_you_mean(written, sorted(self.images)) or "add a NodeImage document with that name"
        return self.own.problem(name, ("nodeImage",), f'no NodeImage is named "{written}"', hint)

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
        self,
        name: str,
        image: Loaded[model.NodeImage] | None,
        os: Any,
        arch: Sequence[str],
        kernels: Sequence[Kernel],
        driver: Driver,
    ) -> Iterator[Finding]:
        missing = [key for key, value in (("os", None if os is UNSET else os), ("arch", arch)) if not value]
        if driver.mode is Mode.PRECOMPILED and all(kernel.upcoming for kernel in kernels):
            missing.append("kernels")
        if missing and image:
            message = f'node image "{image.shape.name}" lists no running release for a {driver.mode} driver'
            yield self.own.problem(name, ("nodeImage",), message, f"add releases to running in {image.file}")
        elif missing:
            message = f"{' and '.join(missing)} must be known for a {driver.mode} driver"
            hint = f"add {', '.join(missing)}, or name a nodeImage"
            yield self.own.problem(name, (), message, hint, key=True)
        elif driver.mode is Mode.PRECOMPILED:
            for one in arch:
                if not any(architecture(kernel.name) in {None, one} for kernel in kernels):
                    message = f"no kernel is one of {one}, and arch lists it"
                    hint = f"add the kernels of {one}, or remove it from arch"
                    yield self.own.problem(name, ("nodeImage",) if image else ("arch",), message, hint)

    def _unfit_kernels(self, name: str, arch: Sequence[str], kernels: Sequence[Kernel]) -> Iterator[Finding]:
        for kernel in kernels:
            named = architecture(kernel.name)
            if named and arch and named not in arch:
                place = self.texts.value(kernel.file, kernel.path)
                message = f'kernel "{kernel.written}" is one of {named}, and arch is {", ".join(arch)}'
                yield self.own.at(name, place, message, f"add {named} to arch, or remove the kernel")


def _hold(shape: model.Hold | UnsetType) -> Hold | None:
    if shape is UNSET:
        return None
    return Hold(shape.reason, None if shape.until is UNSET else shape.until)


def _image_kernels(image: Loaded[model.NodeImage]) -> list[Kernel]:
    """The kernels of the releases that are listed; what a NodeImage lacks is told once, by node_image_problems."""
    kernels: dict[str, Kernel] = {}
    for key, upcoming in (("running", False), ("upcoming", True)):
        for release in getattr(image.shape, key):
            written = image.shape.kernels[release]
            kernel = Kernel(label_form(written), written, upcoming, image.file, ("kernels", release))
            kernels.setdefault(kernel.name, kernel)
    return list(kernels.values())


def _own(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """The levels from the pool's own up to the one that names the mode."""
    for index, level in enumerate(levels):
        if "mode" in level.value:
            return levels[: index + 1]
    return levels


def node_image_problems(image: Loaded[model.NodeImage], texts: Texts) -> Iterator[Finding]:
    """What is wrong within one NodeImage, however many pools name it.

    Releases without a kernel, kernels of an architecture that isn't listed, what is listed twice.
    """
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
        reported: set[str] = set()
        for index, release in enumerate(getattr(image.shape, key)):
            if release not in known and release not in reported:
                reported.add(release)
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
