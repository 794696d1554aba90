"""A benchmark that was read from files, kept as a set of questions that models can sit."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from components.intake.benchmarks.items import Item, Loaded
from components.marking import Marker, MarkError
from components.workflow.untaken import untaken
from storage import Store, benchmarks, events
from storage.benchmarks import StoredItem


def store_set(store: Store, loaded: Loaded, marker: Marker | None = None, name: str = "") -> int:
    """The id of the set with these items, made if it is new; one that was archived comes back.

    Raises MarkError where there is no item, as in a folder that holds shipped results alone.
    """
    if not loaded.items:
        raise MarkError(f"“{loaded.name}” holds no questions that a model could sit. Choose the folder with the data.")
    sha256 = hash_of(loaded.items)
    with store.write() as db:
        found = benchmarks.with_hash(db, loaded.benchmark, sha256)
        if found is not None:
            benchmarks.unarchive(db, found.id)
            return found.id
        marker_id = None if marker is None else marker.id
        rows = ((item.task, item.split, item.model_dump_json(exclude_defaults=True)) for item in loaded.items)
        named = untaken(name.strip() or loaded.name, benchmarks.names(db))
        set_id = benchmarks.add(db, loaded.benchmark, named, sha256, loaded.report, rows, marker_id)
        events.log(db, "benchmark loaded", f"benchmark set {set_id}", {"items": len(loaded.items)}, marker_id)
    return set_id


def hash_of(items: Sequence[Item]) -> str:
    """The SHA-256 of all items in their order."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(item.model_dump_json(exclude_defaults=True).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


def item_of(stored: StoredItem) -> Item:
    """A stored item as it was loaded."""
    return Item.model_validate_json(stored.body)
