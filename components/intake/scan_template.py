"""A template page made ready for comparing scans with it: where its print is, and where that differs from others'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from PIL import Image, ImageFilter
from scipy import fft, ndimage

from components.intake.page_regions import ScanFault
from components.intake.scan_cut import Print, paper_level

_HEIGHT = 876  # pixels of a template page when it is compared: 75 dpi on A4
COARSE = (512, 512)  # what a first look at half of that fits into
PATCH = 32
_GRID = (7, 5)
FEWEST_PATCHES, _FEWEST_POINTS = 6, 150
_TELLING = 80


@dataclass(frozen=True, eq=False)
class Differences:
    """Pixels that only one of two template pages has print on, and how dark it is there."""

    here: np.ndarray
    here_dark: float
    there: np.ndarray
    there_dark: float

    @property
    def tell(self) -> bool:
        return len(self.here) + len(self.there) >= _TELLING


@dataclass(frozen=True, eq=False)
class TemplatePage:
    """A template page made ready for comparing. `patches` are the middles of small places whose print occurs nowhere
    else near, `points` are pixels of print, `against` says of each other page where the two differ."""

    number: int
    grey: Image.Image
    reduced: int
    small: np.ndarray
    spectrum: np.ndarray
    patches: np.ndarray
    points: np.ndarray
    against: dict[int, Differences] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Too little is printed to line a scan up with."""
        return len(self.patches) < FEWEST_PATCHES or len(self.points) < _FEWEST_POINTS

    @property
    def alike(self) -> tuple[int, ...]:
        """The template's other pages that a scan cannot be told from this one by."""
        return tuple(number for number, differences in self.against.items() if not differences.tell)

    def printed(self) -> Print:
        """The page's own print, with a tolerance of about half a millimetre, for telling blank answers."""
        ink = Image.fromarray((thickened(ink_of(self.small, 14), 2) * 255).astype(np.uint8))
        height, width = self.small.shape
        return Print(ink=ink, to_ink=np.diag([width, height, 1.0]))


def prepare_template(pages: Sequence[Image.Image]) -> tuple[TemplatePage, ...]:
    """The template's pages (grey pictures, upright) made ready. Raises ScanFault when there are none."""
    if not pages:
        raise ScanFault("The template has no pages. Choose the exam paper as a PDF.")
    ready = []
    for number, grey in enumerate(pages, 1):
        reduced = max(1, round(max(grey.size) / _HEIGHT))
        small = np.asarray(grey.reduce(reduced))
        points = np.argwhere(ink_of(small))[:, ::-1]
        chosen = np.random.default_rng(0).permutation(len(points))[:2500]
        ready.append(TemplatePage(number, grey, reduced, small, spectrum_of(small), _patches(small), points[chosen]))
    for page in ready:
        for other in ready:
            if other is not page:
                page.against[other.number] = _differences(page.small, other.small)
    return tuple(ready)


def around(pixels: np.ndarray, middles: np.ndarray, side: int) -> np.ndarray:
    """Squares of the picture about the middles, white beyond its edge."""
    padded = np.pad(pixels, side, constant_values=255)
    low = side - side // 2
    return np.stack([padded[y + low : y + low + side, x + low : x + low + side] for x, y in middles])


def likeness_of(patches: np.ndarray, windows: np.ndarray) -> np.ndarray:
    """The correlation of each patch with each place in its window."""
    size = windows.shape[1:]
    patch = patches.astype(np.float32) - patches.mean(axis=(1, 2), keepdims=True, dtype=np.float32)
    window = windows.astype(np.float32) - 200
    seen = fft.rfft2(window)
    box = np.conj(fft.rfft2(np.ones(patch.shape[1:], np.float32), size))
    dots = fft.irfft2(seen * np.conj(fft.rfft2(patch, size)), size)
    sums, squares = fft.irfft2(seen * box, size), fft.irfft2(fft.rfft2(window**2) * box, size)
    area = patch.shape[1] * patch.shape[2]
    spread = np.maximum(squares - sums**2 / area, 4.0 * area) * (patch**2).sum((1, 2), keepdims=True)
    reach = size[0] - patch.shape[1] + 1
    return np.asarray((dots / np.sqrt(np.maximum(spread, 1.0)))[:, :reach, :reach])


