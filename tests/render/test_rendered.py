"""What users' templates print, and what is said of those that can't be used. Nothing that a template does raises."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.finding import Finding, Place, Severity
from generator.render.output import Rendered
from tests.testing.judging import revision_of

FLEET = """apiVersion: drivergate.dev/v1alpha1
kind: Fleet
name: test
defaults:
  operator: {version: v26.7.0}
  driver: {repository: nvcr.io/nvidia/driver, branch: "580"}
"""
CLUSTER = """apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: fra1
ring: RING
pools:
  a100:
    owner: OWNER
    nodeSelector: {example.com/pool: a100}
    taints: ["example.com/dedicated=train:NoSchedule"]
    os: {id: ubuntu, version: "24.04"}
    arch: [amd64]
    kernels: [6.8.0-1050-aws]
  l4:
    nodeSelector: {example.com/pool: l4}
    os: {id: ubuntu, version: "24.04"}
    arch: [amd64]
    kernels: [6.8.0-1053-aws]
"""
HERE = "templates/{cluster}/extra/note.yaml.j2"
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\n"
OURS = {
    "fra1/gpu-operator/drivergate-images.yaml",
    "fra1/gpu-operator/kustomization.yaml",
    "fra1/gpu-operator/nvidiadriver-a100.yaml",
    "fra1/gpu-operator/nvidiadriver-l4.yaml",
    "fra1/values/gpu-operator.yaml",
}


def rendered(templates: dict[str, str | bytes], *, owner: str = "ml", ring: str = '"1"') -> Rendered:
    """The output of a small fleet with a user's templates."""
    cluster = CLUSTER.replace("OWNER", owner).replace("RING", ring)
    files = {"inventory/fleet.yaml": FLEET, "inventory/clusters/fra1.yaml": cluster, **templates}
    revision, told = revision_of(files)
    assert told == ()
    return revision.rendered


def texts(made: Rendered) -> dict[str, str]:
    assert made.findings == ()
    return {file.path: file.text for file in made.files}


def note(template: str, *, owner: str = "ml") -> dict[str, object]:
    """The data that one template of a user's prints for the cluster."""
    text = texts(rendered({HERE: f"{HEAD}data:\n{template}"}, owner=owner))["fra1/extra/note.yaml"]
    return yaml.safe_load(text)["data"]


def refused(templates: dict[str, str | bytes]) -> Finding:
    """The one finding about a user's templates."""
    made = rendered(templates)
    assert len(made.findings) == 1, made.findings
    finding = made.findings[0]
    assert finding.severity is Severity.INVALID
    assert finding.hint
    assert "\n" not in finding.message
    return finding


def test_without_templates_of_a_users_own_there_are_only_ours() -> None:
    assert set(texts(rendered({}))) == OURS


# What may be printed.


def test_a_template_adds_a_file_for_a_cluster() -> None:
    made = texts(rendered({HERE: HEAD + "data:\n  cluster: {{ cluster.name }}\n"}))
    assert set(made) == OURS | {"fra1/extra/note.yaml"}
    assert made["fra1/extra/note.yaml"] == HEAD + "data:\n  cluster: fra1\n"


def test_a_template_adds_a_file_for_each_pool() -> None:
    path = "templates/{cluster}/gpu-operator/note-{pool}.yaml.j2"
    made = texts(rendered({path: HEAD.replace("note", "{{ name }}") + "data:\n  mode: {{ pool.mode }}\n"}))
    assert set(made) == OURS | {"fra1/gpu-operator/note-a100.yaml", "fra1/gpu-operator/note-l4.yaml"}
    assert "name: l4\n" in made["fra1/gpu-operator/note-l4.yaml"]
    listed = yaml.safe_load(made["fra1/gpu-operator/kustomization.yaml"])["resources"]
    assert listed == [
        "drivergate-images.yaml", "note-a100.yaml", "note-l4.yaml", "nvidiadriver-a100.yaml", "nvidiadriver-l4.yaml",
    ]  # fmt: skip


