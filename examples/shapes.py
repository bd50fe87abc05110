"""Writes shapes.toml: the shapes that the shader's interface variables stand for, and the distances from them.

Run it as `python3 shapes.py > shapes.toml`. The distances are computed here in double precision, and that of the box side
by side, in another way than the shader's.
"""

from math import hypot

SIDE = 512
DISCS = [(-0.45, -0.35, 0.3), (0.5, -0.4, 0.2), (0.05, 0.45, 0.25)]
BOX = (0.0, -0.05, 0.35, 0.12)
WIDTH = 0.25


def to_disc(disc: tuple[float, ...], x: float, y: float) -> float:
    return hypot(x - disc[0], y - disc[1]) - disc[2]


def to_box(x: float, y: float) -> float:
    left, right = BOX[0] - BOX[2], BOX[0] + BOX[2]
    top, bottom = BOX[1] - BOX[3], BOX[1] + BOX[3]
    if left < x < right and top < y < bottom:
        return -min(x - left, right - x, y - top, bottom - y)
    return hypot(x - min(max(x, left), right), y - min(max(y, top), bottom))


def joined(one: float, other: float) -> float:
    """The lesser of both, less what is between them where they are near."""
    near = max(WIDTH - abs(one - other), 0.0) / WIDTH
    return min(one, other) - near * near * WIDTH / 4


def distance(x: float, y: float) -> float:
    found = to_disc(DISCS[0], x, y)
    for other in (to_disc(DISCS[1], x, y), to_box(x, y), to_disc(DISCS[2], x, y)):
        found = joined(found, other)
    return found


places = [(2 * n + 1) / SIDE - 1 for n in range(0, SIDE, 16)]
numbers = [f"{distance(x, y):.9g}" for y in places for x in places]
rows = "".join(f"    {', '.join(numbers[n:n + 8])},\n" for n in range(0, len(numbers), 8))

print(f"""# Shapes that are chosen by the job. Written by shapes.py, which computes the expected distances in another way.

shader = "shapes.cso"
dispatch = [{SIDE // 8}, {SIDE // 8}, 1]

[instances]
shapes = ["discs[0]", "discs[1]", "box", "discs[2]"]
joined = "soft"                     # or "Sharp", which has no data

[b0]
discs = [""")
for x, y, radius in DISCS:
    print(f"    {{ centre = [{x}, {y}], radius = {radius} }},")
print(f"""]
box = {{ centre = [{BOX[0]}, {BOX[1]}], sides = [{BOX[2]}, {BOX[3]}] }}
soft.width = {WIDTH}

[u0]
width = {SIDE}
height = {SIDE}
save = "shapes.png"

[u1]
count = {len(numbers)}

[u1.expect]
tolerance = {{ abs = 1e-6 }}
f32 = [
{rows}]""")
