import pytest

from generator.facts import label


# k8s-device-plugin docs/gpu-feature-discovery/README.md, "Generated Labels".
@pytest.mark.parametrize(
    "key",
    [
        "nvidia.com/cuda.driver.major",
        "nvidia.com/cuda.driver-version.full",
        "nvidia.com/cuda.runtime-version.major",
        "nvidia.com/gfd.timestamp",
        "nvidia.com/gpu.compute.major",
        "nvidia.com/gpu.count",
        "nvidia.com/gpu.family",
        "nvidia.com/gpu.machine",
        "nvidia.com/gpu.memory",
        "nvidia.com/gpu.product",
        "nvidia.com/gpu.replicas",
        "nvidia.com/mig.capable",
        "nvidia.com/mig.strategy",
        "nvidia.com/mig-1g.5gb.count",
        "nvidia.com/vgpu.host-driver-version",
        "nvidia.com/gpu-driver-upgrade-state",
    ],
)
def test_labels_that_need_a_driver_first(key):
    assert label.is_circular(key)


@pytest.mark.parametrize(
    "key",
    [
        "nvidia.com/gpu.present",
        "nvidia.com/gpu.deploy.driver",
        "nvidia.com/gpu.workload.config",
        "nvidia.com/mig.config",
        "nvidia.com/gpu-driver-upgrade.skip",
        "feature.node.kubernetes.io/pci-10de.present",
        "example.com/gpu.product",
        "node.kubernetes.io/instance-type",
    ],
)
def test_labels_that_come_without_a_driver(key):
    assert not label.is_circular(key)


# kubernetes apimachinery pkg/util/validation/validation_test.go TestIsQualifiedName, TestIsValidLabelValue.
@pytest.mark.parametrize(
    "key",
    ["simple", "now-with-dashes", "1-starts-with-num", "1.2.3.4/5678", "example.com/Uppercase", "a" * 63],
)
def test_legal_keys(key):
    assert label.label_key_problem(key) is None


@pytest.mark.parametrize(
    "key",
    [
        "",
        "nospecialchars%^=@",
        "cantendwithadash-",
        "only/one/slash",
        "Example.com/abc",
        "example_com/abc",
        "example.com/",
        "/simple",
        "a" * 64,
        "b" * 254 + "/abc",
        "line\n",
    ],
)
def test_illegal_keys(key):
    assert label.label_key_problem(key)


@pytest.mark.parametrize("value", ["", "simple", "1234", "end.with_1", "a" * 63])
def test_legal_values(value):
    assert label.label_value_problem(value) is None


@pytest.mark.parametrize(
    "value", ["nospecialchars%^=@", "Tama-nui-te-r\u0101.is.M\u0101ori.sun", "\\backslash", "-a", "a" * 64]
)
def test_illegal_values(value):
    assert label.label_value_problem(value)


def test_matching():
    assert label.matches({}, {"a": "1"})
    assert label.matches({"a": "1"}, {"a": "1", "b": "2"})
    assert not label.matches({"a": "1"}, {"a": "2"})
    assert not label.matches({"a": ""}, {})
