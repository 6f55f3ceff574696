"""How a missing image is told: where, what is nearest, and how to come by it."""

from collections.abc import Iterable, Iterator

from generator.facts import driver as drivers
from generator.finding import Place
from generator.images.hint import by_branch, expected, hint, misspelt
from generator.images.lookup import Lack, Miss, source, upstream_standing
from generator.images.nearest import Nearest, os_of
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.image.reference import fault, os_place, version_place
from generator.rules.rule import Problem


def missing_images(inputs: ClusterInputs, misses: Iterable[Miss]) -> Iterator[Problem]:
    """Each miss with what is nearest, and how to get the image."""
    nearest = inputs.index.nearest
    for miss in misses:
        yield Problem(
            place=_place(inputs, miss),
            message=_message(miss, nearest),
            hint=hint(miss, nearest),
            cluster=miss.cluster.name,
            pool=miss.pool.name,
            fact=miss.tag,
        )


def _place(inputs: ClusterInputs, miss: Miss) -> Place:
    if wrong := misspelt(miss):
        return os_place(inputs, miss.pool, wrong.key)
    if miss.kernel:
        return inputs.kernel_place(miss.kernel)
    return version_place(inputs, miss.pool)


def _message(miss: Miss, nearest: Nearest) -> str:
    verb = "will need" if miss.upcoming else "needs"
    asked = f'pool "{miss.cluster.name}/{miss.pool.name}" {verb} {miss.tag} for {miss.platforms}'
    entry = miss.entry
    if entry is None:
        lists = nearest.repository(miss.repository) is not None
        whose = source(nearest.catalog, miss.repository)
        comma = "," if "," in whose else ""
        what = f"the catalog of {whose}{comma} does not list it" if lists else f"no catalog lists images of {whose}"
    elif miss.lack is Lack.GONE:
        what = f"it is gone from {miss.repository} ({entry.file}:{entry.line})"
    elif miss.lack is Lack.PLATFORM:
        what = f"it is built for {', '.join(entry.platforms or ()) or 'no platform'} only ({entry.file}:{entry.line})"
    else:
        what = f"its platforms are not recorded ({entry.file}:{entry.line})"
    what += upstream_standing(nearest.catalog, miss)
    near = "" if miss.lack in {Lack.RECORD, Lack.CERTAINTY} else nearest.describe(miss)
    return f"{asked}, and {what}{near and '; '}{near}"


def by_version(inputs: ClusterInputs) -> Iterator[Problem]:
    """Exact versions where the images are named by branch. What was written is never cut."""
    nearest = inputs.index.nearest
    reported = set()
    for miss in inputs.misses:
        pool, version = miss.pool, miss.pool.driver.version
        found = None if pool.name in reported else expected(miss, nearest)
        if found is None or fault(inputs, pool) is not None:
            continue
        reported.add(pool.name)
        branch, (other, is_built) = drivers.branch(version), found
        built = "is built" if is_built else "is not built either"
        yield Problem(
            place=version_place(inputs, pool),
            message=f'pool "{miss.cluster.name}/{pool.name}" asks for {miss.tag} by the version {version}, and the '
            f"precompiled images of {os_of(miss)} are keyed by branch {branch}; {other} {built}",
            hint=f"{by_branch(miss)}; the image decides which {branch} it is",
            cluster=miss.cluster.name,
            pool=pool.name,
            fact=version,
        )
