"""A registry with more images than anybody wants to keep: each is made when it is asked for."""

from urllib.parse import quote

from tests.testing.registry.faults import Asked, Reply, as_json, error, of_manifest
from tests.testing.registry.images import Manifest, config, digest, image, ubuntu_env


class Large:
    """The script of a server: `needed` images that the tests' fleet can use, `other` ones of another branch.

    The list comes in pages of at most `page`, as registries with a limit of their own give it. `pushed` tells one
    push of all images from the next.
    """

    def __init__(self, needed: int, other: int, page: int = 1000) -> None:
        self.needed = [f"580-6.8.0-{1000 + number}-aws-ubuntu24.04" for number in range(needed)]
        self.tags = sorted([*self.needed, *(f"570-5.15.0-{number}-generic-ubuntu22.04" for number in range(other))])
        self.page = page
        self.pushed = 0
        self._blobs: dict[str, bytes] = {}

    def manifest(self, tag: str) -> Manifest:
        """What is under a tag since the last push."""
        kernel = tag.partition("-")[2].rpartition("-")[0]
        branch = tag.partition("-")[0]
        return image(config(env=ubuntu_env(kernel, f"{branch}.126.20") | {"PUSH": str(self.pushed)}))

    def __call__(self, asked: Asked) -> Reply:
        *_, kind, reference = asked.path.split("/")
        if asked.path == "/v2/":
            return Reply()
        if reference == "list":
            return self._listed(asked)
        if kind == "manifests" and reference.startswith(("580-", "570-")):
            one = self.manifest(reference)
            self._blobs[digest(one.blobs[0])] = one.blobs[0]
            return of_manifest(one)
        if kind == "blobs" and reference in self._blobs:
            return Reply(200, self._blobs[reference])
        return error(404, "MANIFEST_UNKNOWN")

    def _listed(self, asked: Asked) -> Reply:
        start = int(asked.query.get("from", ["0"])[0])
        if "last" in asked.query:
            start = self.tags.index(asked.query["last"][0]) + 1
        end = start + self.page
        link = f'<{quote(asked.path)}?from={end}>; rel="next"' if end < len(self.tags) else ""
        return as_json({"tags": self.tags[start:end]}, **({"Link": link} if link else {}))
