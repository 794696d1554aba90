"""A stroke writer: invented handwriting, drawings and scans for the demo and for tests. Nobody's real hand is in it."""
