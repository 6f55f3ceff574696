"""Rules of the family image/: every image that a node will ask for must be built."""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from generator.facts import branch as branches
from generator.finding import Severity
from generator.images.lookup import Lack, Miss
from generator.operator.driver import automatic
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.gpu import driver_branch, family_of
from generator.rules.image import reference as image_reference
from generator.rules.image.mirror import node_mirror
from generator.rules.rule import ClusterRule, Problem


def missing(inputs: ClusterInputs) -> Iterator[Problem]:
    """Images that nodes ask for today and that no catalog lists, unless nodes keep the driver that they run."""
    return _problems(inputs, lambda miss: _is_missing(miss) and not _waits(inputs, miss))


def gone(inputs: ClusterInputs) -> Iterator[Problem]:
    """Images that were built and are no longer in the registry."""
    return _problems(inputs, lambda miss: miss.lack is Lack.GONE and not miss.upcoming)


def missing_platform(inputs: ClusterInputs) -> Iterator[Problem]:
    """Images that are not built for the pool's platform, or not known to be."""
    return _problems(inputs, lambda miss: miss.lack in {Lack.PLATFORM, Lack.RECORD} and not miss.upcoming)


def platform_unknown(inputs: ClusterInputs) -> Iterator[Problem]:
    """Images of unrecorded platforms for pools of amd64, which most images serve."""
    return _problems(inputs, lambda miss: miss.lack is Lack.CERTAINTY)


def upcoming_missing(inputs: ClusterInputs) -> Iterator[Problem]:
    """Images that the next roll will ask for."""
    return _problems(inputs, lambda miss: miss.lack is not Lack.CERTAINTY and miss.upcoming)


def branch_expected(inputs: ClusterInputs) -> Iterator[Problem]:
    """Exact versions where the images are named by branch. What was written is never cut."""
    if inputs.misses:
        from generator.rules.image.message import by_version

        yield from by_version(inputs)


def module_type(inputs: ClusterInputs) -> Iterator[Problem]:
    """Images that are built with other kernel modules than the pool sets or its GPUs need."""
    for image, entry in inputs.listed_images:
        pool = image.pool
        built, wanted = entry.module_type, pool.driver.module_type
        if built is None or entry.gone:
            continue
        family, branch = family_of(pool), driver_branch(pool)
        usable = branches.module_types(family, branch) if family and branch else ()
        if usable and built not in usable:
            why, place = f"{pool.family} GPUs need {usable[0]} ones", inputs.at(pool, "gpu", "family")
        elif wanted not in {"auto", built} and (not usable or wanted in usable):
            why = f"kernelModuleType is {wanted}"
            place = inputs.said(pool, "driver", "kernelModuleType")
        else:
            continue
        yield Problem(
            place=place,
            message=f'pool "{pool.cluster}/{pool.name}" uses {entry.tag}, which is built with {built} kernel modules '
            f"({entry.file}:{entry.line}), and {why}",
            hint=f"rebuild the image with DRIVER_OPEN={'false' if built == 'open' else 'true'}, or change the pool",
            cluster=pool.cluster,
            pool=pool.name,
            fact=image.tag,
        )


def transition_missing(inputs: ClusterInputs) -> Iterator[Problem]:
    """Images that nodes ask for while a change arrives, or once somebody deletes their driver pods."""
    yield from _of_change(inputs, "transition_missing")
    waiting = _problems(inputs, lambda miss: _is_missing(miss) and _waits(inputs, miss))
    for problem in waiting:
        message = f"{problem.message}; autoUpgrade is off, so nodes keep the driver that they run until their pod goes"
        yield replace(problem, message=message, severity=Severity.WARNING)


def _is_missing(miss: Miss) -> bool:
    return miss.lack is Lack.IMAGE and not miss.upcoming


def _waits(inputs: ClusterInputs, miss: Miss) -> bool:
    """Whether nodes of the pool need not load the image: nothing is upgraded, added or deleted by itself.

    Without a revision to compare with nobody knows what they run.
    """
    if automatic(inputs.cluster, miss.pool):
        return False
    from generator.rules.image.transition import keeps_driver

    return keeps_driver(inputs, miss)


def kernel_swapped(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools that exchange every machine in one change."""
    return _of_change(inputs, "kernel_swapped")


def _of_change(inputs: ClusterInputs, function: str) -> Iterator[Problem]:
    """Nothing is loaded where the cluster is declared as it was before."""
    if inputs.before is not None:
        from generator.rules.image import transition

        problems: Iterator[Problem] = getattr(transition, function)(inputs, inputs.before)
        yield from problems


def _problems(inputs: ClusterInputs, wanted: Callable[[Miss], bool]) -> Iterator[Problem]:
    """A clean run, which nearly every run is, doesn't load the words for a miss.

    A pool whose references can't be asked for at all is reported for that alone.
    """
    misses = [miss for miss in inputs.misses if wanted(miss) and image_reference.fault(inputs, miss.pool) is None]
    if misses:
        from generator.rules.image.message import missing_images

        yield from missing_images(inputs, misses)


RULES = (
    ClusterRule(
        "image/missing",
        Severity.ERROR,
        "a driver image that nodes ask for is not built",
        missing,
        needs_catalog=True,
    ),
    ClusterRule(
        "image/missing-platform",
        Severity.ERROR,
        "a driver image is not built for the nodes' platform",
        missing_platform,
    ),
    ClusterRule(
        "image/platform-unknown",
        Severity.WARNING,
        "the catalog does not record for which platforms an image is built",
        platform_unknown,
    ),
    ClusterRule(
        "image/upcoming-missing",
        Severity.WARNING,
        "a driver image that the next roll asks for is not built",
        upcoming_missing,
        needs_catalog=True,
    ),
    ClusterRule(
        "image/transition-missing",
        Severity.ERROR,
        "a driver image that nodes ask for while the change arrives is not built",
        transition_missing,
        needs_catalog=True,
        compares_inventory=True,
    ),
    ClusterRule(
        "image/kernel-swapped",
        Severity.WARNING,
        "a pool whose nodes run nothing any more that is declared",
        kernel_swapped,
        compares_inventory=True,
    ),
    ClusterRule("image/gone", Severity.ERROR, "a driver image has vanished from its registry", gone),
    ClusterRule(
        "image/branch-expected",
        Severity.WARNING,
        "an exact version is asked for where precompiled images are named by branch",
        branch_expected,
        needs_catalog=True,
    ),
    ClusterRule(
        "image/module-type",
        Severity.ERROR,
        "an image is built with other kernel modules than the pool needs",
        module_type,
    ),
    ClusterRule(
        "image/node-mirror", Severity.ERROR, "a pool names a mirror that nodes are sent to by themselves", node_mirror
    ),
    *(
        ClusterRule(name, Severity.INVALID, summary, partial(image_reference.problems, rule=name))
        for name, summary in (
            ("image/version-has-suffix", "a driver version already carries an OS or a kernel"),
            ("image/digest-with-precompiled", "a digest can't be used with precompiled drivers"),
            ("image/incomplete-reference", "repository, image and version must be set together"),
            ("image/illegal-tag", "the operator would ask for what is no image reference"),
        )
    ),
)
