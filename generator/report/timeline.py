"""A replayed upgrade as a drawing: one SVG without anything from elsewhere, or a page around it."""

from collections.abc import Iterator
from html import escape

from generator.report.simulation import clock, event_line, grouped, headline
from generator.upgrade.event import Kind
from generator.upgrade.simulation import Lane, Simulation, Span
from generator.upgrade.state import State
from generator.words import printable

# Told apart by people who see no red and green (Okabe and Ito's palette).
COLORS = {
    State.UNKNOWN: "#e6e6e6",
    State.UPGRADE_REQUIRED: "#cccccc",
    State.CORDON_REQUIRED: "#f0e442",
    State.WAIT_FOR_JOBS: "#e69f00",
    State.POD_DELETION: "#d55e00",
    State.DRAIN: "#cc79a7",
    State.NODE_MAINTENANCE: "#999999",
    State.POST_MAINTENANCE: "#999999",
    State.POD_RESTART: "#56b4e9",
    State.VALIDATION: "#0072b2",
    State.UNCORDON: "#8fd3c0",
    State.DONE: "#009e73",
    State.FAILED: "#000000",
}
OTHER = "#999999"
ROW, BAR, TOP, WIDTH, LETTER, RIGHT = 18, 12, 44, 960, 7, 24
STEPS = (10, 30, 60, 300, 600, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 7 * 24 * 3600, 28 * 24 * 3600)
MOST_TICKS = 10
STYLE = "font:12px sans-serif"


def svg(found: Simulation) -> str:
    """The drawing: a row for each node, its states in colors, a mark for each evicted pod."""
    left = LETTER * max((len(lane.node) for lane in found.lanes), default=4) + 16
    height = TOP + ROW * len(found.lanes) + 8
    span, across = max(found.seconds, 1), left + WIDTH + RIGHT
    legend = list(_legend(found, left, height))
    whole = height + ROW * ((len(legend) + 3) // 4) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {whole}" role="img" style="{STYLE}">',
        f"<title>{_text(headline(found))}</title>",
        f'<rect width="{across}" height="{whole}" fill="#ffffff"/>',
        f'<text x="8" y="16" font-weight="bold">{_text(headline(found))}</text>',
        *_axis(span, left, height),
        *(line for row, lane in enumerate(found.lanes) for line in _lane(lane, row, span, left)),
        *_marks(found, span, left),
        *legend,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def html(found: Simulation) -> str:
    """A page that needs nothing else: the drawing, what happens, and where it stalls."""
    events = "\n".join(_text(line) for one in found.events if (line := event_line(one)))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{_text(headline(found))}</title>",
        "<style>body{font:15px/1.5 sans-serif;margin:2em;max-width:80em}pre{overflow-x:auto}svg{width:100%}</style>",
        f"</head><body><h1>{_text(headline(found))}</h1>",
        svg(found),
        *_stalls(found),
        f"<h2>What happens</h2><pre>{events}</pre>" if events else "",
        "<h2>What was assumed</h2><ul>",
        *(f"<li>{_text(one)}</li>" for one in found.assumed),
        "</ul></body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _text(value: str) -> str:
    return escape(printable(value))


def _x(seconds: int, span: int, left: int) -> float:
    return round(left + WIDTH * seconds / span, 1)


def _axis(span: int, left: int, height: int) -> Iterator[str]:
    step = next((one for one in STEPS if span / one <= MOST_TICKS), STEPS[-1] * (span // STEPS[-1] // MOST_TICKS + 1))
    for at in range(0, span + 1, step):
        x = _x(at, span, left)
        yield f'<line x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{height}" stroke="#dddddd"/>'
        yield f'<text x="{x}" y="{TOP - 12}" text-anchor="middle" fill="#555555">{clock(at)}</text>'


def _lane(lane: Lane, row: int, span: int, left: int) -> Iterator[str]:
    y = TOP + ROW * row
    yield f'<text x="{left - 8}" y="{y + 10}" text-anchor="end">{_text(lane.node)}</text>'
    yield from (_bar(one, y, span, left) for one in lane.spans)


def _bar(one: Span, y: int, span: int, left: int) -> str:
    x, end = _x(one.begins, span, left), _x(one.ends, span, left)
    told = f"{one.state or 'no state'} {clock(one.begins)} to {clock(one.ends)}"
    wide = max(round(end - x, 1), 1)
    box = f'x="{x}" y="{y}" width="{wide}" height="{BAR}" fill="{_color(one.state)}"'
    return f"<rect {box}><title>{_text(told)}</title></rect>"


def _color(state: str) -> str:
    return COLORS[State(state)] if state in set(State) else OTHER


def _marks(found: Simulation, span: int, left: int) -> Iterator[str]:
    rows = {lane.node: row for row, lane in enumerate(found.lanes)}
    for one in found.events:
        if one.kind is Kind.EVICTED and one.node in rows:
            x, y = _x(one.at, span, left), TOP + ROW * rows[one.node] + BAR
            told = f"{clock(one.at)} evicts {one.detail}"
            yield f'<path d="M{x} {y} l-3 5 h6 z" fill="#d55e00"><title>{_text(told)}</title></path>'


def _legend(found: Simulation, left: int, height: int) -> Iterator[str]:
    states = sorted({one.state for lane in found.lanes for one in lane.spans}, key=_order)
    for index, state in enumerate(states):
        x, y = left + (index % 4) * WIDTH // 4, height + ROW * (index // 4) + 8
        box = f'<rect x="{x}" y="{y}" width="{BAR}" height="{BAR}" fill="{_color(state)}"/>'
        yield f'{box}<text x="{x + BAR + 6}" y="{y + 10}">{_text(state or "no state")}</text>'


def _order(state: str) -> tuple[int, str]:
    known = list(State)
    return (known.index(State(state)), "") if state in set(known) else (len(known), state)


def _stalls(found: Simulation) -> Iterator[str]:
    if found.stalls:
        yield "<h2>Where it stalls</h2><ul>"
        for group in grouped(found.stalls):
            names = ", ".join(one.node for one in group)
            why = "; ".join(group[0].why)
            command = f"<br>try: <code>{_text(group[0].command)}</code>" if group[0].command else ""
            yield f"<li>{_text(names)} in {_text(group[0].state or 'no state')}: {_text(why)}{command}</li>"
        yield "</ul>"