def test_a_template_of_the_same_path_goes_before_ours() -> None:
    path = "templates/{cluster}/gpu-operator/drivergate-images.yaml.j2"
    template = HEAD + "data:\n  {{ images[0][0] }}: {{ images[0][1] | lines(4) }}\n  in: {{ namespace }}\n"
    made = texts(rendered({path: template}))
    assert set(made) == OURS
    loaded = yaml.safe_load(made["fra1/gpu-operator/drivergate-images.yaml"])
    image = "nvcr.io/nvidia/driver:580-6.8.0-1050-aws-ubuntu24.04\n"
    assert image in loaded["data"]["a100"]
    assert loaded["data"]["in"] == "gpu-operator"


def test_an_override_of_the_driver_object_gets_what_ours_gets() -> None:
    path = "templates/{cluster}/gpu-operator/nvidiadriver-{pool}.yaml.j2"
    template = (
        "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata:\n  name: {{ name }}\n"
        "  labels:\n    owner: {{ pool.owner or 'nobody' }}\nspec:\n  {{ spec | block(2) }}\n"
    )
    plain, made = texts(rendered({})), texts(rendered({path: template}))
    for pool, owner in (("a100", "ml"), ("l4", "nobody")):
        file = f"fra1/gpu-operator/nvidiadriver-{pool}.yaml"
        ours, users = yaml.safe_load(plain[file]), yaml.safe_load(made[file])
        assert users["spec"] == ours["spec"]
        assert users["metadata"] == {"name": pool, "labels": {"owner": owner}}


def test_an_override_that_prints_nothing_leaves_the_file_out_of_the_kustomization_too() -> None:
    path = "templates/{cluster}/gpu-operator/drivergate-images.yaml.j2"
    for empty in ("", "\n  \n", "{# nothing #}\n", "{% if false %}x{% endif %}\n"):
        made = texts(rendered({path: empty}))
        assert set(made) == OURS - {"fra1/gpu-operator/drivergate-images.yaml"}
        assert "drivergate-images" not in made["fra1/gpu-operator/kustomization.yaml"]


def test_a_pool_folder_has_a_kustomization_of_its_own() -> None:
    folder = "templates/{cluster}/pools/{pool}"
    kustomization = (
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: {{ pool.name }}\n"
        "resources:\n  {{ resources | block(2) }}\n"
    )
    made = texts(
        rendered(
            {
                f"{folder}/a.yaml.j2": HEAD.replace("note", "{{ name }}"),
                f"{folder}/kustomization.yaml.j2": kustomization,
            }
        )
    )
    assert set(made) > {"fra1/pools/l4/a.yaml", "fra1/pools/l4/kustomization.yaml", "fra1/pools/a100/a.yaml"}
    assert yaml.safe_load(made["fra1/pools/l4/kustomization.yaml"])["resources"] == ["a.yaml"]


def test_the_values_folder_takes_what_is_no_manifest() -> None:
    made = texts(rendered({"templates/{cluster}/values/more.yaml.j2": "toolkit: {enabled: true}\n"}))
    assert made["fra1/values/more.yaml"] == "toolkit: {enabled: true}\n"


def test_partials_macros_and_loops() -> None:
    path = "templates/{cluster}/extra"
    made = rendered(
        {
            f"{path}/_labels.yaml.j2": "labels:\n  cluster: {{ cluster.name }}\n",
            f"{path}/_macros.yaml.j2": "{% macro entry(k, v) %}{{ k }}: {{ v }}{% endmacro %}\n",
            f"{path}/note.yaml.j2": (
                '{% from "{cluster}/extra/_macros.yaml.j2" import entry %}\n'
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\n"
                '{% filter indent(2, true) %}{% include "{cluster}/extra/_labels.yaml.j2" %}{% endfilter %}\n'
                "data:\n{% for pool in cluster.pools %}\n  {{ entry(pool.name, pool.owner) }}\n{% endfor %}\n"
            ),
        }
    )
    assert yaml.safe_load(texts(made)["fra1/extra/note.yaml"]) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "note", "labels": {"cluster": "fra1"}},
        "data": {"a100": "ml", "l4": ""},
    }
    assert set(texts(made)) == OURS | {"fra1/extra/note.yaml"}


