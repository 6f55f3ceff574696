"""Driver objects as a revision committed them."""

from generator.revision.driver_objects import DriverObject, driver_objects


def test_driver_objects_are_read_from_the_files_of_a_revision() -> None:
    spec = "spec: {usePrecompiled: true, x: 0.5, z: ~}"
    text = f"apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata: {{name: a}}\n{spec}\n"
    files = {
        "c/gpu-operator/nvidiadriver-a.yaml": text.encode(),
        "c/gpu-operator/clusterpolicy.yaml": b"apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: p}\n",
        "c/gpu-operator/kustomization.yaml": b"kind: Kustomization\nresources: [nvidiadriver-a.yaml]\n",
        "c/broken.yaml": b"kind: NVIDIADriver\n  - [",
        "c/other.yaml": b"apiVersion: example.com/v1\nkind: ClusterPolicy\nmetadata: {name: p}\n",
        "c/notes.txt": b"\xff NVIDIADriver",
        "c/nameless.yaml": b"apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nspec: {}\n",
    }
    assert driver_objects(files) == (
        DriverObject(path="c/gpu-operator/clusterpolicy.yaml", cluster="c", kind="ClusterPolicy", name="p", spec={}),
        DriverObject(
            path="c/gpu-operator/nvidiadriver-a.yaml",
            cluster="c",
            kind="NVIDIADriver",
            name="a",
            spec={"usePrecompiled": True, "x": 0.5, "z": None},
        ),
    )
