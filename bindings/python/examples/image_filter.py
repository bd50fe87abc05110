"""Blurs a picture with a compute shader, in place of a loop over its pixels.

    python image_filter.py [PICTURE] [SIGMA] [OUTPUT]

The shader is examples/blur.hlsl, compiled. What it reads and writes are NumPy's arrays; nothing is copied.
"""

import sys
from pathlib import Path

import matplotlib.image
import numpy as np

import brolga

EXAMPLES = Path(__file__).parents[3] / "examples"


def blur(picture: np.ndarray, sigma: float) -> np.ndarray:
    """A Gaussian blur in linear light, of a picture of shape (rows, columns, 4) in bytes; sigma in pixels, up to about 3."""
    shader = brolga.Device().compile(EXAMPLES / "blur.cso")
    blurred = np.zeros_like(picture)
    rows, columns = picture.shape[:2]
    # Each group makes 16 x 16 pixels. What it would write beyond the picture is dropped.
    groups = (-(-columns // 16), -(-rows // 16))
    source = brolga.View(picture, "R8G8B8A8_UNORM_SRGB")
    report = shader.dispatch(groups, {"picture": source, "blurred": blurred, "Settings": {"sigma": sigma}})
    print(f"{rows} x {columns} pixels in {1000 * report.elapsed:.2f} ms on {report.workers} threads")
    return blurred


def main(
    picture: str = str(EXAMPLES.parent / "docs/images/tonemap.png"), sigma: str = "3", output: str = "blurred.png"
) -> None:
    pixels = np.round(matplotlib.image.imread(picture) * 255).astype(np.uint8)
    if pixels.shape[2] == 3:
        pixels = np.concatenate([pixels, np.full_like(pixels[..., :1], 255)], axis=2)
    matplotlib.image.imsave(output, blur(pixels, float(sigma)))


if __name__ == "__main__":
    main(*sys.argv[1:])
