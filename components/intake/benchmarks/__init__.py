"""Published benchmarks, as their authors ship them: GAOKAO-Bench, E-EVAL and M3KE."""

from components.intake.benchmarks.gaokao_results import correction_fault
from components.intake.benchmarks.items import Benchmark, Item, Loaded, ShippedResult, Split
from components.intake.benchmarks.loading import load_files, load_folder
from components.intake.benchmarks.spreadsheet import likely_original

__all__ = [
    "Benchmark",
    "Item",
    "Loaded",
    "ShippedResult",
    "Split",
    "correction_fault",
    "likely_original",
    "load_files",
    "load_folder",
]
