"""Uploaded pictures: what becomes of each kind, what is refused in words, and that nothing of the camera stays."""

from __future__ import annotations

import io
import random
import struct
import zlib
from typing import Any

import numpy as np
import pillow_heif
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageDraw, PngImagePlugin

from components.intake import pictures
from components.intake.errors import IntakeError
from components.intake.pictures import OpenedPicture, PictureFault, opened, rotated

Colour = tuple[int, int, int]
RED, GREEN, BLUE, GREY = (220, 30, 30), (30, 180, 40), (40, 60, 200), (128, 128, 128)


def four_corners(width: int = 96, height: int = 64) -> Image.Image:
    """Red, green above blue, grey: tells every turning and mirroring from each other."""
    picture = Image.new("RGB", (width, height), RED)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((width // 2, 0, width, height // 2 - 1), fill=GREEN)
    draw.rectangle((0, height // 2, width // 2 - 1, height), fill=BLUE)
    draw.rectangle((width // 2, height // 2, width, height), fill=GREY)
    return picture


def saved(picture: Image.Image, kind: str, **how: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **how)
    return out.getvalue()


def seen(page: OpenedPicture) -> Image.Image:
    picture = Image.open(io.BytesIO(page.content))
    picture.load()
    assert picture.size == (page.width, page.height)
    assert Image.MIME[picture.format or ""] == page.mime
    assert picture.mode in ("L", "RGB")
    return picture


def corner_colours(picture: Image.Image) -> list[Colour]:
    coloured = picture.convert("RGB")
    places = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
    found = [coloured.getpixel((int(x * picture.width), int(y * picture.height))) for x, y in places]
    return [(pixel[0], pixel[1], pixel[2]) for pixel in found if isinstance(pixel, tuple)]


def near(found: list[Colour], wanted: list[Colour], room: int = 12) -> bool:
    return all(
        abs(a - b) <= room for one, other in zip(found, wanted, strict=True) for a, b in zip(one, other, strict=True)
    )


def heic(picture: Image.Image, **how: Any) -> bytes:
    out = io.BytesIO()
    pillow_heif.from_pillow(picture).save(out, quality=95, chroma=444, **how)
    return out.getvalue()


FILES = {
    "PNG": (lambda p: saved(p, "PNG"), "image/png"),
    "JPEG": (lambda p: saved(p, "JPEG", quality=95), "image/jpeg"),
    "WebP": (lambda p: saved(p, "WEBP", quality=95), "image/jpeg"),
    "AVIF": (lambda p: saved(p, "AVIF", quality=95), "image/jpeg"),
    "TIFF": (lambda p: saved(p, "TIFF"), "image/png"),
    "GIF": (lambda p: saved(p, "GIF"), "image/png"),
    "HEIC": (heic, "image/jpeg"),
}


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_is_read_by_its_content_whatever_its_name_says(kind: str) -> None:
    make, mime = FILES[kind]
    (page,) = opened("page.docx", make(four_corners()))
    assert (page.width, page.height, page.mime) == (96, 64, mime)
    assert near(corner_colours(seen(page)), [RED, GREEN, BLUE, GREY])


@pytest.mark.parametrize("kind", FILES)
def test_the_same_file_gives_the_same_bytes(kind: str) -> None:
    data = FILES[kind][0](four_corners())
    assert opened("a", data) == opened("b", data)


def as_taken(upright: Image.Image, orientation: int) -> Image.Image:
    """The pixels a camera stores so that a viewer who obeys the EXIF orientation sees `upright`."""
    turn = Image.Transpose
    undo = {
        2: turn.FLIP_LEFT_RIGHT,
        3: turn.ROTATE_180,
        4: turn.FLIP_TOP_BOTTOM,
        5: turn.TRANSPOSE,
        6: turn.ROTATE_90,
        7: turn.TRANSVERSE,
        8: turn.ROTATE_270,
    }
    return upright if orientation == 1 else upright.transpose(undo[orientation])


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "JPEG", "WEBP", "AVIF"])
def test_exif_orientation_is_applied(orientation: int, kind: str) -> None:
    upright = four_corners()
    exif = Image.Exif()
    exif[0x0112] = orientation
    (page,) = opened("photo", saved(as_taken(upright, orientation), kind, exif=exif))
    found = seen(page)
    assert found.size == upright.size
    assert near(corner_colours(found), [RED, GREEN, BLUE, GREY])
    if kind in ("PNG", "TIFF"):
        assert found.convert("RGB").tobytes() == upright.tobytes()
    assert 0x0112 not in found.getexif()


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_an_iphone_photograph_is_upright(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    (page,) = opened("IMG_1.HEIC", heic(as_taken(four_corners(), orientation), exif=exif.tobytes()))
    assert (page.width, page.height) == (96, 64)
    assert near(corner_colours(seen(page)), [RED, GREEN, BLUE, GREY])


def camera_notes() -> dict[str, Any]:
    exif = Image.Exif()
    exif[0x010F] = "SECRETMAKER"
    exif[0x9286] = "SECRETCOMMENT"
    exif.get_ifd(0x8825).update({1: "N", 2: (51.0, 30.0, 12.0), 3: "W", 4: (0.0, 7.0, 30.0), 29: "2026:SECRET"})
    xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRETXMP</x:xmpmeta>"
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return {"exif": exif, "xmp": xmp, "icc_profile": profile}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "TIFF", "HEIC"])
def test_place_camera_and_all_other_notes_are_gone(kind: str) -> None:
    notes = camera_notes()
    if kind == "HEIC":
        data = heic(four_corners(), exif=notes["exif"].tobytes(), xmp=notes["xmp"])
    elif kind == "PNG":
        text = PngImagePlugin.PngInfo()
        text.add_itxt("XML:com.adobe.xmp", notes.pop("xmp").decode())
        text.add_text("Comment", "SECRETTEXT")
        data = saved(four_corners(), "PNG", pnginfo=text, dpi=(300, 300), **notes)
    elif kind == "TIFF":
        data = saved(four_corners(), "TIFF", description="SECRETTEXT", **{k: notes[k] for k in ("exif", "icc_profile")})
    elif kind == "JPEG":
        data = saved(four_corners(), "JPEG", comment="SECRETTEXT", dpi=(300, 300), **notes)
    else:
        data = saved(four_corners(), kind, **notes)
    assert b"SECRET" in data
    (page,) = opened("photo", data)
    assert b"SECRET" not in page.content
    found = seen(page)
    assert not dict(found.getexif())
    assert not found.getexif().get_ifd(0x8825)
    assert set(found.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert not {marker for marker, _ in getattr(found, "applist", [])} - {"APP0"}


def test_colours_of_another_profile_are_converted() -> None:
    # The profile's green and red primaries change places, so its pure red is our pure green.
    plain = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    places = {
        bytes(plain[at : at + 4]): at for at in range(132, 132 + 12 * struct.unpack_from(">I", plain, 128)[0], 12)
    }
    red, green = places[b"rXYZ"], places[b"gXYZ"]
    plain[red : red + 4], plain[green : green + 4] = b"gXYZ", b"rXYZ"
    mixed = bytes(plain).replace("sRGB".encode("utf-16-be"), "odd!".encode("utf-16-be"))
    (page,) = opened("x.png", saved(Image.new("RGB", (8, 8), (255, 0, 0)), "PNG", icc_profile=mixed))
    assert near(corner_colours(seen(page)), [(0, 255, 0)] * 4)


def test_a_broken_profile_is_no_reason_to_refuse_a_picture() -> None:
    (page,) = opened("x.png", saved(four_corners(), "PNG", icc_profile=b"not a profile"))
    assert near(corner_colours(seen(page)), [RED, GREEN, BLUE, GREY], 0)


def test_a_cmyk_jpeg_of_a_printer_keeps_its_colours() -> None:
    inks = Image.merge("CMYK", [Image.new("L", (16, 16), level) for level in (0, 255, 255, 0)])
    data = saved(inks, "JPEG", quality=95)
    assert b"Adobe" in data  # that program's inverted ink levels, as nearly all such files have them
    (page,) = opened("print.jpg", data)
    assert near(corner_colours(seen(page)), [(255, 0, 0)] * 4)


def png_chunks(*chunks: tuple[bytes, bytes]) -> bytes:
    parts = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def png_header(width: int, height: int, depth: int, colour: int) -> tuple[bytes, bytes]:
    return b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)


def test_sixteen_bit_grey_is_scaled_and_not_clipped() -> None:
    levels = np.array([[0, 256, 12_850, 32_896, 65_535]], dtype=np.uint16)
    wanted = [[0, 1, 50, 128, 255]]
    for kind in ("PNG", "TIFF"):
        (page,) = opened("scan", saved(Image.fromarray(levels), kind))
        assert np.asarray(seen(page)).tolist() == wanted


def test_sixteen_bit_grey_where_white_is_zero_is_not_a_negative() -> None:
    data = saved(Image.fromarray(np.array([[0, 65_535]], dtype=np.uint16)), "TIFF")
    black_is_zero = struct.pack("<HHIHH", 262, 3, 1, 1, 0)
    assert data.count(black_is_zero) == 1
    (page,) = opened("scan.tif", data.replace(black_is_zero, struct.pack("<HHIHH", 262, 3, 1, 0, 0)))
    assert np.asarray(seen(page)).tolist() == [[255, 0]]


def test_sixteen_bit_colour_is_scaled() -> None:
    row = b"\0" + struct.pack(">6H", 0x1010, 0x8080, 0xF0F0, 0xFFFF, 0, 0x4040)
    data = png_chunks(png_header(2, 1, 16, 2), (b"IDAT", zlib.compress(row)), (b"IEND", b""))
    (page,) = opened("scan.png", data)
    assert np.asarray(seen(page)).tolist() == [[[0x10, 0x80, 0xF0], [255, 0, 0x40]]]


def test_what_is_transparent_shows_white_paper() -> None:
    ink = Image.new("RGBA", (4, 1), (0, 0, 0, 0))
    ink.putpixel((1, 0), (0, 0, 0, 255))
    ink.putpixel((2, 0), (0, 0, 0, 128))
    ink.putpixel((3, 0), (200, 0, 0, 255))
    (page,) = opened("drawing.png", saved(ink, "PNG"))
    assert np.asarray(seen(page)).tolist() == [[[255] * 3, [0] * 3, [127] * 3, [200, 0, 0]]]
    (page,) = opened("drawing.png", saved(ink.convert("LA"), "PNG"))
    assert np.asarray(seen(page)).tolist() == [[255, 0, 127, 60]]


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_a_palette_with_a_transparent_colour_shows_white_paper(kind: str) -> None:
    painted = Image.new("P", (2, 1))
    painted.putpalette([10, 20, 30, 200, 100, 50])
    painted.putpixel((1, 0), 1)
    (page,) = opened("drawing", saved(painted, kind, transparency=0))
    assert np.asarray(seen(page)).tolist() == [[[255, 255, 255], [200, 100, 50]]]


def test_a_fax_of_black_and_white_dots_becomes_grey() -> None:
    fax = Image.new("1", (3, 1), 1)
    fax.putpixel((1, 0), 0)
    (page,) = opened("fax.tif", saved(fax, "TIFF", compression="group4"))
    assert np.asarray(seen(page)).tolist() == [[255, 0, 255]]


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_of_an_animation_the_first_frame_is_taken(kind: str) -> None:
    frames = [Image.new("RGB", (20, 10), colour) for colour in (RED, GREEN, BLUE)]
    (page,) = opened("moving", saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=100))
    assert near(corner_colours(seen(page)), [RED] * 4)


def test_every_page_of_a_scan_is_a_picture_in_order() -> None:
    first, *rest = [Image.new("RGB", (20 + place, 10), colour) for place, colour in enumerate((RED, GREEN, BLUE))]
    pages = opened("scan.tif", saved(first, "TIFF", save_all=True, append_images=rest))
    assert [(page.width, corner_colours(seen(page))[0]) for page in pages] == [(20, RED), (21, GREEN), (22, BLUE)]


def test_a_thumbnail_beside_the_page_is_no_page() -> None:
    page, thumbnail = Image.new("L", (60, 40), 90), Image.new("L", (6, 4), 90)
    out = io.BytesIO()
    with __import__("PIL.TiffImagePlugin", fromlist=["x"]).AppendingTiffWriter(out, True) as writer:
        page.save(writer, "TIFF")
        writer.newFrame()
        thumbnail.save(writer, "TIFF", tiffinfo={254: 1})
    assert [(page.width, page.height) for page in opened("scan.tif", out.getvalue())] == [(60, 40)]


def test_a_large_photograph_is_reduced_and_a_drawing_stays_exact() -> None:
    grain = np.random.default_rng(0).integers(60, 200, (250, 400, 3), dtype=np.uint8)
    photo = Image.fromarray(grain).resize((4000, 500))
    (page,) = opened("photo.jpg", saved(photo, "JPEG"))
    assert (page.width, page.height, page.mime) == (3000, 375, "image/jpeg")
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (600, 600, 3), dtype=np.uint8))
    assert opened("photo.png", saved(noise, "PNG"))[0].mime == "image/jpeg"  # smaller than as PNG
    drawing = four_corners(800, 600)
    (page,) = opened("drawing.png", saved(drawing, "PNG"))
    assert page.mime == "image/png"
    assert seen(page).tobytes() == drawing.tobytes()


