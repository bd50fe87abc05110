"""Computes the expected result of the example ripples, ../docs/images/ripples.png.

Run it as `python3 ripples.py`; it needs numpy. All is computed in double precision, so that the shader may differ by a
rounding of a last bit.
"""

import numpy as np

from pictures import write_png

WIDTH, HEIGHT = 640, 384
# Place, ripples along the pond, phase.
STONES = [((0.28, 0.22), 18, 0.25), ((0.74, 0.18), 24, 0), ((0.58, 0.46), 14, 0.5)]
FADE, TALL, SHINE = 2.5, 0.006, 0.7
DEEP, SHALLOW = np.array([0.02, 0.13, 0.24]), np.array([0.16, 0.50, 0.58])


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def picture() -> np.ndarray:
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    place = (np.stack([x, y], -1) + 0.5) / WIDTH
    slope, height = np.zeros((HEIGHT, WIDTH, 2)), np.zeros((HEIGHT, WIDTH))
    for stone, count, phase in STONES:
        way = place - stone
        distance = np.maximum(np.linalg.norm(way, axis=-1), 0.001)
        strength = TALL * np.exp(-FADE * distance)
        angle = 2 * np.pi * (count * distance - phase)
        slope += way * (strength * 2 * np.pi * count * np.cos(angle) / distance)[..., None]
        height += strength * np.sin(angle)
    normal = unit(np.concatenate([-slope, np.ones((HEIGHT, WIDTH, 1))], -1))
    light = unit(np.array([-0.6, -0.7, 0.8]))
    facing = np.maximum(normal @ light, 0)[..., None]
    mirrored = (np.maximum(normal @ unit(light + [0, 0, 1]), 0) ** 80)[..., None]
    depth = np.clip(0.5 + height / (2 * TALL), 0, 1)[..., None]
    colour = (DEEP + (SHALLOW - DEEP) * depth) * (0.35 + 0.85 * facing) + SHINE * mirrored
    return np.rint(np.clip(colour, 0, 1) * 255).astype(np.uint8)


if __name__ == "__main__":
    write_png("../docs/images/ripples.png", picture())
