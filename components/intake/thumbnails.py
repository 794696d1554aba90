"""Small copies of pictures, for contact sheets and previews."""

from __future__ import annotations

import io

from components.intake.pictures import decoded


def thumbnail(content: bytes, longest: int, quarter_turns: int = 0) -> bytes:
    """A JPEG of the stored picture, turned clockwise, with no side over `longest` pixels. Raises PictureFault."""
    image = decoded(content)
    image.thumbnail((longest, longest))
    out = io.BytesIO()
    image.rotate(-90 * quarter_turns, expand=True).save(out, "JPEG", quality=80)
    return out.getvalue()
