"""Rules of the family operator/: what the GPU operator makes of the driver settings."""

from collections.abc import Iterator

from generator.declared.fleet import Install, Mode
from generator.finding import Severity
from generator.revision.revision import Revision
from generator.rules.operator.base_fields import base_field_lost
from generator.rules.operator.changed_objects import immutable_change, renamed
from generator.rules.operator.crashes import crashes_operator
from generator.rules.operator.fields import not_in_release, unknown_field
from generator.rules.operator.objects import kernel_name_collision, name_too_long, taint_not_tolerated
from generator.rules.operator.own_templates import object_differs
from generator.rules.operator.precompiled import unsupported_with_precompiled
from generator.rules.operator.selectors import circular_selector, default_conflict, reserved_label, selector_overlap
from generator.rules.operator.shared_settings import mixed_driver, mixed_os, mixed_upgrade_policy
from generator.rules.rule import Problem, Rule
from generator.rules.setting import said


def chart_conflict(revision: Revision) -> Iterator[Problem]:
    """Before v26.7 a chart always creates its own ClusterPolicy (deployments/gpu-operator/templates)."""
    for cluster in revision.fleet.clusters:
        operator = cluster.operator
        if operator.install is Install.MANIFEST and not operator.release.optional_cluster_policy:
            place = revision.fleet.said(cluster, "operator", "install")
            message = f"install: manifest of cluster {cluster.name} renders a ClusterPolicy, and so does the chart"
            message += f" of operator {operator.release.version}, always"
            hint = "set install: helm, upgrade the operator to v26.7.0, or silence this where no chart is installed"
            fact = operator.release.version
            yield Problem(place=place, message=message, hint=hint, cluster=cluster.name, fact=fact)


def floating_kernel(revision: Revision) -> Iterator[Problem]:
    """A kernel that changes without a commit passes no gate."""
    for cluster, pool in revision.managed():
        if pool.floating and pool.driver.mode is Mode.PRECOMPILED:
            yield Problem(
                place=revision.fleet.at(pool, "kernelSource"),
                message=f'kernels of pool "{pool.name}" change without a commit, and its images are built before',
                hint="pin the node image, or compare the nodes on a schedule and silence this with that reason",
                cluster=cluster.name,
                pool=pool.name,
            )


def secure_boot(revision: Revision) -> Iterator[Problem]:
    """A module that is built on the node is signed by nobody that the firmware trusts."""
    for cluster, pool in revision.managed():
        if pool.secure_boot and pool.driver.mode is Mode.COMPILED:
            yield Problem(
                place=revision.fleet.at(pool, "secureBoot"),
                message=f'pool "{pool.name}" has secureBoot: true and a compiled driver, whose module nobody signs',
                hint="use precompiled images with signed modules, or turn secure boot off on these nodes",
                cluster=cluster.name,
                pool=pool.name,
            )


def unknown_release(revision: Revision) -> Iterator[Problem]:
    """The rules of the nearest known release are used, and may be wrong."""
    for cluster in revision.fleet.clusters:
        release = cluster.operator.release
        if release.basis != release.version:
            where = said(revision.fleet, cluster, "operator", "version")
            yield where.problem(release.note, "update drivergate, or check the version", release.version)


def unclaimed(revision: Revision) -> Iterator[Problem]:
    """Pools whose nodes no object claims any more. Nothing is loaded where no cluster changed."""
    if revision.before is not None and revision.before.fleet.clusters:
        from generator.rules.image.transition import unclaimed as nodes_unclaimed

        yield from nodes_unclaimed(revision)


E, U, W = Severity.ERROR, Severity.INVALID, Severity.WARNING
RULES: tuple[Rule, ...] = (
    Rule("operator/mixed-os", U, "pools of several operating systems under one ClusterPolicy", mixed_os),
    Rule("operator/mixed-driver", U, "pools of several driver settings under one ClusterPolicy", mixed_driver),
    Rule(
        "operator/mixed-upgrade-policy",
        U,
        "pools of several upgrade policies where one rules the cluster",
        mixed_upgrade_policy,
    ),
    Rule("operator/selector-overlap", E, "two pools claim the same nodes", selector_overlap),
    Rule("operator/default-conflict", U, "two default pools, or one with a nodeSelector", default_conflict),
    Rule("operator/reserved-label", U, "a pool selects by the operator's own label", reserved_label),
    Rule("operator/circular-selector", E, "a pool selects by a label that only a driver brings", circular_selector),
    Rule("operator/name-too-long", U, "a name that its object or label can't have", name_too_long),
    Rule("operator/kernel-name-collision", E, "two kernels that the operator gives one name", kernel_name_collision),
    Rule(
        "operator/unsupported-with-precompiled",
        E,
        "a component that precompiled drivers don't go with",
        unsupported_with_precompiled,
    ),
    Rule("operator/field-not-in-release", U, "a field or value that the declared release doesn't take", not_in_release),
    Rule("operator/unknown-field", U, "a field that the driver API doesn't have", unknown_field),
    Rule("operator/crashes-operator", U, "a setting that stops the operator itself", crashes_operator),
    Rule("operator/immutable-change", E, "a field changes that the API server keeps", immutable_change, compares=True),
    Rule(
        "operator/renamed",
        E,
        "a driver object goes and another one takes its nodes",
        renamed,
        needs_all=True,
        compares=True,
    ),
    Rule("operator/unclaimed", W, "nodes that no driver object claims any more", unclaimed, compares_inventory=True),
    Rule("operator/chart-conflict", E, "a rendered ClusterPolicy beside the chart's own", chart_conflict),
    Rule(
        "operator/floating-kernel", W, "precompiled drivers for kernels that change without a commit", floating_kernel
    ),
    Rule("operator/secure-boot", E, "compiled drivers on nodes with secure boot", secure_boot),
    Rule("operator/unknown-release", W, "an operator release that this version doesn't know", unknown_release),
    Rule("operator/unsupported-release", U, "an operator release that can't be worked with"),
    Rule("operator/taint-not-tolerated", E, "a taint that keeps the driver's pods away", taint_not_tolerated),
    Rule("operator/base-field-lost", E, "a driver field of the ClusterPolicy base that would be lost", base_field_lost),
    Rule(
        "operator/object-differs",
        E,
        "a user's template prints another driver than its pool declares",
        object_differs,
        needs_all=True,
    ),
)
