"""Makes the meshes and textures of the example scenes `still_life`, `field`, `lamps`, `bridge`, `island` and `pool`.

Run it as `python3 scenes.py`; it needs numpy. Meshes are .obj files without normals: readers compute those of the faces.
"""

import numpy as np

from pictures import write_png

# Meshes ---------------------------------------------------------------------------------------------------------------


def write_obj(name: str, what: str, places: np.ndarray, texcoords: np.ndarray, faces: list, smooth: bool = True) -> None:
    """Writes vertices, each with the texture coordinate of its number, and faces of vertices counted from 0."""
    with open(name, "w", newline="\n") as file:
        file.write(f"# {what}\n")
        file.writelines("v " + " ".join(f"{number:.4g}" for number in place) + "\n" for place in places)
        file.writelines(f"vt {u:.4g} {v:.4g}\n" for u, v in texcoords)
        file.write("s 1\n" if smooth else "s off\n")
        file.writelines("f " + " ".join(f"{n + 1}/{t + 1}" for n, t in face) + "\n" for face in faces)


def write_grid(name: str, what: str, place, across: int, along: int, closed: bool, repeat=(1, 1)) -> None:
    """Writes a surface that goes round: `place(u, v)` for u and v from 0 to 1, which is the same at u = 0 and 1; if it is closed,
    at v = 0 and 1 too. Vertices at the seam are one, with two texture coordinates."""
    rows = along if closed else along + 1
    places = np.array([place(x / across, y / along) for y in range(rows) for x in range(across)])
    texcoords = np.array([(repeat[0] * x / across, repeat[1] * y / along) for y in range(along + 1) for x in range(across + 1)])

    def corner(x: int, y: int) -> tuple:
        return (y % rows) * across + x % across, y * (across + 1) + x

    faces = []
    for y in range(along):
        for x in range(across):
            corners = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)]
            # At a pole two vertices coincide, and leave a triangle.
            apart = [at for n, at in enumerate(corners) if np.abs(places[at[0]] - places[corners[n - 1][0]]).max() > 1e-9]
            if len(apart) > 2:
                faces.append(apart)
    write_obj(name, what, places, texcoords, faces)


def ball(u: float, v: float) -> tuple:
    around, up = 2 * np.pi * u, np.pi * v
    return -np.sin(up) * np.cos(around), -np.cos(up), np.sin(up) * np.sin(around)


def knot(radius: float):
    """The trefoil knot, as thick as the radius says; u goes round the tube, v along it."""

    def line(t: float) -> np.ndarray:
        a = 2 * np.pi * t
        return np.array([(2 + np.cos(3 * a)) * np.cos(2 * a), (2 + np.cos(3 * a)) * np.sin(2 * a), np.sin(3 * a)]) / 3

    def place(u: float, v: float) -> np.ndarray:
        at, ahead = line(v), line(v + 1e-4) - line(v - 1e-4)
        ahead /= np.linalg.norm(ahead)
        side = np.cross(ahead, at)
        side /= np.linalg.norm(side)
        angle = 2 * np.pi * u
        return at + radius * (np.cos(angle) * side + np.sin(angle) * np.cross(ahead, side))

    return place


def vase(u: float, v: float) -> tuple:
    """Outside from the foot to the rim, then inside down to the floor."""
    profile = np.array([
        (0, 0), (0.36, 0), (0.40, 0.03), (0.38, 0.08), (0.52, 0.35), (0.66, 0.75), (0.66, 1.1), (0.50, 1.45), (0.30, 1.68),
        (0.27, 1.85), (0.36, 2.02), (0.38, 2.06), (0.35, 2.05), (0.24, 1.86), (0.26, 1.66), (0.45, 1.42), (0.6, 1.1), (0.3, 0.3), (0, 0.2),
    ])
    t = v * (len(profile) - 1)
    n = min(int(t), len(profile) - 2)
    before, a, b, after = (profile[min(max(n + k, 0), len(profile) - 1)] for k in (-1, 0, 1, 2))
    s = t - n
    # The curve of Catmull and Rom.
    radius, height = 0.5 * (2 * a + (b - before) * s + (2 * before - 5 * a + 4 * b - after) * s**2 + (3 * a - before - 3 * b + after) * s**3)
    around = 2 * np.pi * u
    return max(radius, 0.0) * np.cos(-around), height, max(radius, 0.0) * np.sin(-around)


def write_plane(name: str, what: str, half: float, repeat: float) -> None:
    places = [(-half, 0, half), (half, 0, half), (half, 0, -half), (-half, 0, -half)]
    texcoords = [(0, 0), (repeat, 0), (repeat, repeat), (0, repeat)]
    write_obj(name, what, np.array(places), np.array(texcoords), [[(n, n) for n in range(4)]], smooth=False)


