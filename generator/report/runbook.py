"""A runbook as Markdown: every step with the command to type and what to look for, nothing to look up elsewhere."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import to_builtins

from generator.change.evicted import Trouble
from generator.change.plan import Answer
from generator.change.runbook import Runbook, Step, Wave
from generator.change.work import Action, Work
from generator.report.commands import code, context, shell
from generator.report.plan import recipe_lines, step_words
from generator.report.runbook_block import block, seen_of
from generator.upgrade.state import STATE
from generator.words import counted, printable

# What each state means to whoever watches (k8s-operator-libs pkg/upgrade, in the order of a node's way).
STATES = (
    ("upgrade-required", "it waits for a free slot; nothing happens to it yet"),
    ("cordon-required", "it is being cordoned"),
    ("wait-for-jobs-required", "it waits for pods that waitForCompletion.podSelector names"),
    ("pod-deletion-required", "its GPU pods are being evicted; a budget can hold that up"),
    ("drain-required", "pod deletion failed, and the whole node is being drained"),
    ("pod-restart-required", "its driver pod is being replaced, and the new driver loads"),
    ("validation-required", "the new driver is up, and the validator is waited for (600 s at most)"),
    ("uncordon-required", "it is being uncordoned"),
    ("upgrade-done", "done"),
    ("upgrade-failed", "it stopped and holds a slot: see below"),
)


NOTHING_UPCOMING = """\
**There is nothing to do.** None of these pools declares anything as upcoming. Ask for another change with `--kernel`,
`--branch`, `--node-image`, `--os` or `--operator`."""
NOTHING_CHANGES = "**There is nothing to do.** The nodes of these pools already ask for these images."
CANARY = "This is the canary: begin the next block when all of that is so, and not before."
MERGED = """\
Each block below is one pull request: edit, render, look, and merge it alone; the next block begins where what is to be
seen has been seen."""
STOPPED = f"""\
- A budget refuses the eviction: let its owner add a replica or relax the budget. While the node still waits it goes on
  by itself then.
- `upgrade-failed` after an eviction that ran out of time: mend the cause, then run the whole way again with
  `kubectl label node NODE {STATE}=upgrade-required --overwrite`. The node stays cordoned meanwhile.
- `upgrade-failed` since the driver doesn't start: delete its driver pod once the cause is gone. When the new pod is
  ready the node goes on to uncordon by itself.
