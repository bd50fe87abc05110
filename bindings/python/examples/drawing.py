"""Drawing from Python, cell by cell: open it in an editor that runs `# %%` cells, or run it as a whole.

It needs matplotlib. As a whole it writes drawing.png to the current folder.
"""

# %% A device, and where the shaders are
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import brolga

EXAMPLES = Path(__file__).parents[3] / "examples"
device = brolga.Device()
figure, axes = plt.subplots(1, 3, figsize=(15, 4), layout="constrained")

# %% A document says all that is drawn. What it saves are arrays here.
document = brolga.Document(EXAMPLES / "field")
picture = document.run(device).arrays["picture"]
axes[0].imshow(picture)
axes[0].set_title(f"{document.name}: {picture.shape[1]} x {picture.shape[0]} pixels")

# %% Vertices of one's own: the fields of the dtype are the inputs of the vertex shader.
vertex = np.dtype([("POSITION", "f4", 2), ("COLOR", "f4", 4)])
turns = np.linspace(0, 2 * np.pi, 49)
rim = np.stack([0.7 * np.cos(turns), 0.9 * np.sin(turns)], axis=1)
colours = plt.get_cmap("hsv")(turns / (2 * np.pi))
vertices = np.zeros((48, 3), vertex)
# Clockwise on the screen is a triangle's front.
vertices["POSITION"][:, 1], vertices["POSITION"][:, 2] = rim[1:], rim[:-1]
vertices["COLOR"][:, 0] = 1
vertices["COLOR"][:, 1], vertices["COLOR"][:, 2] = colours[1:], colours[:-1]

# %% Two shaders and the state around them, drawn into an array
pipeline = device.pipeline(
    EXAMPLES / "triangle_vs.cso", EXAMPLES / "triangle_ps.cso", inputs=vertex, targets=["R8G8B8A8_UNORM"]
)
wheel = np.full((480, 640, 4), 255, np.uint8)
[did] = device.draw([pipeline.draw(vertices=[vertices.reshape(-1)])], [wheel])
axes[1].imshow(wheel)
axes[1].set_title(f"{did['primitives']} triangles, {did['samples']} pixels")

# %% The same array goes into a compute shader, as it is.
blurred = np.zeros_like(wheel)
blur = device.compile(EXAMPLES / "blur.cso")
bindings = {"picture": brolga.View(wheel, "R8G8B8A8_UNORM_SRGB"), "blurred": blurred, "Settings": {"sigma": 3}}
report = blur.dispatch((40, 30), bindings)
axes[2].imshow(blurred)
axes[2].set_title(f"blurred in {1000 * report.elapsed:.1f} ms")

# %%
figure.savefig("drawing.png")