def test_a_template_may_have_windows_line_ends_and_a_byte_order_mark() -> None:
    template = HEAD + "data:\n  a: {{ cluster.name }}\n  b: {{ cluster.pools[0].images | lines(4) }}\n"
    plain = texts(rendered({HERE: template}))
    assert texts(rendered({HERE: template.replace("\n", "\r\n")})) == plain
    assert texts(rendered({HERE: b"\xef\xbb\xbf" + template.encode()})) == plain
    assert not [path for path, text in plain.items() if "\r" in text]


def test_values_that_look_like_template_code_stay_as_they_are() -> None:
    """Public case D94, nautobot PR#3074: what is data is never evaluated."""
    for owner in ("{{ 7*7 }} {% raw %}", "{% include 'x' %}", "{{ cluster.__class__ }}", "{# a #}", "${HOME}"):
        assert note("  a: {{ cluster.pools[0].owner }}\n", owner=f"'{owner.replace(chr(39), chr(39) * 2)}'") == {
            "a": owner
        }


def test_values_can_not_leave_their_place() -> None:
    for owner in (
        "a\\nkind: Secret",
        'x\\" b: \\"',
        "a # b",
        "- a",
        "&a",
        "*a",
        "null",
        "0535",
        "on",
        "{a: b}",
        "|",
        "",
    ):
        written = f'"{owner}"' if owner else '" "'
        data = note("  a: {{ cluster.pools[0].owner }}\n  {{ cluster.pools[0].owner }}: b\n", owner=written)
        value = yaml.safe_load(written)
        assert data == {"a": value, value: "b"}


def test_long_values_stay_on_one_line() -> None:
    """Public case D91, treeverse/dvc#9397: emitters fold at 80 columns."""
    words = "forty words of plain text on one line " * 6
    made = texts(rendered({HERE: f"{HEAD}data:\n  a: {{{{ cluster.pools[0].owner }}}}\n"}, owner=f'"{words}x"'))
    assert f'  a: "{words}x"\n' in made["fra1/extra/note.yaml"]


def test_empty_values_print_as_empty() -> None:
    assert note("  a: {{ cluster.profile }}\n  b: {{ cluster.pools[1].tolerations | block(4) }}\n") == {
        "a": "",
        "b": [],
    }


def test_truths_and_numbers_print_as_such_and_texts_as_texts() -> None:
    template = (
        '  a: {{ cluster.pools | length }}\n  b: {{ "2" }}\n  c: {{ 1 == 1 }}\n  d: {{ "true" }}\n  e: {{ -1 }}\n'
    )
    assert note(template) == {"a": 2, "b": "2", "c": True, "d": "true", "e": -1}


def test_rendering_twice_gives_the_same_bytes() -> None:
    template = {
        HERE: HEAD + "data:\n  {{ {'b': 'x', 'a': cluster.pools | map(attribute='name') | list} | block(2) }}\n"
    }
    assert texts(rendered(template)) == texts(rendered(template))


# What can't be used, and what is said of it.


