"""What a learned marker sees of an answer: its words, its letters, and a few plain measures of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.judge.offline.wording import Answer
from components.judge.offline.wording_check import WHOLE_FULL, Reference, match_points, match_whole
from components.judge.offline.words import tokens

Numbers = NDArray[np.float64]
Rows = NDArray[np.int64]
NGRAM_WEIGHT = 2.0  # beside the measures
LONGEST_ANSWER = 20_000  # characters an n-gram model reads; more adds time, not knowledge


@dataclass(frozen=True)
class Sample:
    """Answers as n-grams (sparse, a row an answer), measures, and the wording check's share of the full mark."""

    ngrams: Any
    measures: Numbers
    shares: Numbers

    def __getitem__(self, rows: Rows) -> Sample:
        return Sample(self.ngrams[rows], self.measures[rows], self.shares[rows])

    def kernels(self, other: Sample) -> tuple[Numbers, Numbers]:
        """How alike each answer is to each of the other sample's, by n-grams and by measures."""
        ngrams = NGRAM_WEIGHT * (self.ngrams @ other.ngrams.T).toarray()
        return ngrams, self.measures @ other.measures.T / self.measures.shape[1]


class AnswerFeatures:
    """Turns answers to one question into TF-IDF of words and of character n-grams, and standardised measures.

    `texts` teach how common each word is.
    """

    def __init__(self, ref: Reference, texts: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - slow; the wording check starts without

        self._ref = ref
        known = [text[:LONGEST_ANSWER] for text in (*texts, ref.text) if text.strip()]
        terms = partial(word_terms, language=ref.language)
        self._words = TfidfVectorizer(analyzer=terms, sublinear_tf=True).fit(known)
        self._letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True).fit(known)
        self._ref_ngrams = self._ngrams([ref.text]) if ref.text.strip() else None
        self._mean, self._spread = np.zeros(1), np.ones(1)

    def fit(self, texts: Sequence[str]) -> Sample:
        """The answers as a sample, whose measures' mean and spread become the standard."""
        raw = self._measured(texts)
        self._mean, self._spread = raw.measures.mean(axis=0), raw.measures.std(axis=0) + 1e-6
        return self._standardised(raw)

    def __call__(self, texts: Sequence[str]) -> Sample:
        """Answers as a sample, measured by the standard that `fit` set."""
        return self._standardised(self._measured(texts))

    def _standardised(self, raw: Sample) -> Sample:
        return replace(raw, measures=np.clip((raw.measures - self._mean) / self._spread, -3, 3))

    def _measured(self, texts: Sequence[str]) -> Sample:
        ngrams = self._ngrams(texts)
        alike = np.zeros(len(texts))
        if self._ref_ngrams is not None:
            alike = (ngrams @ self._ref_ngrams.T).toarray()[:, 0]
        rows = [self._wording_measures(text) for text in texts]
        measures = np.column_stack([alike, [row for row, _ in rows]])
        return Sample(ngrams, measures, np.array([share for _, share in rows]))

    def _ngrams(self, texts: Sequence[str]) -> Any:
        from scipy.sparse import hstack  # noqa: PLC0415

        cut = [text[:LONGEST_ANSWER] for text in texts]
        return hstack([self._words.transform(cut), self._letters.transform(cut)]).tocsr()

    def _wording_measures(self, text: str) -> tuple[list[float], float]:
        """Length in three ways and each point's share; and the part of the full mark that the shares come to."""
        answer = Answer(text, self._ref.language)
        if self._ref.points:
            shares = [0.0 if p.is_rejected else p.match.share for p in match_points(self._ref, answer)]
            earned = float(np.mean(np.minimum(1, np.array(shares) / WHOLE_FULL)))
        else:
            share, sentences = match_whole(self._ref, answer)
            shares = [share, sum(m.share for m in sentences) / max(1, len(self._ref.sentences))]
            earned = min(1.0, share / WHOLE_FULL)
        telling = len({token.key for token in answer.tokens if not token.stop})
        size = len(answer.tokens)
        return [float(np.log1p(size)), size**0.5, float(np.log1p(telling)), *shares], earned


def word_terms(text: str, language: str) -> list[str]:
    """Stemmed words and neighbouring pairs of them."""
    found = [token.key for token in tokens(text, language)]
    return found + [f"{a} {b}" for a, b in pairwise(found)]
