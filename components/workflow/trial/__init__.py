"""Trials: several judges on work that people have marked, and what comes of it."""