def test_a_misspelt_name_is_told_with_template_line_and_name() -> None:
    """Public case D93, conbench#1204: without strictness it prints nothing, and the tag is `-ubuntu22.04`."""
    path = "templates/{cluster}/extra/note-{pool}.yaml.j2"
    finding = refused({path: HEAD + "data:\n  tag: {{ pool.kernal }}\n"})
    assert finding.rule == "template/undefined"
    assert finding.place == Place(path, 6, 1)
    assert finding.message == "a pool has no 'kernal'"
    assert (finding.cluster, finding.pool) == ("fra1", "a100")


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("kernal", "kernal"),
        ("cluster.regon", "regon"),
        ("cluster.pools[0].kernal", "kernal"),
        ("cluster.pools[99].name", "99"),
        ("cluster.pools[0].node_selector['no/label']", "no/label"),
        ("pool.name", "pool"),
        ("kernal | upper", "kernal"),
        ("kernal.deeper", "kernal"),
        ("kernal ~ 'x'", "kernal"),
        ("[kernal] | lines(4)", "kernal"),
        ("{'a': kernal} | block(4)", "kernal"),
        ("kernal()", "kernal"),
        ("cluster.render()", "render"),
    ],
)
def test_whatever_is_not_there_is_named(expression: str, named: str) -> None:
    finding = refused({HERE: f"{HEAD}data:\n  a: {{{{ {expression} }}}}\n"})
    assert finding.rule == "template/undefined"
    assert finding.place == Place(HERE, 6, 1)
    assert named in finding.message
    assert "generator." not in finding.message


def test_what_may_be_missing_is_asked_for_with_default() -> None:
    assert note("  a: {{ cluster.regon | default('none') }}\n  b: {{ kernal is defined }}\n") == {
        "a": "none",
        "b": False,
    }


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("{{ cluster.name", 1),
        ("a: 1\n{% if %}\n", 2),
        ("a: 1\n{% for x in y %}\n", 2),
        ("\n{{ cluster.name | nofilter }}\n", 2),
        ("\n{{ cluster.name is notest }}\n", 2),
        ("{% unknown %}", 1),
        ("{% endif %}", 1),
        ("\n{% include 'gone' %}\n", 2),
        ("\n\n{% extends 'gone' %}\n", 3),
        ("\n{% from 'gone' import a %}\n", 2),
        ("{{ range(1, 2, 3, 4, 5) }}", 1),
        ("\n{{ 1 / 0 }}\n", 2),
        ("\n{{ 'a' + 1 }}\n", 2),
        ("\n{{ cluster + 1 }}\n", 2),
        ("\n{{ none }}\n", 2),
        ("\n{{ 1.5 }}\n", 2),
        ("\n{{ cluster }}\n", 2),
        ("\n{{ cluster.pools }}\n", 2),
        ("\n{{ cluster.pools | block }}\n", 2),
        ("\n{{ cluster.name | block(2) }}\n", 2),
        ("\n{{ cluster.name | lines(2) }}\n", 2),
        ("\n{{ [1] | lines(2) }}\n", 2),
        ("\n{{ {1: 2} | block }}\n", 2),
        ("\n{{ range(10**9) | list }}\n", 2),
        ("\n{% for x in range(10**9) %}{{ x }}{% endfor %}\n", 2),
        ("\n{{ 10**40 }}\n", 2),
        ("\n{{ 10**5000 }}\n", 0),
        ("{% macro m() %}{{ m() }}{% endmacro %}\n{{ m() }}\n", 1),
        ("\n{{ dict(a=1, a=2) | block }}\n", 0),
        ("{% for a in [1] %}" * 30 + "{% endfor %}" * 30, 0),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", 0),
        ("\n{{ {'a': 'b'} | block | upper }}\n", 2),
        ("{% macro m() %}{{ cluster.name }}{% endmacro %}\na: {{ m() ~ 'x' }}\n", 2),
        ("\n{% autoescape true %}{{ cluster.name }}{% endautoescape %}\n", 2),
        ("\n{% filter upper %}a: {{ cluster.name }}{% endfilter %}\n", 2),
        ("\n{% filter indent(2) | upper %}a: {{ cluster.name }}{% endfilter %}\n", 2),
        ("\n{{ cluster.pools.append(1) }}\n", 2),
        ("\n{% do cluster.pools.append(1) %}\n", 2),
        ("\n{{ cluster.name | random }}\n", 2),
        ("\n{{ '%s %s' % 'a' }}\n", 2),
        ("\n{{ '{a}'.format() }}\n", 2),
        ("\n{{ '{0.__class__}'.format(cluster) }}\n", 2),
        ("\n{{ ''.__class__.__mro__ }}\n", 2),
        ("\n{{ cluster.__class__ }}\n", 2),
        ("\n{{ cluster.__struct_fields__ }}\n", 2),
        ("\n{{ cluster['__class__'] }}\n", 2),
        ("\n{{ cluster | attr('__class__') }}\n", 2),
        ("\n{{ self.__init__.__globals__ }}\n", 2),
        ("\n{{ range.__self__ }}\n", 2),
        ("\n{{ cycler.__init__.__globals__ }}\n", 2),
        ("\n{{ lipsum() }}\n", 2),
        ("\n{{ range | string }}\n", 2),
        ("\n{{ cluster.pools | map(attribute='name') ~ '' }}\n", 2),
        ("\n{{ cluster.name | truncate(1) }}\n", 2),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_template_that_can_not_be_read_or_run_is_told_at_its_line(template: str, line: int) -> None:
    finding = refused({HERE: template})
    assert finding.rule in {"template/syntax", "template/undefined"}
    assert finding.place.file == HERE
    assert finding.place.line == line or (line == 0 and finding.place.line >= 0)
    assert finding.message
    assert "Markup" not in finding.message


