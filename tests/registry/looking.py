"""A look at one image, as the verbs put it together from the edge and the core."""

from generator.edges.errors import ImageUnreadableError
from generator.edges.registry import Missing, Repository
from generator.observed.image import BuiltImage, built
from generator.observed.manifest import Unreadable


def look(repository: Repository, tag: str) -> BuiltImage | Missing:
    """What is under a tag; ImageUnreadableError where it is there but can't be read."""
    document = repository.manifest(tag)
    if isinstance(document, Missing):
        return document

    def read(kind: str, digest: str) -> bytes | None:
        found = repository.manifest(digest) if kind == "manifests" else repository.blob(digest)
        if isinstance(found, Missing):
            return None
        return found if isinstance(found, bytes) else found.body

    image = built(tag, document.media_type, document.digest, document.body, read)
    if isinstance(image, Unreadable):
        raise ImageUnreadableError(f"{repository}:{tag} can't be read: {image.reason}", "push it again")
    return image