def spectrum_of(small: np.ndarray) -> np.ndarray:
    """The print at half of `small`'s size, its slow shades removed, as frequencies."""
    coarse = np.asarray(Image.fromarray(small).reduce(2))[: COARSE[0], : COARSE[1]]
    dark = np.maximum(np.float32(0), paper_of(coarse) - coarse.astype(np.float32))
    for axis in (0, 1):  # long lines go: they fit wherever they are pushed along themselves
        dark = dark - ndimage.uniform_filter1d(dark, 15, axis=axis)
    return np.asarray(fft.rfft2(dark, COARSE))


def _patches(small: np.ndarray) -> np.ndarray:
    """The middles of places with print that fixes them in both directions, one in each cell of a grid."""
    pixels = np.minimum(small, paper_of(small)).astype(np.float32)
    down, across = np.gradient(pixels)
    clear = np.minimum(*(ndimage.uniform_filter(each**2, PATCH) for each in (down, across)))
    height, width = small.shape
    rim = PATCH // 2 + 1
    found = []
    for row in range(_GRID[0]):
        for column in range(_GRID[1]):
            top, bottom = (max(rim, row * height // _GRID[0]), min(height - rim, (row + 1) * height // _GRID[0]))
            left, right = (max(rim, column * width // _GRID[1]), min(width - rim, (column + 1) * width // _GRID[1]))
            cell = clear[top:bottom, left:right]
            y, x = np.unravel_index(int(cell.argmax()), cell.shape)
            if cell[y, x] > 25:
                found.append((left + int(x), top + int(y)))
    places = np.array(found, dtype=int).reshape(-1, 2)
    return places[_unique(small, places)] if len(places) else places


def _unique(small: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Which patches occur only once nearby: the end of a ruled line does not, and would fit one line off."""
    likeness = likeness_of(around(small, places, PATCH), around(small, places, 4 * PATCH))
    middle = likeness.shape[1] // 2
    likeness[:, middle - 5 : middle + 6, middle - 5 : middle + 6] = 0
    return np.asarray(likeness.max(axis=(1, 2)) < 0.7)


def _differences(here: np.ndarray, there: np.ndarray) -> Differences:
    high, wide = (min(a, b) for a, b in zip(here.shape, there.shape, strict=True))
    ours, theirs = _darkness(here)[:high, :wide], _darkness(there)[:high, :wide]
    more = ours.astype(int) - theirs
    random = np.random.default_rng(1)
    only = [random.permutation(np.argwhere(each)[:, ::-1])[:1500] for each in (more > 45, more < -45)]
    dark = [float(d[p[:, 1], p[:, 0]].mean()) if len(p) else 1.0 for d, p in zip((ours, theirs), only, strict=True)]
    return Differences(only[0], dark[0], only[1], dark[1])


def _darkness(small: np.ndarray) -> np.ndarray:
    """How much darker than paper each pixel is, slightly blurred."""
    pixels = np.asarray(Image.fromarray(small).filter(ImageFilter.BoxBlur(1)))
    paper = paper_of(pixels)
    return np.asarray(paper - np.minimum(pixels, paper))


def ink_of(small: np.ndarray, darker: int = 45) -> np.ndarray:
    return np.asarray(small < paper_of(small) - darker)


def paper_of(pixels: np.ndarray) -> int:
    """The level of the paper, 0 to 255."""
    return paper_level(Image.fromarray(pixels), 0.6)


def thickened(ink: np.ndarray, reach: int) -> np.ndarray:
    """The ink with all pixels up to `reach` rows and columns away."""
    for axis in (0, 1):
        wide = ink.copy()
        for by in range(1, reach + 1):
            ahead, behind = (slice(by, None), slice(None, -by)) if axis == 0 else (np.s_[:, by:], np.s_[:, :-by])
            wide[ahead] |= ink[behind]
            wide[behind] |= ink[ahead]
        ink = wide
    return ink