@pytest.mark.parametrize(
    "expression",
    [
        "''.__class__.__mro__",
        "cluster.__class__",
        "cluster.pools.__class__.__base__.__subclasses__()",
        "cluster.name.format.__globals__",
        "(cluster.pools | map(attribute='__class__') | first)",
        "cluster.pools[0].__reduce__()",
    ],
)
def test_the_sandbox_holds(expression: str) -> None:
    """Jinja's own list of escapes: docs/sandbox, and the issues that made it."""
    finding = refused({HERE: f"a: {{{{ {expression} | string }}}}\n"})
    assert re.search(r"'__\w+__'", finding.message)
    assert finding.message.endswith("is unsafe")


def test_a_partial_that_fails_is_told_where_it_fails() -> None:
    partial = "templates/{cluster}/extra/_part.yaml.j2"
    whole = HEAD + "{% include '{cluster}/extra/_part.yaml.j2' %}\n"
    undefined = refused({HERE: whole, partial: "data:\n  a: {{ kernal }}\n"})
    assert (undefined.rule, undefined.place) == ("template/undefined", Place(partial, 2, 1))
    syntax = refused({HERE: whole, partial: "data:\n  a: {{ kernal\n"})
    assert (syntax.rule, syntax.place.file, syntax.place.line) == ("template/syntax", partial, 2)


