"""Makes the inputs of the examples tonemap, blur and resize, and computes their expected results.

Run it as `python3 pictures.py`; it needs numpy. The scene is traced here: three balls on a floor, under a sky with a sun, a
hundred times as bright as a screen. All is computed in double precision and from the definitions, so that the shaders may
differ by a rounding of a last bit.

    tonemap_scene.exr               the scene's light
    ../docs/images/tonemap_cut.png  the scene cut to what a screen can show
    ../docs/images/tonemap.png      the scene through the film curve; the example blur starts from it
    ../docs/images/blur.png         the same, blurred
    resize_source.png               the same, a quarter as wide and high
    ../docs/images/resize.png       that, as wide and high as before
"""

import struct
import zlib

import numpy as np

WIDTH, HEIGHT = 320, 192
IMAGES = "../docs/images/"
EXPOSURE, SIGMA, RADIUS = 0.4, 3.0, 8

# Files ----------------------------------------------------------------------------------------------------------------


def write_png(name: str, codes: np.ndarray) -> None:
    height, width, _ = codes.shape
    # Each row follows the number of its filter: 2, the difference to the row above.
    above = np.vstack([np.zeros_like(codes[:1]), codes[:-1]])
    rows = (codes - above).reshape(height, -1)
    packed = zlib.compress(np.hstack([np.full((height, 1), 2, np.uint8), rows]).tobytes(), 9)
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        for kind, body in [(b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")]:
            file.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))


def write_exr(name: str, light: np.ndarray) -> None:
    """Halves, packed by deflate in blocks of 16 rows, as the file layout of OpenEXR describes it."""
    height, width, _ = light.shape
    attributes = b""

    def attribute(name: str, kind: str, body: bytes) -> bytes:
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(body)) + body

    channels = b"".join(name + b"\0" + struct.pack("<IB3xII", 1, 0, 1, 1) for name in [b"B", b"G", b"R"]) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    attributes += attribute("channels", "chlist", channels)
    attributes += attribute("compression", "compression", b"\3")
    attributes += attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window)
    attributes += attribute("lineOrder", "lineOrder", b"\0")
    attributes += attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
    attributes += attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0, 0))
    attributes += attribute("screenWindowWidth", "float", struct.pack("<f", 1))
    start = struct.pack("<II", 20000630, 2) + attributes + b"\0"
    blocks = []
    for y in range(0, height, 16):
        # Row by row, in it blue, green, red.
        rows = light[y:y + 16, :, ::-1].transpose(0, 2, 1).astype("<f2").tobytes()
        halves = rows[0::2] + rows[1::2]
        steps = np.frombuffer(halves, np.uint8).astype(int)
        steps[1:] = (np.diff(steps) + 128) % 256
        packed = zlib.compress(steps.astype(np.uint8).tobytes(), 9)
        body = packed if len(packed) < len(rows) else rows
        blocks.append(struct.pack("<iI", y, len(body)) + body)
    place = len(start) + 8 * len(blocks)
    with open(name, "wb") as file:
        file.write(start)
        for block in blocks:
            file.write(struct.pack("<Q", place))
            place += len(block)
        file.write(b"".join(blocks))


# Colours --------------------------------------------------------------------------------------------------------------


def encoded(light: np.ndarray) -> np.ndarray:
    """Codes of sRGB, which are rounded to the nearest."""
    light = np.clip(light, 0, 1)
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.floor(curve * 255 + 0.5).astype(np.uint8)


def decoded(codes: np.ndarray) -> np.ndarray:
    c = codes / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


# The scene ------------------------------------------------------------------------------------------------------------

SUN = np.array([0.55, 0.5, 0.67]) / np.linalg.norm([0.55, 0.5, 0.67])
# Centre, radius, colour, how much of a mirror it is, its own light.
BALLS = [
    ((-1.15, 1.0, 3.6), 1.0, (0.85, 0.12, 0.06), 0.06, 0),
    ((1.05, 0.8, 3.0), 0.8, (0.95, 0.95, 0.95), 0.85, 0),
    ((0.05, 0.35, 1.95), 0.35, (0.3, 0.75, 1.0), 0.0, 6),
]


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def sky(way: np.ndarray) -> np.ndarray:
    up = np.clip(way[..., 1:2], 0, 1)
    light = (1 - up) ** 3 * np.array([1.1, 0.95, 0.8]) + up * np.array([0.25, 0.5, 1.1])
    towards = np.clip(way @ SUN, 0, 1)[..., None]
    return light + np.array([1.0, 0.85, 0.6]) * (100 * (towards > 0.9985) + 2.5 * towards ** 60)


def nearest(start: np.ndarray, way: np.ndarray):
    """The distance of the next surface, and its number: -1 none, 0 the floor, then the balls."""
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(way[..., 1] < 0, -start[..., 1] / way[..., 1], np.inf)
    which = np.where(np.isfinite(distance), 0, -1)
    for number, (centre, radius, *_) in enumerate(BALLS, 1):
        to = start - centre
        half = np.sum(to * way, -1)
        root = half ** 2 - np.sum(to * to, -1) + radius ** 2
        hit = -half - np.sqrt(np.maximum(root, 0))
        closer = (root > 0) & (hit > 1e-6) & (hit < distance)
        distance, which = np.where(closer, hit, distance), np.where(closer, number, which)
    return distance, which


