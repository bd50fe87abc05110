"""Writes nbody_start.npy, two galaxies on their way to each other, and nbody_end.npy, where their bodies are after 2 steps.

Run it as `python3 nbody.py`. It computes in double precision, each pair once for both of its bodies, so that it shares with
the shader only what gravity is: the results agree to about six digits.
"""

import math
import random
import struct

BODIES = 1024
STEPS, STEP_TIME, SOFTENING = 2, 0.0016, 0.0004
CORE = 1.0


def single(x: float) -> float:
    return struct.unpack("<f", struct.pack("<f", x))[0]


def turned(x: float, y: float, z: float, tilt: float, turn: float) -> tuple[float, float, float]:
    """Tilted about the x axis, then turned about the z axis."""
    y, z = y * math.cos(tilt) - z * math.sin(tilt), y * math.sin(tilt) + z * math.cos(tilt)
    return x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn), z


def galaxy(rng: random.Random, centre, velocity, tilt: float, turn: float, colour: int) -> list[list[float]]:
    """A heavy core, and light bodies that go around it on circles."""
    bodies = [[*centre, CORE, *velocity, colour]]
    for _ in range(BODIES // 2 - 1):
        radius = 0.08 + 0.50 * rng.random() ** 0.8
        angle = 2 * math.pi * rng.random()
        speed = math.sqrt(CORE / radius)
        place = (radius * math.cos(angle), radius * math.sin(angle), 0.02 * rng.gauss(0, 1) * radius)
        way = (-speed * math.sin(angle), speed * math.cos(angle), 0.0)
        place, way = turned(*place, tilt, turn), turned(*way, tilt, turn)
        bodies.append([*(a + b for a, b in zip(centre, place)), 2e-5, *(a + b for a, b in zip(velocity, way)), colour])
    return bodies


def step(bodies: list[list[float]]) -> None:
    pulls = [[0.0, 0.0, 0.0] for _ in bodies]
    for n, one in enumerate(bodies):
        for m in range(n):
            other = bodies[m]
            way = [other[axis] - one[axis] for axis in range(3)]
            near = (sum(x * x for x in way) + SOFTENING) ** -1.5
            for axis in range(3):
                pulls[n][axis] += other[3] * near * way[axis]
                pulls[m][axis] -= one[3] * near * way[axis]
    for body, pull in zip(bodies, pulls):
        for axis in range(3):
            body[4 + axis] += STEP_TIME * pull[axis]
            body[axis] += STEP_TIME * body[4 + axis]


def write(name: str, bodies: list[list[float]]) -> None:
    """As an .npy file of a row for each body; the colour is a word of bits there, so it goes as the float of these bits."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(bodies)}, 8)}}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for body in bodies:
            file.write(struct.pack("<7fI", *body[:7], body[7]))


rng = random.Random(1)
bodies = galaxy(rng, (-0.75, -0.28, 0.0), (0.55, 0.12, 0.1), 0.5, 0.3, 0)
bodies += galaxy(rng, (0.75, 0.28, 0.0), (-0.55, -0.12, -0.1), -0.9, 0.8, 1)
bodies = [[*map(single, body[:7]), body[7]] for body in bodies]
write("nbody_start.npy", bodies)
for _ in range(STEPS):
    step(bodies)
write("nbody_end.npy", bodies)