@pytest.mark.parametrize("word", ["include", "extends"])
def test_a_template_that_takes_itself_in_is_told(word: str) -> None:
    finding = refused({HERE: f"{{% {word} '{{cluster}}/extra/note.yaml.j2' %}}\n"})
    assert finding.rule == "template/syntax"
    assert finding.place.file == HERE


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"a: 1\nb: \xe4\n", Place(HERE, 2, 4), "the file is not UTF-8: byte 0xe4"),
        (b"\xff\xfea\x00", Place(HERE, 1, 1), "the file is not UTF-8: byte 0xff"),
        ("a: \x02b\x03\n", Place(HERE, 1, 4), "the character U+0002 is not allowed"),
        ("a: b\n# \u2028\n", Place(HERE, 2, 3), "the character U+2028 is not allowed"),
    ],
)
def test_a_template_that_is_no_text_is_told_at_its_place(data: str | bytes, place: Place, message: str) -> None:
    finding = refused({HERE: data})
    assert (finding.rule, finding.place, finding.message) == ("template/syntax", place, message)


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        (HEAD + "---\n" + HEAD, "line 5 of out/fra1/extra/note.yaml is not one Kubernetes manifest: a second document"),
        ("- a\n", "it is no mapping"),
        ("text\n", "it is no mapping"),
        ("# only a comment\n", "it is no mapping"),
        ("{{ cluster.name }}\n", "it is no mapping"),
        ("a: 1\n", "apiVersion and kind and metadata.name missing"),
        ("apiVersion: v1\nkind: ConfigMap\n", "metadata.name missing"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a}\n", "metadata.name missing"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ 5 }}}\n", "metadata.name missing"),
        ("kind: List\napiVersion: v1\nitems: []\n", "metadata.name missing"),
        (HEAD + "kind: Secret\n", 'line 5 of out/fra1/extra/note.yaml is not one Kubernetes manifest: the key "kind"'),
        (HEAD + "{{ 'kind' }}: Secret\n", 'the key "kind" stands here and in line 2'),
        (HEAD + "data:\n   a: 1\n  b: 2\n", "not valid YAML"),
        (HEAD + "data:\n\ta: 1\n", "not valid YAML"),
        (HEAD + "data: {a: x{{ cluster.name }}}\n", "a printed value is not one whole YAML scalar"),
        (HEAD + "# {{ cluster.name }}\n", "a printed value is not one whole YAML scalar: it stands in a comment"),
        (HEAD + 'data: {a: "{{ cluster.name }}"}\n', "it stands in quotes already"),
        (HEAD + "data: !!binary aGk=\n", "the tag !!binary is not supported"),
        (HEAD + "data: *none\n", "the alias *none has no anchor"),
        (HEAD + 'data: {a: {{ "\\x07" }}}\n', "the value holds the character U+0007"),
        (HEAD + "data: {a: {{ '\\ud800' }}}\n", "not valid YAML"),
    ],
    ids=lambda value: repr(value)[-50:],
)
def test_what_is_not_one_manifest_is_refused(printed: str, why: str) -> None:
    finding = refused({HERE: printed})
    assert finding.rule == "template/not-a-manifest"
    assert finding.place.file == HERE
    assert why in finding.message


@pytest.mark.parametrize("name", ["Chart.yaml", "my-Chart.yaml"])
def test_argo_cd_would_take_the_folder_for_a_chart(name: str) -> None:
    """argo-cd util/app/discovery/discovery.go: a file whose name ends in Chart.yaml makes its folder a Helm chart."""
    finding = refused({f"templates/{{cluster}}/extra/{name}.j2": HEAD})
    assert finding.rule == "template/not-a-manifest"
    assert "Helm chart" in finding.message


@pytest.mark.parametrize(
    "path",
    [
        "note.yaml.j2",
        "cluster/note.yaml.j2",
        "_delivery/note.yaml.j2",
        "{pool}/note.yaml.j2",
        "{cluster}.yaml.j2",
        "x{cluster}/note.yaml.j2",
        "{cluster}/{region}/note.yaml.j2",
        "{cluster}/{pool.name}/note.yaml.j2",
        "{cluster}/{}/note.yaml.j2",
        "{cluster}/{pool/note.yaml.j2",
        "{cluster}/../note.yaml.j2",
        "{cluster}/a/../../../note.yaml.j2",
        "{cluster}/./note.yaml.j2",
        "{cluster}//note.yaml.j2",
        "{cluster}/a\nb.yaml.j2",
    ],
)
def test_a_template_stays_in_its_clusters_folder(path: str) -> None:
    finding = refused({f"templates/{path}": HEAD})
    assert finding.rule == "template/outside-folder"
    assert finding.place.file == f"templates/{path}"


def test_only_yaml_is_rendered() -> None:
    assert (
        refused({"templates/{cluster}/extra/run.sh.j2": "rm -rf {{ cluster.name }}\n"}).rule
        == "template/not-a-manifest"
    )


def test_a_yaml_file_that_is_no_template_is_not_passed_over() -> None:
    made = rendered({"templates/{cluster}/extra/note.yaml": HEAD})
    assert [(finding.rule, finding.severity) for finding in made.findings] == [
        ("inventory/unread-file", Severity.ERROR)
    ]
    assert rendered({"templates/README.md": "words"}).findings == ()


