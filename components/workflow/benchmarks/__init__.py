"""Models that sit published benchmarks, and what they earn."""
