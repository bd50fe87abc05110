#!/usr/bin/env python3
"""Writes the bytes that the scene must leave, from the meaning of its shaders and the rules of Direct3D 11.

Every instance covers the middle half of the columns. An instance beyond the layers is drawn to the first one, and its
shader sees its number all the same.
"""
import numpy

WIDTH, HEIGHT, LAYERS = 16, 8, 3


def unorm(*color):
    return numpy.floor(numpy.clip(color, 0, 1) * 255 + 0.5).astype(numpy.uint8)


def write(name, texels):
    with open(name + ".bin", "wb") as file:
        file.write(numpy.ascontiguousarray(texels).tobytes())


def square(width):
    return slice(width // 4, 3 * width // 4)


color = numpy.zeros((LAYERS, HEIGHT, WIDTH, 4), numpy.uint8)
depth = numpy.ones((LAYERS, HEIGHT, WIDTH), numpy.float32)

# Depths of 1 are read at twice the place, times 2; what is out of range is 0.
depths = numpy.full((HEIGHT, WIDTH), -1, numpy.float32)
for y in range(HEIGHT):
    for x in range(WIDTH)[square(WIDTH)]:
        depths[y, x] = 2 * depth[0, 2 * y, 2 * x] if 2 * y < HEIGHT and 2 * x < WIDTH else 0

color[1] = unorm(0, 0, 1, 1)
for instance in range(4):
    layer = instance if instance < LAYERS else 0
    z = numpy.float32(0.5 - 0.125 * instance)
    assert (z < depth[layer, :, square(WIDTH)]).all()
    depth[layer, :, square(WIDTH)] = z
    color[layer, :, square(WIDTH)] = unorm(instance * 0.25, 1, 0, 1)

half = numpy.zeros((HEIGHT // 2, WIDTH // 2, 4), numpy.uint8)
for y in range(HEIGHT // 2):
    for x in range(WIDTH // 2)[square(WIDTH // 2)]:
        half[y, x] = unorm(*(color[1, 2 * y, 2 * x] / 255 * 2))

sums = half.astype(int).reshape(HEIGHT // 4, 2, WIDTH // 4, 2, 4).sum(axis=(1, 3))
quarter = ((sums + 2) // 4).astype(numpy.uint8)

for layer in range(LAYERS):
    write(f"color{layer}", color[layer])
    write(f"depth{layer}", depth[layer])
write("half", half)
write("quarter", quarter)
write("nothing", numpy.zeros_like(quarter))
write("depths", depths)
