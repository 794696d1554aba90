"""Marks on their way out: totals, the mark book, feedback for candidates, and the evidence behind every mark."""
