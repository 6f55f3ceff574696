"""Changes a catalog that is written in another way than one image a line: as a document that people wrote.

It takes a thousand times as long as `edit`, so that it is only for catalogs that people can look over.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.declared.entry import Entry
from generator.documents.changes import AddItem, CantEdit, Change, RemoveItem, RemoveKey, SetKey
from generator.documents.edit import edited


def edited_tree(
    text: str, written: Mapping[int, Entry], wanted: Mapping[str, Entry | None], *, is_sorted: bool
) -> str | CantEdit:
    """The text with some tags' images set, or removed where they are None.

    `written` are the images by their index in the list. New ones go where the order of tags has them in a catalog
    that is sorted, else to the end.
    """
    return edited(text, list(_changes(written, wanted, is_sorted=is_sorted)))


def _changes(written: Mapping[int, Entry], wanted: Mapping[str, Entry | None], *, is_sorted: bool) -> Iterator[Change]:
    """Fields first, since they move nothing; then what goes, from the end on; then what is new, from the front on."""
    kept: list[str] = []
    removed: list[int] = []
    for index, entry in sorted(written.items()):
        becomes: Entry | None = wanted.get(entry.tag, entry)
        if becomes is None or entry.tag in kept:
            removed.append(index)
            continue
        kept.append(entry.tag)
        yield from _fields(index, entry, becomes)
    for index in reversed(removed):
        yield RemoveItem(("images", index))
    for tag, new in sorted(wanted.items()):
        if new is None or tag in kept:
            continue
        position = sum(other < tag for other in kept) if is_sorted else len(kept)
        kept.insert(position, tag)
        yield AddItem(("images",), _as_written(new), position)


def _fields(index: int, entry: Entry, becomes: Entry) -> Iterator[Change]:
    """The fields in which an image differs from what is written of it."""
    before, after = _as_written(entry), _as_written(becomes)
    for key, value in after.items():
        if before.get(key) != value:
            yield SetKey(("images", index, key), value)
    for key in before:
        if key not in after:
            yield RemoveKey(("images", index, key))


def _as_written(entry: Entry) -> dict[str, Any]:
    """An image as the document has it, in the order of a canonical line."""
    fields: dict[str, Any] = {
        "tag": entry.tag,
        "platforms": list(entry.platforms) if entry.platforms is not None else None,
        "driverVersion": entry.driver_version,
        "moduleType": entry.module_type,
        "digest": entry.digest,
        "gone": True if entry.gone else None,
    }
    return {key: value for key, value in fields.items() if value is not None}