def write_box(name: str, what: str, cut: float) -> None:
    """A box from -1 to 1, on y = 0, two high, whose upper edges are cut by so much. Its lower face is left out."""
    low, high, inner = 0, 2, 1 - cut
    ring = lambda y, r: [(-r, y, r), (r, y, r), (r, y, -r), (-r, y, -r)]
    places = ring(low, 1) + ring(high - cut, 1) + ring(high, inner)
    texcoords = [(0, 0), (1, 0), (1, 1), (0, 1)]
    sides = [[(k + n, 0), (k + (n + 1) % 4, 1), (k + 4 + (n + 1) % 4, 2), (k + 4 + n, 3)] for k in (0, 4) for n in range(4)]
    write_obj(name, what, np.array(places), np.array(texcoords), sides + [[(8 + n, n) for n in range(4)]], smooth=False)


def write_bar(name: str, what: str) -> None:
    """A box from -1 to 1 along x and y, and from 0 to 1 along z."""
    places = [(x, y, z) for z in (0, 1) for x, y in [(-1, -1), (1, -1), (1, 1), (-1, 1)]]
    sides = [(n, (n + 1) % 4, (n + 1) % 4 + 4, n + 4) for n in range(4)] + [(3, 2, 1, 0), (4, 5, 6, 7)]
    texcoords = [(0, 0), (1, 0), (1, 1), (0, 1)]
    faces = [[(corner, n) for n, corner in enumerate(side)] for side in sides]
    write_obj(name, what, np.array(places), np.array(texcoords), faces, smooth=False)


# Textures -------------------------------------------------------------------------------------------------------------


def noise(rng: np.random.Generator, height: int, width: int, cells: tuple) -> np.ndarray:
    """Smooth random numbers from 0 to 1 that tile: so many cells down and across."""
    lattice = rng.random(cells)
    y, x = np.arange(height) * cells[0] / height, np.arange(width) * cells[1] / width
    ease = lambda t: t * t * (3 - 2 * t)
    (y0, ty), (x0, tx) = ((np.floor(a).astype(int), ease(a % 1)) for a in (y, x))
    at = lambda dy, dx: lattice[np.ix_((y0 + dy) % cells[0], (x0 + dx) % cells[1])]
    ty, tx = ty[:, None], tx[None, :]
    return (at(0, 0) * (1 - tx) + at(0, 1) * tx) * (1 - ty) + (at(1, 0) * (1 - tx) + at(1, 1) * tx) * ty


def layered(rng: np.random.Generator, height: int, width: int, cells: tuple, layers: int) -> np.ndarray:
    total = sum(noise(rng, height, width, (cells[0] << n, cells[1] << n)) / 2**n for n in range(layers))
    return total / sum(1 / 2**n for n in range(layers))


def blend(low: tuple, high: tuple, share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 0, 1)[..., None]
    return (np.array(low) * (1 - share) + np.array(high) * share)


def save(name: str, colors: np.ndarray, steps: int = 4) -> None:
    """Colours on the curve of sRGB. Few codes make a small file."""
    write_png(name, (np.round(np.clip(colors, 0, 255) / steps) * steps).clip(0, 255).astype(np.uint8))