def refusal(name: str, data: bytes) -> str:
    with pytest.raises(PictureFault) as caught:
        opened(name, data)
    assert isinstance(caught.value, IntakeError)
    assert f"“{name}”" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is empty. Upload the picture again"),
        (b"%PDF-1.7\n", "a PDF. Add it as a script"),
        (b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
        (b"PK\x03\x04rest", "a ZIP or Office file"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "a video"),
        (b"BM" + bytes(60), "a BMP picture"),
        (b"Dear candidate", "not a picture of a known kind"),
        (b"\x89PNG\r\n\x1a\n", "broken or incomplete"),
        (b"\xff\xd8\xff\xe0", "broken or incomplete"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "broken or incomplete"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "broken or incomplete"),
        (b"II*\0\x08\0\0\0\0\0", "broken or incomplete"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_to_do(data: bytes, what: str) -> None:
    assert what in refusal("answer.jpg", data)


def test_a_file_of_too_many_bytes_is_refused() -> None:
    assert "41 MB; a picture may have 40 MB" in refusal("big.jpg", b"\xff\xd8\xff" + bytes(41_000_000))


def test_two_hundred_megapixels_are_refused_from_the_header() -> None:
    bomb = png_chunks(png_header(20_000, 10_000, 8, 2), (b"IDAT", zlib.compress(bytes(10_000))), (b"IEND", b""))
    assert "over 100 megapixels" in refusal("bomb.png", bomb)
    small = saved(Image.new("RGB", (16, 16)), "JPEG")
    frame = small.index(b"\xff\xc0")
    bomb = small[: frame + 5] + struct.pack(">HH", 10_001, 10_000) + small[frame + 9 :]
    assert "over 100 megapixels" in refusal("bomb.jpg", bomb)
    gif = saved(Image.new("P", (16, 16)), "GIF")
    assert "over 100 megapixels" in refusal("bomb.gif", gif[:6] + struct.pack("<HH", 20_000, 10_000) + gif[10:])


def white_pages(count: int, side: int) -> bytes:
    page = Image.new("1", (side, side), 1)
    return saved(page, "TIFF", save_all=True, append_images=[page] * (count - 1), compression="group4")


def test_a_scan_of_too_many_pages_or_megapixels_in_all_is_refused_before_decoding() -> None:
    assert len(opened("fifty.tif", white_pages(50, 8))) == 50
    assert "more than 50 pages" in refusal("many.tif", white_pages(51, 8))
    sides = [struct.pack("<HHIHH", tag, 3, 1, 31, 0) for tag in (256, 257)]
    bomb = white_pages(4, 31)
    for side in sides:
        assert bomb.count(side) == 4
        bomb = bomb.replace(side, side[:8] + struct.pack("<HH", 9_000, 0))
    assert "over 300 megapixels together" in refusal("bomb.tif", bomb)


def test_a_file_cut_short_anywhere_is_refused_in_words_or_still_a_picture() -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (48, 64, 3), dtype=np.uint8))
    for make, _ in FILES.values():
        whole = make(noise)
        for cut in np.linspace(0, len(whole) - 1, 40, dtype=int):
            try:
                pages = opened("cut.bin", whole[:cut])
            except PictureFault as fault:
                assert "“cut.bin”" in str(fault)  # noqa: PT017  # either outcome is right
            else:
                assert cut > len(whole) / 2  # only the closing bytes were missing
                assert (pages[0].width, pages[0].height) == (64, 48)


