"""Kernel ridge regression averaged over its settings, and the cutting of its predictions into marks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
PENALTIES = np.geomspace(0.1, 30, 8)
MEASURE_WEIGHTS = (0.1, 0.3, 1.0, 3.0)  # of the measures beside the n-grams
SMOOTHING = 0.3  # of the spread of the predictions, where their distribution is matched to the marks'


@dataclass(frozen=True)
class Ridge:
    """Dual weights per measure weight, ready to predict; `left_out` are predictions of each mark without it."""

    mean: float
    duals: Numbers
    left_out: Numbers

    def predict(self, ngram_kernel: Numbers, measure_kernel: Numbers) -> Numbers:
        """Predictions for answers (rows) from their kernels with the training answers (columns)."""
        kernels = [ngram_kernel + weight * measure_kernel for weight in MEASURE_WEIGHTS]
        return np.asarray(
            self.mean + sum(kernel @ dual for kernel, dual in zip(kernels, self.duals, strict=True)), dtype=np.float64
        )


def fit_ridge(ngram_kernel: Numbers, measure_kernel: Numbers, marks: Numbers) -> Ridge:
    """Ridge for every penalty and measure weight, averaged by how well each predicts the marks left out.

    The weights are each setting's leave-one-out likelihood, err^(−n/2), with the leave-one-out errors in closed form
    (r_i / (1 − h_ii)). Averaging rather than picking the best costs nothing and does not swing with ten marks.
    """
    mean = float(marks.mean())
    rest = marks - mean
    n = len(marks)
    left_out, duals, log_weights = [], [], []
    for weight in MEASURE_WEIGHTS:
        values, vectors = np.linalg.eigh(ngram_kernel + weight * measure_kernel)
        values = np.clip(values, 0, None)
        turned = vectors.T @ rest
        for penalty in PENALTIES:
            kept = vectors * (penalty / (values + penalty))
            missed = (kept @ turned) / (kept * vectors).sum(axis=1)
            left_out.append(marks - missed)
            duals.append(vectors @ (turned / (values + penalty)))
            log_weights.append(-n / 2 * np.log(np.mean(missed**2) + 1e-12))
    weights = np.exp(np.array(log_weights) - max(log_weights))
    weights /= weights.sum()
    weighted = (weights[:, None] * np.array(duals)).reshape(len(MEASURE_WEIGHTS), len(PENALTIES), n)
    return Ridge(mean, weighted.sum(axis=1), weights @ np.array(left_out))


@dataclass(frozen=True)
class Cuts:
    """Where predictions are cut into marks: `at[i]` parts `marks[i]` from `marks[i + 1]`. `error` is their spread."""

    marks: Numbers
    at: Numbers
    error: float

    def mark(self, predictions: Numbers) -> Numbers:
        """The mark for each prediction."""
        return np.asarray(self.marks[np.searchsorted(self.at, predictions)], dtype=np.float64)

    def certainty(self, predictions: Numbers) -> Numbers:
        """How much of a prediction's likely error stays inside the band of its mark, 0 to 1."""
        from scipy.special import ndtr  # noqa: PLC0415

        edges = np.concatenate([[-np.inf], self.at, [np.inf]])
        band = np.searchsorted(self.at, predictions)
        upper = ndtr((edges[band + 1] - predictions) / self.error)
        return np.asarray(upper - ndtr((edges[band] - predictions) / self.error), dtype=np.float64)


def match_distribution(predictions: Numbers, marks: Numbers) -> Cuts:
    """Cuts that give the predictions the distribution of the marks: a share of 20% zeros puts the first cut there.

    Rounding would pull every mark to the middle, as predictions of scarce marks are shrunk.
    """
    width = SMOOTHING * float(predictions.std()) + 1e-6
    grid = np.linspace(predictions.min() - 2 * width, predictions.max() + 2 * width, 400)
    below = (0.5 + 0.5 * np.tanh(0.85 * (grid[:, None] - predictions) / width)).mean(axis=1)
    seen = np.unique(marks)
    at = np.interp([float(np.mean(marks <= mark)) for mark in seen[:-1]], below, grid)
    return Cuts(seen, at, float(np.sqrt(np.mean((predictions - marks) ** 2))) + 1e-6)
