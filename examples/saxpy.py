"""Writes saxpy_x.bin and saxpy_y.bin, 1,024 times four numbers each, and saxpy_end.bin, what a * x + y makes of them.

Run it as `python3 saxpy.py`. All numbers are eighths, so that no rounding happens and the results agree to the last bit.
"""

import random
import struct

A = 0.5
NUMBERS = 4 * 1024


def write(name: str, numbers: list[float]) -> None:
    with open(name, "wb") as file:
        file.write(struct.pack(f"<{len(numbers)}f", *numbers))


rng = random.Random(1)
x, y = ([rng.randrange(-4000, 4000) / 4 for _ in range(NUMBERS)] for _ in range(2))
write("saxpy_x.bin", x)
write("saxpy_y.bin", y)
write("saxpy_end.bin", [A * a + b for a, b in zip(x, y)])
