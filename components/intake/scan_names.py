"""Whose script a file is, by its name or by the folder it lies in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from components.intake.scan_pages import ScanFile


def script_files(
    scans: list[ScanFile], counts: list[int], candidates: Sequence[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """For each file its candidate ("" where not known) and a name for the script it belongs to; and why it is not
    known. Files of a candidate's folder are one script, page after page, in the order of the numbers in their names.
    Sorts `scans` and `counts` so that such files follow each other.
    """
    order = sorted(range(len(scans)), key=lambda index: _natural(scans[index].name))
    scans[:], counts[:] = [scans[index] for index in order], [counts[index] for index in order]
    owners: list[tuple[str, str]] = []
    why: list[str] = []
    for scan in scans:
        path = PurePosixPath(scan.name)
        candidate, fault = _owner(path.stem, path.parent.name, candidates)
        in_folder = candidate and _named(path.parent.name, candidates) == [candidate]
        owners.append((candidate, str(path.parent) if in_folder else scan.name))
        why.append(fault)
    return owners, why


def _owner(stem: str, folder: str, candidates: Sequence[str]) -> tuple[str, str]:
    by_folder, by_stem = _named(folder, candidates), _named(stem, candidates)
    found = by_folder or by_stem
    if len(found) > 1:
        return "", f"its name could mean candidate {' or '.join(found)}. Rename it to the candidate number alone."
    if not found:
        return "", "its name has no candidate number of the class list. Rename it to the candidate number."
    if by_folder and by_stem and by_stem != by_folder and stem in candidates:
        return "", f"its folder says candidate {by_folder[0]} and its name {stem}. Which is it?"
    return found[0], ""


def _named(name: str, candidates: Sequence[str]) -> list[str]:
    """The candidates a name speaks of: the whole name, else numbers that stand apart in it."""
    if name in candidates:
        return [name]
    folded = name.casefold()
    return [
        candidate
        for candidate in candidates
        if re.search(rf"(?<![^\W_]){re.escape(candidate.casefold())}(?![^\W_])", folded)
    ]


def _natural(name: str) -> list[tuple[int, int, str]]:
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]