- One failed node uses up a slot: with `maxParallelUpgrades: 1` the whole pool waits for it."""
AT_THE_END = """\
No node left cordoned, and every node as declared. A node that was cordoned before its upgrade stays so, by design:"""


def markdown(book: Runbook) -> str:
    """The whole page."""
    lines = [f"# Runbook: {code(book.change)}", "", *_head(book)]
    for number, part in enumerate(_parts(book), start=1):
        title, body = part
        lines += ["", f"## {number}. {title}", "", *body]
    return "".join(f"{line}\n" for line in lines)


def _head(book: Runbook) -> Iterator[str]:
    steps = sum(len(wave.steps) for wave in book.waves)
    if not steps and not book.waiting:
        yield NOTHING_UPCOMING if book.declared else NOTHING_CHANGES
        return
    if steps:
        pools = counted(len({_named(step.answer) for wave in book.waves for step in wave.steps}), "pool")
        waves = counted(len(book.waves), "wave")
        merges = counted(sum(len(wave.pull_requests) for wave in book.waves), "pull request")
        yield f"{pools} in {waves}, {merges}. Take them in this order, and stop where one fails."
    if book.waiting:
        if steps:
            yield ""
        yield "**Not in this runbook**, since an image is missing or something else holds them:"
        yield ""
        yield from (_waiting(answer) for answer in book.waiting)
    if not steps:
        yield ""
        yield "**There is nothing to do yet.** No step that empties a node is written before its image exists."


def _waiting(answer: Answer) -> str:
    why = [*answer.objections, *(f"{one.after or one.kernel}: {one.why}" for one in answer.images if one.why)]
    return f"- `{code(_named(answer))}` ({answer.verdict}): {printable('; '.join(why)) or 'see drivergate plan'}"


def _named(answer: Answer) -> str:
    return f"{answer.cluster.name}/{answer.pool.name}"


def _parts(book: Runbook) -> Iterator[tuple[str, list[str]]]:
    if not book.waves and not book.waiting:
        return
    yield "Secure the images", list(_images(book))
    if not book.waves:
        return
    yield "Look before anything moves", list(_before(book))
    yield "How each block is merged", list(_merge())
    for wave in book.waves:
        yield _title(wave), list(_wave(wave, book))
    yield "What a node's state means", [*(f"- `{state}`: {what}" for state, what in STATES)]
    yield "When it stops", list(_stopped(book))
    yield "At the end", list(_end(book))


def _images(book: Runbook) -> Iterator[str]:
    if not book.works:
        yield "Every image of the pools below is in the catalog. Prove that the registry still has them:"
        yield from shell("drivergate catalog verify")
        return
    yield "These are missing, and the pools that need them are in no wave below:"
    yield ""
    for work in book.works:
        yield from _work(work)
    yield ""
    yield "Then update the catalog, and make this runbook again:"
    yield from shell("drivergate catalog sync")


def _work(work: Work) -> Iterator[str]:
    how = {Action.COPY: f"copy it from `{work.copy_from}`", Action.NONE: "can't be built"}.get(work.action, work.reason)
    yield f"- `{code(work.repository)}:{code(work.tag)}` for {', '.join(work.platforms)}: {how}"
    if recipe := " ".join(line.strip() for line in recipe_lines(work)):
        yield f"  - {code(recipe)}"


def _before(book: Runbook) -> Iterator[str]:
    clusters = _clusters(book)
    yield "All nodes as declared, no upgrade under way, nothing cordoned by hand (it keeps using up `maxUnavailable`):"
    yield from shell(
        *(f"drivergate audit --cluster {name}" for name in clusters),
        *(f"drivergate upgrade status --cluster {name}" for name in clusters),
    )
    troubles = [(step, one) for wave in book.waves for step in wave.steps for one in step.troubles]
    if troubles:
        yield ""
        yield "**Mend these first**, or a node will wait or fail on them:"
        yield ""
        yield from _troubles(troubles)


def _troubles(found: Iterable[tuple[Step, Trouble]]) -> Iterator[str]:
    told = dict.fromkeys((one.rule, one.message, one.way_out) for _, one in found)
    for rule, message, way_out in told:
        yield f"- {printable(message)} (`{rule}`): {printable(way_out)}"


def _merge() -> Iterator[str]:
    yield MERGED
    yield from shell("drivergate render", "drivergate check", "drivergate diff")


def _title(wave: Wave) -> str:
    named = f"Ring {wave.ring}" if wave.ring else "Clusters without a ring"
    return f"{code(named)}: {counted(len({_named(step.answer) for step in wave.steps}), 'pool')}"


def _wave(wave: Wave, book: Runbook) -> Iterator[str]:
    pull_requests = wave.pull_requests
    for number, steps in enumerate(pull_requests, start=1):
        if number > 1:
            yield ""
        yield from block(steps, book)
        if steps == wave.canaries:
            yield from ("", CANARY)


def _stopped(book: Runbook) -> Iterator[str]:
    yield "Ask why, and take the command that it names:"
    yield from shell(*(f"drivergate upgrade status --cluster {name}" for name in _clusters(book)))
    yield ""
    yield STOPPED


def _end(book: Runbook) -> Iterator[str]:
    yield AT_THE_END
    names = _contexts(book)
    yield from shell(
        *(f"kubectl --context {name} get nodes --field-selector spec.unschedulable=true" for name in names),
        *(f"drivergate audit --cluster {name}" for name in _clusters(book)),
    )


def _clusters(book: Runbook) -> list[str]:
    return list(dict.fromkeys(step.cluster.name for wave in book.waves for step in wave.steps))


def _contexts(book: Runbook) -> list[str]:
    return list(dict.fromkeys(context(step.cluster) for wave in book.waves for step in wave.steps))


def values(book: Runbook) -> dict[str, Any]:
    """The same for programs."""
    return {
        "change": book.change,
        "work": to_builtins(book.works),
        "waves": [{"ring": wave.ring, "steps": [_values(step) for step in wave.steps]} for wave in book.waves],
        "waiting": [_left(answer) for answer in book.waiting],
    }


def _left(answer: Answer) -> dict[str, Any]:
    why = [*answer.objections, *(f"{one.after or one.kernel}: {one.why}" for one in answer.images if one.why)]
    return {"cluster": answer.cluster.name, "pool": answer.pool.name, "verdict": str(answer.verdict), "why": why}


def _values(step: Step) -> dict[str, Any]:
    size = step.pool.size
    return {
        "cluster": step.cluster.name,
        "pool": step.pool.name,
        "way": str(step.way),
        "canary": step.canary,
        "together": step.together,
        "tags": list(step.tags),
        "nodes": {"min": size.min, "max": size.max} if size else None,
        "atOnce": step.at_once,
        "evictions": _told(step.evictions),
        "troubles": _told(step.troubles),
        "back": to_builtins(step.back),
        "number": step.number,
        "of": max(len(step.answer.steps), 1) if step.edit is not None else 1,
        "edit": step_words(step.edit) if step.edit is not None else "",
        "seen": seen_of(step),
    }


def _told(found: Sequence[Any]) -> list[Any]:
    return [to_builtins(one) for one in found]
