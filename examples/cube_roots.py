"""Writes cube_roots.toml: numbers, and their cube roots computed with sixty decimal digits.

Run it as `python3 cube_roots.py > cube_roots.toml`. It shares nothing with the shader: no bisection, no binary floats
until the last rounding. The shader's last step rounds a cube, so its roots may be off by two units of the last place.
"""

from decimal import Decimal, getcontext

getcontext().prec = 60


def cube_root(x: float) -> float:
    size = abs(Decimal(x)) ** (Decimal(1) / 3) if x else Decimal(0)
    return float(-size if x < 0 else size)


def rows(values: list[float]) -> str:
    return "".join(f"    {', '.join(map(repr, values[n:n + 4]))},\n" for n in range(0, len(values), 4))


numbers = [0.0, 1.0, -1.0, 8.0, -27.0, 1e12, -1e-9, 0.1]
numbers += [(-1) ** n * 3.7 ** (n - 11) for n in range(24)]

print("# Cube roots in double precision. Written by cube_roots.py, which computes the expected roots in another way.")
print()
print('shader = "cube_roots.cso"')
print("dispatch = [2, 1, 1]")
print()
print(f"[t0]\nstructured = {{ stride = 8 }}\nf64 = [\n{rows(numbers)}]")
print()
print(f"[u0]\nstructured = {{ stride = 8, count = {len(numbers)} }}")
print()
print(f"[u0.expect]\ntolerance = {{ ulp = 2 }}\nf64 = [\n{rows([cube_root(x) for x in numbers])}]")
