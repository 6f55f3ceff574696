"""Asks a cluster through the user's own kubectl and kubeconfig. It reads, and has no verb that writes."""

from collections.abc import Iterator, Mapping

from msgspec import DecodeError, Struct, json

from generator.edges.errors import CouldNotLookError, ForbiddenError, OutsideError, UnreadableError
from generator.edges.process import Child
from generator.words import printable

PAGE = 500  # what kubectl itself asks for at a time
TIMEOUT = "30s"

PATHS: Mapping[str, str] = {
    "nodes": "/api/v1/nodes",
    "pods": "/api/v1/pods",
    "poddisruptionbudgets": "/apis/policy/v1/poddisruptionbudgets",
    "daemonsets": "/apis/apps/v1/daemonsets",
    "deployments": "/apis/apps/v1/deployments",
    "replicasets": "/apis/apps/v1/replicasets",
    "statefulsets": "/apis/apps/v1/statefulsets",
    "replicationcontrollers": "/api/v1/replicationcontrollers",
    "resourceclaims": "/apis/resource.k8s.io/v1/resourceclaims",
    "controllerrevisions": "/apis/apps/v1/controllerrevisions",
    "clusterpolicies": "/apis/nvidia.com/v1/clusterpolicies",
    "nvidiadrivers": "/apis/nvidia.com/v1alpha1/nvidiadrivers",
}


class Kubectl(Struct, frozen=True):
    """The command with one context of a kubeconfig; "" is the kubeconfig's current one."""

    context: str
    environment: dict[str, str]

    @property
    def named(self) -> str:
        """The context in words."""
        return f"context `{printable(self.context)}`" if self.context else "kubectl's current context"


def kubectl_at(context: str, environ: Mapping[str, str]) -> Kubectl:
    """Make it; nothing runs yet. Messages are read, so they are asked for in English."""
    return Kubectl(context, {**environ, "LC_ALL": "C"})


class _Metadata(Struct, frozen=True, rename={"following": "continue"}):
    following: str = ""


class _Page(Struct, frozen=True):
    metadata: _Metadata = _Metadata()


def listed(kubectl: Kubectl, resource: str, *, namespace: str = "") -> Iterator[bytes] | None:
    """One resource of PATHS as JSON lists, a page at a time, of all namespaces or one; None where no CRD defines it.

    CouldNotLookError where the cluster can't be reached or forbids it, UnreadableError for an unknown context.
    """
    path = PATHS[resource]
    if namespace:
        folder, _, name = path.rpartition("/")
        path = f"{folder}/namespaces/{namespace}/{name}"
    first = _get(kubectl, f"{path}?limit={PAGE}", resource)
    return None if first is None else _pages(kubectl, path, resource, first)


def _pages(kubectl: Kubectl, path: str, resource: str, page: bytes) -> Iterator[bytes]:
    seen: set[str] = set()
    while True:
        following = _following(kubectl, resource, page)  # first of all: it proves the page whole
        yield page
        if not following:
            return
        if following in seen:
            raise CouldNotLookError(
                f"{kubectl.named} lists {resource} in circles", "ask the cluster's administrator: a proxy may cache"
            )
        seen.add(following)
        found = _get(kubectl, f"{path}?limit={PAGE}&continue={_quoted(following)}", resource)
        if found is None:
            raise CouldNotLookError(f"{kubectl.named} stopped listing {resource} half way", "run it again")
        page = found


def _following(kubectl: Kubectl, resource: str, page: bytes) -> str:
    try:
        return json.decode(page, type=_Page).metadata.following
    except DecodeError as error:
        message = f"{kubectl.named} answered for {resource} with what is no JSON list"
        raise CouldNotLookError(message, "see what it says: kubectl get " + resource + " -A -o json") from error


def _quoted(token: str) -> str:
    from urllib.parse import quote

    return quote(token, safe="")


def _get(kubectl: Kubectl, path: str, resource: str) -> bytes | None:
    argv = ("kubectl", *_flags(kubectl.context), "get", "--raw", path)
    try:
        output = Child(argv, kubectl.environment).collect()
    except OSError as error:
        message = "kubectl can't be started: is it installed?"
        raise CouldNotLookError(message, "install kubectl, or give files with --nodes, --pods and --drivers") from error
    if output.code == 0:
        return output.stdout
    said = printable(output.complaint)
    if "(NotFound)" in said and "could not find the requested resource" in said:
        return None
    raise _refused(kubectl, resource, said)


def _flags(context: str) -> tuple[str, ...]:
    """In a pod, without a kubeconfig, any flag of the connection makes kubectl forget the pod's service account
    (client-go tools/clientcmd merged_client_builder.go: only an empty configuration is one of a pod).
    """
    return (f"--context={context}", f"--request-timeout={TIMEOUT}") if context else ()


def _refused(kubectl: Kubectl, resource: str, said: str) -> OutsideError:
    if "context" in said and ("does not exist" in said or "no context exists" in said):
        return UnreadableError(
            f"the kubeconfig has no {kubectl.named}",
            "list them with: kubectl config get-contexts; a cluster's kubeContext names another",
        )
    if "(Forbidden)" in said:
        hint = f"let the user list {resource} in all namespaces (docs/audit.md has the role)"
        return ForbiddenError(f"{kubectl.named} forbids to list {resource}: {said}", hint)
    if "(Unauthorized)" in said or "must be logged in" in said:
        return CouldNotLookError(f"{kubectl.named} doesn't know the user: {said}", "log in to the cluster first")
    return CouldNotLookError(f"{kubectl.named} can't be asked for {resource}: {said}", "mend the connection and retry")