def test_spoilt_bytes_and_foreign_headers_never_raise_anything_else() -> None:
    chance = random.Random(2)
    files = [make(four_corners(32, 24)) for make, _ in FILES.values()]
    starts = [data[:16] for data in files]
    for data in files:
        for _ in range(40):
            spoilt = bytearray(data)
            for _ in range(chance.randint(1, 6)):
                spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
            if chance.random() < 0.15:
                spoilt[:16] = chance.choice(starts)
            try:
                for page in opened("spoilt", bytes(spoilt)):
                    seen(page)
            except PictureFault as fault:
                assert "“spoilt”" in str(fault)  # noqa: PT017  # either outcome is right


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"II*\0", b"MM\0*"]),
    st.binary(max_size=300),
)
def test_random_bytes_are_refused_in_words(start: bytes, rest: bytes) -> None:
    try:
        opened("random", start + rest)
    except PictureFault as fault:
        assert "“random”" in str(fault)  # noqa: PT017


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_turns_by_quarters_clockwise(kind: str) -> None:
    content = opened("a", saved(four_corners(), kind))[0].content
    once = Image.open(io.BytesIO(rotated(content, 1)))
    assert (once.format, once.size) == (kind, (64, 96))
    assert near(corner_colours(once), [BLUE, RED, GREY, GREEN])
    assert near(corner_colours(Image.open(io.BytesIO(rotated(content, -1)))), [GREEN, GREY, RED, BLUE])
    assert near(corner_colours(Image.open(io.BytesIO(rotated(content, 6)))), [GREY, BLUE, GREEN, RED])
    assert rotated(content, 4) == content
    with pytest.raises(PictureFault, match="cannot be turned"):
        rotated(content[:50], 1)


def test_limits_are_those_the_messages_name() -> None:
    assert (pictures.LONGEST_SIDE, pictures.MOST_PAGES, pictures.MOST_BYTES) == (3000, 50, 40_000_000)