def wood(rng: np.random.Generator) -> np.ndarray:
    """Four planks, side by side."""
    size, planks = 256, []
    for _ in range(4):
        grain = layered(rng, size // 4, size, (8, 2), 3)
        rings = 0.5 + 0.5 * np.sin(40 * grain + 3 * noise(rng, size // 4, size, (2, 2)))
        tone = rng.uniform(0.8, 1.05)
        plank = blend((92, 58, 36), (150, 104, 66), 0.25 + 0.6 * rings) * tone
        plank[:2] *= 0.45
        plank[2] *= 0.8
        planks.append(plank)
    return np.vstack(planks)


def marble(rng: np.random.Generator) -> np.ndarray:
    veins = layered(rng, 128, 256, (3, 6), 4)
    return blend((16, 44, 46), (150, 176, 160), np.abs(np.sin(7 * np.pi * veins)) ** 0.5)


def glaze(rng: np.random.Generator) -> np.ndarray:
    """White, with bands and scales in cobalt; the picture's lower edge is the vase's foot."""
    height, width = 256, 256
    y, x = np.mgrid[0:height, 0:width]
    up = 1 - y / height
    color = blend((232, 228, 214), (244, 241, 232), noise(rng, height, width, (8, 8)))
    blue = np.array((28, 60, 140))
    bands = np.zeros((height, width), bool)
    for start, end in [(0.13, 0.145), (0.155, 0.16), (0.34, 0.345), (0.355, 0.365), (0.46, 0.475), (0.52, 0.55)]:
        bands |= (up > start) & (up < end)
    # Rows of scales on the belly, each between the two below.
    row = np.floor((up - 0.165) / 0.0285)
    across, down = (x / width * 16 + 0.5 * (row % 2)) % 1 - 0.5, ((up - 0.165) / 0.0285) % 1
    scales = (np.abs(np.hypot(across * 1.6, down) - 0.78) < 0.13) & (up > 0.165) & (up < 0.335)
    dots = (np.hypot((x / width * 24) % 1 - 0.5, (up - 0.41) * 26) < 0.28)
    color[bands | scales | dots] = blue
    return color


def copper(rng: np.random.Generator) -> np.ndarray:
    """Brushed along the tube, with spots of verdigris."""
    brushed = layered(rng, 64, 64, (1, 16), 2)
    spots = layered(rng, 64, 64, (6, 2), 3)
    metal = blend((186, 98, 58), (236, 150, 96), brushed)
    return metal + (np.array((70, 138, 118)) - metal) * np.clip((spots - 0.6) * 7, 0, 1)[..., None]


# Instances ------------------------------------------------------------------------------------------------------------


def write_seeds(name: str, count: int) -> None:
    """A sunflower: position x and z, distance from the centre from 0 to 1, and a random number, as halves."""
    rng = np.random.default_rng(7)
    n = np.arange(count) + 0.5
    angle, radius = n * np.pi * (3 - np.sqrt(5)), np.sqrt(n / count)
    seeds = np.stack([np.cos(angle) * radius, np.sin(angle) * radius, radius, rng.random(count)], axis=1)
    seeds.astype("<f2").tofile(name)


def write_lamps(name: str) -> None:
    """Lamps on the floor of a hall and above it: position, reach, colour, size."""
    rng = np.random.default_rng(11)
    hues = np.array([(1.0, 0.45, 0.12), (1.0, 0.2, 0.25), (0.75, 0.2, 1.0), (0.2, 0.4, 1.0), (0.1, 0.9, 0.8), (0.5, 1.0, 0.2)])
    lamps = []
    for n in range(140):
        place = (rng.uniform(-5.2, 5.2), rng.choice([0.08, 0.08, rng.uniform(0.3, 3.2)]), rng.uniform(-22, 4))
        color = hues[n % len(hues)] * rng.uniform(0.7, 1.3)
        lamps.append((*place, 3.2, *color, 0.05 if place[1] < 0.1 else 0.035))
    np.array(lamps, "<f4").tofile(name)


def write_bridge(name: str) -> None:
    """The bars of a suspension bridge along x: start, half the width, end, half the height, colour, and nothing."""
    bars = []

    def bar(start: tuple, end: tuple, wide: float, high: float, color: tuple) -> None:
        bars.append((*start, wide, *end, high, *color, 0))

    def cable(x: float) -> float:
        """Its height: it hangs between the towers at x = -10 and 10, and leads down to the road at -20 and 20."""
        t = abs(x) / 10
        return 0.7 + 4.3 * t**2 if t < 1 else 5 * (2 - t) - 1.6 * (t - 1) * (2 - t)

    paint, steel, road = (0.42, 0.06, 0.035), (0.20, 0.035, 0.025), (0.10, 0.10, 0.11)
    bar((-40, 0, 0), (40, 0, 0), 1.25, 0.1, road)
    for z in (-1.3, 1.3):
        bar((-40, -0.1, z), (40, -0.1, z), 0.06, 0.22, paint)
        bar((-40, 0.42, z), (40, 0.42, z), 0.02, 0.02, paint)
        for x in np.arange(-40, 40.1, 0.5):
            bar((x, 0, z), (x, 0.42, z), 0.012, 0.012, paint)
            if 0.2 < abs(x) < 19.5 and abs(x) != 10:
                bar((x, 0, z), (x, cable(x), z), 0.014, 0.014, steel)
        for x in np.arange(-20, 20, 0.5):
            bar((x, cable(x), z), (x + 0.5, cable(x + 0.5), z), 0.05, 0.05, paint)
        for x in (-10, 10):
            bar((x, -15, z), (x, 5.1, z), 0.2, 0.28, paint)
    for x in (-10, 10):
        for y in (-1.2, 1.6, 3.3, 4.85):
            bar((x, y, -1.3), (x, y, 1.3), 0.16, 0.14, paint)
    np.array(bars, "<f4").tofile(name)


def write_heights(name: str, size: int) -> None:
    """An island as codes of 16 bits: two mountains and ridges that get finer, sunk towards the edge."""
    rng = np.random.default_rng(21)
    z, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    rough = np.zeros((size, size))
    for n in range(1, 8):
        angle, phase = rng.uniform(0, 2 * np.pi, 2)
        along, across = x * np.cos(angle) + z * np.sin(angle), z * np.cos(angle) - x * np.sin(angle)
        bent = along * 2.3 * 1.55**n + phase + 0.8 * np.sin(across * 1.7 * 1.5**n + n)
        rough += (1 - np.abs(np.sin(bent))) * 0.62**n
    hill = 0.62 * np.exp(-((x - 0.12) ** 2 + (z + 0.02) ** 2) / 0.035) + 0.36 * np.exp(-((x + 0.3) ** 2 + (z - 0.12) ** 2) / 0.03)
    land = np.exp(-((x / 0.62) ** 2 + (z / 0.5) ** 2) ** 1.5)
    height = 0.06 + land * (0.1 + 0.1 * rough + hill * (0.45 + 0.4 * rough))
    (np.clip(height, 0, 1) * 65535).round().astype("<u2").tofile(name)


def write_sheet(name: str, count: int) -> None:
    """A grid of squares: vertices as bytes, from 0 on across and along, and one triangle strip through all rows."""
    z, x = np.mgrid[0 : count + 1, 0 : count + 1].astype("u1")
    np.stack([x, z, 0 * x, 0 * x + 1], axis=-1).tofile(f"{name}.bin")
    strip: list = []
    for row in range(count):
        upper = [row * (count + 1) + column for column in range(count + 1)]
        pairs = [corner + below for corner in upper for below in (0, count + 1)]
        # Degenerate triangles lead from row to row.
        strip += [pairs[0], *pairs, pairs[-1]]
    np.array(strip, "<u2").tofile(f"{name}_indices.bin")


def waves(rng: np.random.Generator) -> np.ndarray:
    """The slopes of waves that tile, along the texture in red and down it in green; what is left of a unit vector is blue."""
    size, trains = 128, 18
    y, x = np.mgrid[0:size, 0:size] * 2 * np.pi / size
    slopes = np.zeros((size, size, 2))
    for _ in range(trains):
        across, down = rng.integers(-7, 8), rng.integers(-7, 8)
        height = 1 / (2 + across**2 + down**2)
        crest = np.cos(across * x + down * y + rng.uniform(0, 2 * np.pi)) * height
        slopes += crest[..., None] * np.array([across, down])
    slopes /= np.abs(slopes).max() * 1.1
    up = np.sqrt(np.maximum(1 - (slopes**2).sum(axis=-1), 0))
    return (np.dstack([slopes, up]) * 0.5 + 0.5) * 255


def tiles(rng: np.random.Generator) -> np.ndarray:
    """Eight tiles by eight, each a little different, with joints between them."""
    size, count = 256, 8
    cell = size // count
    shade = np.kron(rng.random((count, count)), np.ones((cell, cell)))
    glazed = blend((88, 178, 190), (140, 214, 214), shade) + 10 * (layered(rng, size, size, (8, 8), 3)[..., None] - 0.5)
    edge = np.minimum(np.arange(size) % cell, cell - 1 - np.arange(size) % cell)
    joint = np.minimum(edge[:, None], edge[None, :]) < 2
    return np.where(joint[..., None], (224, 230, 222), glazed)


def main() -> None:
    write_grid("still_life/ball.obj", "A ball.", ball, 40, 24, False)
    write_grid("still_life/knot.obj", "A trefoil knot.", knot(0.24), 14, 120, True, (1, 12))
    write_grid("still_life/vase.obj", "A vase.", vase, 40, 54, False)
    write_plane("still_life/table.obj", "A square table.", 14, 5)
    rng = np.random.default_rng(3)
    save("still_life/wood.png", wood(rng), 8)
    save("still_life/marble.png", marble(rng), 8)
    save("still_life/glaze.png", glaze(rng), 4)
    save("still_life/copper.png", copper(rng), 8)
    write_box("field/seed.obj", "A box with cut edges.", 0.25)
    write_seeds("field/seeds.bin", 3600)
    write_grid("lamps/knot.obj", "A trefoil knot.", knot(0.3), 12, 96, True, (1, 12))
    write_grid("lamps/ball.obj", "A ball.", ball, 16, 10, False)
    write_box("lamps/column.obj", "A box with cut edges.", 0.1)
    write_lamps("lamps/lamps.bin")
    write_plane("lamps/floor.obj", "A square floor.", 20, 20)
    write_bar("bridge/bar.obj", "A box.")
    write_bridge("bridge/bars.bin")
    write_heights("island/heights.bin", 128)
    write_sheet("island/grid", 96)
    save("pool/waves.png", waves(np.random.default_rng(5)), 1)
    save("pool/tiles.png", tiles(np.random.default_rng(6)))


if __name__ == "__main__":
    main()
