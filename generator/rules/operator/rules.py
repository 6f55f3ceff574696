"""Rules of the family operator/: what the GPU operator makes of the driver settings."""

from collections.abc import Iterator

from generator.declared.fleet import Install, Mode
from generator.finding import Severity
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.operator.base_fields import base_field_lost
from generator.rules.operator.crashes import crashes_operator
from generator.rules.operator.fields import not_in_release, unknown_field
from generator.rules.operator.objects import kernel_name_collision, name_too_long, taint_not_tolerated
from generator.rules.operator.own_templates import object_differs
from generator.rules.operator.precompiled import unsupported_with_precompiled
from generator.rules.operator.selectors import circular_selector, default_conflict, reserved_label, selector_overlap
from generator.rules.operator.shared_settings import mixed_driver, mixed_os, mixed_upgrade_policy
from generator.rules.rule import ClusterRule, Problem, Rule, of_changed_objects
from generator.rules.setting import said


def chart_conflict(inputs: ClusterInputs) -> Iterator[Problem]:
    """Before v26.7 a chart always creates its own ClusterPolicy (deployments/gpu-operator/templates)."""
    cluster, operator = inputs.cluster, inputs.cluster.operator
    if operator.install is Install.MANIFEST and not operator.release.optional_cluster_policy:
        place = inputs.said(cluster, "operator", "install")
        message = f"install: manifest of cluster {cluster.name} renders a ClusterPolicy, and so does the chart"
        message += f" of operator {operator.release.version}, always"
        hint = "set install: helm, upgrade the operator to v26.7.0, or silence this where no chart is installed"
        fact = operator.release.version
        yield Problem(place=place, message=message, hint=hint, cluster=cluster.name, fact=fact)


def floating_kernel(inputs: ClusterInputs) -> Iterator[Problem]:
    """A kernel that changes without a commit passes no gate."""
    for pool in inputs.cluster.managed_pools:
        if pool.floating and pool.driver.mode is Mode.PRECOMPILED:
            yield Problem(
                place=inputs.at(pool, "kernelSource"),
                message=f'kernels of pool "{pool.name}" change without a commit, and its images are built before',
                hint="pin the node image, or compare the nodes on a schedule and silence this with that reason",
                cluster=pool.cluster,
                pool=pool.name,
            )


def secure_boot(inputs: ClusterInputs) -> Iterator[Problem]:
    """A module that is built on the node is signed by nobody that the firmware trusts."""
    for pool in inputs.cluster.managed_pools:
        if pool.secure_boot and pool.driver.mode is Mode.COMPILED:
            yield Problem(
                place=inputs.at(pool, "secureBoot"),
                message=f'pool "{pool.name}" has secureBoot: true and a compiled driver, whose module nobody signs',
                hint="use precompiled images with signed modules, or turn secure boot off on these nodes",
                cluster=pool.cluster,
                pool=pool.name,
            )


def unknown_release(inputs: ClusterInputs) -> Iterator[Problem]:
    """The rules of the nearest known release are used, and may be wrong."""
    release = inputs.cluster.operator.release
    if release.basis != release.version:
        where = said(inputs, inputs.cluster, "operator", "version")
        yield where.problem(release.note, "update drivergate, or check the version", release.version)


def unclaimed(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools whose nodes no object claims any more. Nothing is loaded where the cluster did not change."""
    if inputs.before is not None:
        from generator.rules.image.transition import unclaimed as nodes_unclaimed

        yield from nodes_unclaimed(inputs, inputs.before)


E, U, W = Severity.ERROR, Severity.INVALID, Severity.WARNING
RULES: tuple[Rule, ...] = (
    ClusterRule("operator/mixed-os", U, "pools of several operating systems under one ClusterPolicy", mixed_os),
    ClusterRule("operator/mixed-driver", U, "pools of several driver settings under one ClusterPolicy", mixed_driver),
    ClusterRule(
        "operator/mixed-upgrade-policy",
        U,
        "pools of several upgrade policies where one rules the cluster",
        mixed_upgrade_policy,
    ),
    ClusterRule("operator/selector-overlap", E, "two pools claim the same nodes", selector_overlap),
    ClusterRule("operator/default-conflict", U, "two default pools, or one with a nodeSelector", default_conflict),
    ClusterRule("operator/reserved-label", U, "a pool selects by the operator's own label", reserved_label),
    ClusterRule(
        "operator/circular-selector", E, "a pool selects by a label that only a driver brings", circular_selector
    ),
    ClusterRule("operator/name-too-long", U, "a name that its object or label can't have", name_too_long),
    ClusterRule(
        "operator/kernel-name-collision", E, "two kernels that the operator gives one name", kernel_name_collision
    ),
    ClusterRule(
        "operator/unsupported-with-precompiled",
        E,
        "a component that precompiled drivers don't go with",
        unsupported_with_precompiled,
    ),
    ClusterRule(
        "operator/field-not-in-release", U, "a field or value that the declared release doesn't take", not_in_release
    ),
    ClusterRule("operator/unknown-field", U, "a field that the driver API doesn't have", unknown_field),
    ClusterRule("operator/crashes-operator", U, "a setting that stops the operator itself", crashes_operator),
    ClusterRule(
        "operator/immutable-change",
        E,
        "a field changes that the API server keeps",
        of_changed_objects("operator.changed_objects", "immutable_change"),
        compares=True,
    ),
    ClusterRule(
        "operator/renamed",
        E,
        "a driver object goes and another one takes its nodes",
        of_changed_objects("operator.changed_objects", "renamed"),
        needs_all=True,
        compares=True,
    ),
    ClusterRule(
        "operator/unclaimed", W, "nodes that no driver object claims any more", unclaimed, compares_inventory=True
    ),
    ClusterRule("operator/chart-conflict", E, "a rendered ClusterPolicy beside the chart's own", chart_conflict),
    ClusterRule(
        "operator/floating-kernel", W, "precompiled drivers for kernels that change without a commit", floating_kernel
    ),
    ClusterRule("operator/secure-boot", E, "compiled drivers on nodes with secure boot", secure_boot),
    ClusterRule("operator/unknown-release", W, "an operator release that this version doesn't know", unknown_release),
    Rule("operator/unsupported-release", U, "an operator release that can't be worked with"),
    ClusterRule("operator/taint-not-tolerated", E, "a taint that keeps the driver's pods away", taint_not_tolerated),
    ClusterRule(
        "operator/base-field-lost", E, "a driver field of the ClusterPolicy base that would be lost", base_field_lost
    ),
    ClusterRule(
        "operator/object-differs",
        E,
        "a user's template prints another driver than its pool declares",
        object_differs,
        needs_all=True,
    ),
)