def traced(start: np.ndarray, way: np.ndarray, bounces: int) -> np.ndarray:
    distance, which = nearest(start, way)
    light = sky(way)
    if bounces < 0:
        return light
    at = start + np.where(np.isfinite(distance), distance, 0)[..., None] * way
    checks = (np.floor(at[..., 0]) + np.floor(at[..., 2])) % 2
    for number in range(len(BALLS) + 1):
        here = which == number
        if not here.any():
            continue
        place = at[here]
        if number == 0:
            normal = np.broadcast_to([0.0, 1.0, 0.0], place.shape)
            colour, mirror, own = (0.06 + 0.5 * checks[here])[..., None] * np.array([1, 0.97, 0.9]), 0.1, 0
        else:
            centre, radius, colour, mirror, own = BALLS[number - 1]
            normal = (place - centre) / radius
        outside = place + 1e-4 * normal
        lit = nearest(outside, np.broadcast_to(SUN, place.shape))[1] < 0
        direct = (np.clip(normal @ SUN, 0, 1) * lit)[..., None] * np.array([6.0, 5.2, 4.0])
        around = sky(unit(normal + [0, 0.4, 0])) * 0.3
        # The ball that shines is small enough to be a point.
        lamp = np.array(BALLS[2][0]) - place
        near = np.sum(lamp * lamp, -1, keepdims=True)
        if number != 3:
            shine = np.clip(np.sum(normal * lamp, -1, keepdims=True), 0, None) / near ** 1.5
            direct = direct + shine * np.array(BALLS[2][2]) * 1.2
        back = way[here] - 2 * np.sum(way[here] * normal, -1, keepdims=True) * normal
        seen = traced(outside, back, bounces - 1)
        light[here] = np.asarray(colour) * ((direct + around) * (1 - mirror) + own) + mirror * seen
    # Distant surfaces vanish in the haze.
    haze = np.where(which >= 0, 1 - np.exp(-np.where(which >= 0, distance, 0) / 60), 0)[..., None]
    return light * (1 - haze) + haze * np.array([1.1, 0.95, 0.8])


def scene() -> np.ndarray:
    samples = 3
    y, x = np.mgrid[0:HEIGHT * samples, 0:WIDTH * samples] + 0.5
    across, down = (2 * x / samples - WIDTH) / HEIGHT, 1 - 2 * y / samples / HEIGHT
    way = unit(np.stack([0.62 * across, 0.62 * down - 0.1, np.ones_like(x)], -1))
    light = traced(np.broadcast_to([0.0, 1.15, -0.6], way.shape), way, 2)
    return light.reshape(HEIGHT, samples, WIDTH, samples, 3).mean((1, 3))


# The shaders -----------------------------------------------------------------------------------------------------------


def film(x: np.ndarray) -> np.ndarray:
    return np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)


def gathered(light: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Texels, those outside as the nearest inside."""
    rows, columns = np.clip(rows, 0, light.shape[0] - 1), np.clip(columns, 0, light.shape[1] - 1)
    return light[rows[:, None], columns[None, :]]


def blur(light: np.ndarray, sigma: float, radius: int) -> np.ndarray:
    """The whole square at once."""
    height, width, _ = light.shape
    total, sums = 0.0, np.zeros_like(light)
    for v in range(-radius, radius + 1):
        for u in range(-radius, radius + 1):
            weight = np.exp(-(u * u + v * v) / (2 * sigma * sigma))
            total += weight
            sums += weight * gathered(light, np.arange(height) + v, np.arange(width) + u)
    return sums / total


def catmull_rom(distance: np.ndarray) -> np.ndarray:
    """The kernel by the distance of a texel, as Keys gives it for a = -1/2."""
    d = np.abs(distance)
    inner, outer = 1.5 * d ** 3 - 2.5 * d ** 2 + 1, -0.5 * d ** 3 + 2.5 * d ** 2 - 4 * d + 2
    return np.where(d < 1, inner, np.where(d < 2, outer, 0))


def resize(light: np.ndarray, height: int, width: int) -> np.ndarray:
    def along(to: int, size: int) -> np.ndarray:
        place = (np.arange(to) + 0.5) * size / to - 0.5
        matrix = np.zeros((to, size))
        for first in range(-1, 3):
            texel = np.floor(place).astype(int) + first
            np.add.at(matrix, (np.arange(to), np.clip(texel, 0, size - 1)), catmull_rom(place - texel))
        return matrix

    rows, columns = along(height, light.shape[0]), along(width, light.shape[1])
    return np.einsum("yr,rck,xc->yxk", rows, light, columns)


if __name__ == "__main__":
    light = scene()
    write_exr("tonemap_scene.exr", light)
    light = light.astype(np.float16).astype(float)
    picture = encoded(film(EXPOSURE * light))
    write_png(IMAGES + "tonemap_cut.png", encoded(light))
    write_png(IMAGES + "tonemap.png", picture)
    write_png(IMAGES + "blur.png", encoded(blur(decoded(picture), SIGMA, RADIUS)))
    small = encoded(decoded(picture).reshape(HEIGHT // 4, 4, WIDTH // 4, 4, 3).mean((1, 3)))
    write_png("resize_source.png", small)
    write_png(IMAGES + "resize.png", encoded(resize(decoded(small), HEIGHT, WIDTH)))
