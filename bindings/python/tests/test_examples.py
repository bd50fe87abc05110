"""The examples run as they stand in the documents, and their pictures are right."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from conftest import EXAMPLES, ROOT
from matplotlib import image

OWN = Path(__file__).parents[1] / "examples"


def run(folder: Path, script: Path, *arguments: str) -> str:
    command = [sys.executable, script, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=100).stdout


def test_image_filter(tmp_path: Path) -> None:
    """The expected picture is the one that the job is held against."""
    assert "192 x 320 pixels" in run(tmp_path, OWN / "image_filter.py")
    [blurred, expected] = [image.imread(path) for path in (tmp_path / "blurred.png", ROOT / "docs/images/blur.png")]
    assert np.abs(blurred[..., :3] - expected[..., :3]).max() < 1.5 / 255


def test_drawing(tmp_path: Path) -> None:
    run(tmp_path, OWN / "drawing.py")
    assert image.imread(tmp_path / "drawing.png").std() > 0.05


def test_dask_mandelbrot(tmp_path: Path) -> None:
    report = run(tmp_path, EXAMPLES / "dask_mandelbrot.py", "--size", "256", "--side", "128", "--limit", "512")
    assert "on 2 workers" in report
    picture = image.imread(tmp_path / "mandelbrot.png")
    # Points inside are black; those are the set's symmetry and a known share of its area.
    inside = (picture[..., :3] == 0).all(axis=2)
    assert (inside == inside[::-1]).mean() > 0.99
    assert abs(inside.mean() * 9 - 1.5066) < 0.05


def test_the_commands_of_the_documents_work(tmp_path: Path) -> None:
    """Every block of Python in docs/python.md and in the README's part, one after the other, in an empty folder."""
    (tmp_path / "brolga").symlink_to(ROOT)
    for name in ("docs/python.md", "README.md"):
        blocks = (ROOT / name).read_text().split("```python\n")[1:]
        assert blocks, name
        program = "\n".join(block.split("```")[0] for block in blocks)
        (tmp_path / "program.py").write_text(program)
        run(tmp_path, tmp_path / "program.py")
