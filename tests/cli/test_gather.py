"""Which files of the work tree are told of as missing in a commit."""

from pathlib import Path

import pytest

from generator.cli.begin import Wanted, begin
from generator.cli.gather import gather
from tests.cli.fleet import repository
from tests.gitrepo import Repo, isolate

BASE = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec: {}\n"
OLM = "operator: {driverApi: ClusterPolicy, install: olm, clusterPolicyBase: bases/policy.yaml}"


def test_only_files_that_would_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """gitignore(5): what a pattern excludes is told with whether git would take it."""
    isolate(monkeypatch)
    repo = Repo(repository(tmp_path))
    repo.commit({".gitignore": "*.swp\nlocal-*\n"})
    repo.write(
        {
            "inventory/README.md": "notes\n",
            "inventory/notes.txt": "notes\n",
            "inventory/.one.yaml.swp": "x",
            "inventory/new.yaml": "x",
            "inventory/sub/new.yml": "x",
            "inventory/local-new.yaml": "x",
            "inventory/new.j2": "x",
            "templates/{cluster}/mine.yaml.j2": "x",
            "templates/local-part.j2": "x",
            "templates/README.md": "notes\n",
            "bases/policy.yaml": BASE,
            "bases/other.yaml": BASE,
            "inventory/two.yaml": f"apiVersion: drivergate.dev/v1alpha1\nkind: Cluster\nname: two\n{OLM}\n",
        }
    )
    assert gather(begin(Wanted(root=repo.root))).context.untracked == {
        "bases/policy.yaml": False,
        "inventory/local-new.yaml": True,
        "inventory/new.yaml": False,
        "inventory/sub/new.yml": False,
        "inventory/two.yaml": False,
        "templates/local-part.j2": True,
        "templates/{cluster}/mine.yaml.j2": False,
    }