def test_one_object_in_two_files_is_told() -> None:
    finding = refused({HERE: HEAD, "templates/{cluster}/more/copy.yaml.j2": HEAD})
    assert finding.rule == "template/duplicate-object"
    assert finding.message == "ConfigMap note is in out/fra1/more/copy.yaml and in out/fra1/extra/note.yaml"


def test_one_object_for_two_pools_is_told() -> None:
    finding = refused({"templates/{cluster}/extra/note-{pool}.yaml.j2": HEAD})
    assert finding.message == "ConfigMap note is in out/fra1/extra/note-l4.yaml and in out/fra1/extra/note-a100.yaml"


def test_an_object_of_ours_is_not_to_be_made_again() -> None:
    template = "apiVersion: nvidia.com/v1\nkind: NVIDIADriver\nmetadata:\n  name: l4\n"
    assert "nvidiadriver-l4.yaml" in refused({HERE: template}).message


@pytest.mark.parametrize("change", ["namespace: b", "labels: {}"])
def test_objects_of_other_namespaces_are_others(change: str) -> None:
    both = {HERE: HEAD, "templates/{cluster}/more/copy.yaml.j2": f"{HEAD}  {change}\n"}
    assert len(rendered(both).findings) == (0 if "namespace" in change else 1)


def test_two_paths_that_are_one_file_are_told() -> None:
    other = HEAD.replace("name: note", "name: other")
    case = refused({HERE: HEAD, "templates/{cluster}/extra/Note.yaml.j2": other})
    assert case.rule == "template/duplicate-object"
    assert "are one file on many file systems" in case.message
    kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n"
    twice = refused({"templates/{cluster}/gpu-operator/kustomization.yml.j2": kustomization})
    assert "are two kustomizations of one folder" in twice.message
    folder = refused({HERE: HEAD, "templates/{cluster}/extra/note.yaml/a.yaml.j2": other})
    assert "is a file" in folder.message


def test_kustomizations_of_several_folders_are_no_duplicates() -> None:
    kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n"
    folders = {f"templates/{{cluster}}/{name}/kustomization.yaml.j2": kustomization for name in ("a", "b")}
    assert texts(rendered(folders)).keys() >= {"fra1/a/kustomization.yaml", "fra1/b/kustomization.yaml"}


PIECES = [
    "{{", "}}", "{%", "%}", "{#", "#}", " cluster", ".pools", "[0]", ".name", ".x", " | block(2)", " | lines(2)",
    " | truncate(1)", " | string", " | map('x')", " | attr('__class__')", " if ", " endif ", " for x in ", " endfor ",
    " macro m() ", " endmacro ", " m() ", " set x = ", " set x ", " endset ", " call m() ", " endcall ", " block b ",
    " endblock ", " include 'a' ", " filter indent(2) ", " endfilter ", " raw ", " endraw ", "a: ", "- ",
    "\n", "\n  ", "'", '"', "#", "|", "&", "*", "{", "}", "[", "]", "(", ")", ",", ":", "~", "1", "1.5", "none", "x",
    "é", "---", " extends 'a' ", HEAD,
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=10), st.booleans())
def test_whatever_a_template_says_it_renders_yaml_or_it_is_refused(pieces: list[str], whole: bool) -> None:
    template = (f"{HEAD}data:\n  a: {{{{ " if whole else "") + "".join(pieces) + (" }}\n" if whole else "")
    made = rendered({HERE: template})
    for text in (file.text for file in made.files):
        assert isinstance(yaml.safe_load(text), dict)
    for finding in made.findings:
        assert finding.message
        assert "\n" not in finding.message


def test_a_template_that_fails_is_told_once_for_all_clusters_and_pools() -> None:
    files: dict[str, str | bytes] = {
        "inventory/clusters/fra2.yaml": CLUSTER.replace("fra1", "fra2").replace("RING", '""').replace("OWNER", "x"),
        "templates/{cluster}/extra/note-{pool}.yaml.j2": "{{ kernal }}",
    }
    assert len(rendered(files).findings) == 1
