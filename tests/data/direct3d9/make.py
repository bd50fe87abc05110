"""Writes token streams that no compiler writes: every modifier, mask, swizzle and usage, and numbers that are none.

They keep few rules; only their listings, which are fxc's own, are of interest.
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
VERSIONS = {"vs_1_0": 0xFFFE0100, "vs_1_1": 0xFFFE0101, "vs_3_0": 0xFFFE0300, "ps_1_4": 0xFFFF0104, "ps_2_x": 0xFFFF0201, "ps_3_0": 0xFFFF0300}
MOV, SUB, EXP, LOG, DCL, DEF, DEFI, DEFB, TEXLD, BREAKP = 1, 3, 14, 15, 31, 81, 48, 47, 66, 96
TEMP, INPUT, CONST, ADDRESS, INT, SAMPLER, BOOL, LOOP, PREDICATE = 0, 1, 2, 3, 7, 10, 14, 15, 19
TEXTURE, OUTPUT = 3, 6


def register(file, number):
    return 1 << 31 | (file & 7) << 28 | (file >> 3) << 11 | number


def write(file, number, mask=15, modifiers=0, shift=0):
    return register(file, number) | mask << 16 | modifiers << 20 | (shift & 15) << 24


def read(file, number, swizzle=0xE4, modifier=0, relative=False):
    return register(file, number) | swizzle << 16 | modifier << 24 | relative << 13


def stream(version):
    has_lengths = VERSIONS[version] >> 8 & 0xFF > 1
    is_pixel = version.startswith("ps")
    words = [VERSIONS[version]]

    def add(opcode, *tail, control=0, predicated=False, paired=False):
        length = len(tail) << 24 if has_lengths else 0
        words.extend([opcode | control << 16 | length | predicated << 28 | paired << 30, *tail])

    if version != "ps_1_4":
        others = (INPUT, TEXTURE) if is_pixel else (INPUT, OUTPUT)
        for file in others:
            for usage in range(14):
                add(DCL, 1 << 31 | usage | usage << 16, write(file, usage))
            add(DCL, 1 << 31, write(file, 14, 7, 6))
        for texture in range(6):
            add(DCL, 1 << 31 | texture << 27, write(SAMPLER, texture))
    numbers = [0, 1 << 31, 0x3DCCCCCD, 0x501502F9, 0x7F7FC99E, 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000,
               0x7F800001, 0xFFFFFFFF, 0x4974 << 16 | 0x23FE, 0x4CEB79A3, 0x3586 << 16 | 0x37BD, 0xC2F6E979]
    for at in range(0, len(numbers), 4):
        add(DEF, write(CONST, at), *numbers[at : at + 4])
    if has_lengths:
        add(DEFI, write(INT, 3), 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF)
        for value in (0, 1, 77):
            add(DEFB, write(BOOL, value % 16), value)

    for modifiers in range(8):
        add(MOV, write(TEMP, 0, modifiers=modifiers), read(TEMP, 1))
    for shift in (-3, -2, -1, 0, 1, 2, 3):
        add(SUB, write(TEMP, 0, modifiers=5, shift=shift), read(TEMP, 1), read(TEMP, 2))
    for mask in range(16):
        add(MOV, write(TEMP, 0, mask), read(TEMP, 1))
    for modifier in range(14):
        add(MOV, write(TEMP, 0), read(TEMP, 1, 0x55 * (modifier % 4), modifier))
    for swizzle in (0xE4, 0x1B, 0xA4, 0x54, 0xFC, 0xE0, 0xC9, 0xD2, 0x00, 0xFF):
        add(MOV, write(TEMP, 0), read(TEMP, 1, swizzle))
    for file in [file for file in range(20) if file != 16]:
        for number in (0, 1, 2):
            # There is one of each of these, whatever the number is.
            if number == 0 or file not in (9, LOOP):
                add(MOV, write(file, number), read(file, number))
    if not has_lengths:
        if is_pixel:
            add(MOV, write(TEMP, 0), read(TEMP, 1), paired=True)
        else:
            add(MOV, write(TEMP, 0), read(CONST, 9, relative=True))
        if version == "vs_1_0":
            # Ten slots each in vs_1_1.
            add(EXP, write(TEMP, 0), read(TEMP, 1))
            add(LOG, write(TEMP, 0), read(TEMP, 1))
    else:
        for control in range(3 if is_pixel else 0):
            add(TEXLD, write(TEMP, 0), read(TEMP, 1), read(SAMPLER, 3), control=control)
        for swizzle in (0x00, 0x55, 0xAA, 0xFF, 0xE4):
            for modifier in (0, 13):
                predicate = read(PREDICATE, 0, swizzle, modifier)
                add(MOV, write(TEMP, 0), predicate, read(TEMP, 1), predicated=True)
                add(BREAKP, predicate)
    if version == "vs_3_0":
        for file, swizzle in ((ADDRESS, 0x00), (ADDRESS, 0xFF), (LOOP, 0xE4), (ADDRESS, 0x1B)):
            index = read(file, 0, swizzle)
            add(MOV, write(TEMP, 0), read(CONST, 8, 0x1B, 12, relative=True), index)
            add(MOV, write(OUTPUT, 3, 3) | 1 << 13, index, read(CONST, 2047, relative=True), index)
    words.append(0xFFFF)
    (HERE / f"tokens.{version}.cso").write_bytes(struct.pack(f"<{len(words)}I", *words))


for name in VERSIONS:
    stream(name)
