"""Makes the blobs here that are not compiled. Their listings are what fxc's disassembler wrote for them.

`declarations` has every name of an enumeration. `literals` and `precision*` hold every instruction of the table in bytecode/src/sm5/ops.rs that has operands and may stand
alone; `system_values` and `component_types` are signatures with an empty program. `registers` is `members` with other
textures and samplers in its variables.
"""
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import dxbc

TABLE = HERE.parents[2] / "bytecode/src/sm5/ops.rs"
BASE = (HERE.parent / "graphics/lit.pbr.ps_5_0.cso").read_bytes()
DECLARATIONS = set(range(0x58, 0x6B)) | set(range(0x8F, 0xA3))
FLOW = """call callc label hs_decls hs_control_point_phase hs_fork_phase hs_join_phase if else endif loop endloop switch
endswitch case default break breakc continue continuec""".split()


def operand(token, words, precision):
    """An operand with a minimum precision."""
    return [token | 1 << 31, 1 | precision << 14, *words] if precision else [token, *words]


def source(precision, literal):
    if literal:
        return operand(0x4002, [0x3F800000, 5, 0xFFFFFFFE, 0x00ABCDEF], precision)
    return operand(0x00100E46, [2], precision)


def instructions(result, sources, literal):
    """The words of every instruction: results and sources at these precisions."""
    words = []
    for line in TABLE.read_text().splitlines():
        row = re.match(r'    0x([0-9a-f]+), \w+, "(\w+)", \w+, .*?, \[(.*)\], .*;', line)
        if not row or row[2] in FLOW or set(row[3].split()) & {"label", "iface", "stream", "case"}:
            continue
        operands = []
        for slot in row[3].split():
            if slot in ("tex", "texuav", "texras", "lraw", "lstruct", "lbuf"):
                operands += [0x00107E46, 0]
            elif slot == "ltyped":
                operands += [0x0011EE46, 0]
            elif slot.startswith("m"):
                operands += [0x0011E0F2, 0]
            elif slot in ("smp", "smpc"):
                operands += [0x00106000, 0]
            elif slot == "attr":
                operands += [0x00101E46, 0]
            elif slot.startswith("d"):
                operands += operand(0x001000F2, [1], result)
            else:
                operands += source(sources, literal)
        words += [int(row[1], 16) | len(operands) + 1 << 24, *operands]
    return words


def program(words):
    """A pixel shader's declarations, these instructions, and a return."""
    old = list(dxbc.code(BASE))
    first = next(at for at, op, _ in dxbc.walk(old) if op not in DECLARATIONS)
    return dxbc.with_code(BASE, old[:first] + words + [0x0100003E])


def signature(elements, form="N"):
    """Elements of (stream, name, index, system value, component type, register, mask, usage, precision)."""
    size = {"N": 24, "1": 32}[form]
    names, rows = b"", b""
    for stream, name, index, value, kind, register, mask, usage, precision in elements:
        at = 8 + size * len(elements) + len(names)
        row = struct.pack("<5I4B", at, index, value, kind, register, mask, usage, 0, 0)
        rows += struct.pack("<I", stream) + row + struct.pack("<I", precision) if form == "1" else row
        names += name.encode() + b"\0"
    data = struct.pack("<2I", len(elements), 8) + rows + names
    return data + b"\xab" * (-len(data) % 4)


def system_values(stage):
    """Every system value with and without a register, and names that stand for one."""
    none = 0xFFFFFFFF
    rows = []
    for value in [*range(26), *range(62, 73)]:
        rows += [(0, "A", value, value, 3, 1, 0xF, 0xF, 0), (0, "A", value, value, 3, none, 0xF, 0, 0)]
    names = """SV_Target sv_target SV_TARGET7 SV_Depth SV_DepthGreaterEqual SV_DepthLessEqual SV_Coverage SV_StencilRef
    SV_InnerCoverage SV_Position SV_PrimitiveID SV_IsFrontFace SV_SampleIndex SV_GSInstanceID SV_Barycentrics SV_VertexID
    SV_TessFactor"""
    for name in names.split():
        rows += [(0, name, 0, 0, 3, 1, 0xF, 0xF, 0), (0, name, 0, 0, 3, none, 1, 0, 0), (0, name, 0, 0, 3, none, 1, 1, 0)]
    chunks = [(chunk, signature(rows)) for chunk in ("ISGN", "OSGN", "PCSG")]
    return dxbc.container([*chunks, ("SHEX", struct.pack("<2I", stage << 16 | 0x50, 2))])


def component_types():
    """Every component type, and every minimum precision with each."""
    plain = [(0, "A", kind, 0, kind, 1, 5, 5, 0) for kind in range(12)]
    precisions = [0, 1, 2, 3, 4, 5, 6, 7, 0xF0, 0xF1]
    rows = [(0, "A", precision, 0, kind, 1, 5, 5, precision) for precision in precisions for kind in (1, 2, 3)]
    rows.append((2, "A", 0, 0, 3, 1, 5, 5, 0))
    shex = struct.pack("<2I", 2 << 16 | 0x50, 2)
    return dxbc.container([("ISGN", signature(plain)), ("OSG1", signature(rows, "1")), ("SHEX", shex)])


def declarations():
    """Every number of every enumeration of declarations that has a text, of `resinfo`, `sampleinfo` and `sync`."""

    def item(opcode, controls, *operands):
        return [opcode | controls | len(operands) + 1 << 24, *operands]

    words = []
    for n in range(1, 13):
        words += item(0x58, n << 11, 0x00107000, n, 0x5555) + item(0x9C, n << 11, 0x0011E000, n, 0x5555)
    for n in range(1, 10):
        words += item(0x58, 3 << 11, 0x00107000, n, n * 0x1111)
    for n in range(8):
        words += item(0x58, 4 << 11 | n << 16, 0x00107000, n, 0x5555) + item(0x62, n << 11, 0x001010F2, n)
    for n in range(3):
        words += item(0x5A, n << 11, 0x00106000, n)
    for n in range(23):
        words += item(0x61, 0, 0x001010F2, n, n) + item(0x67, 0, 0x001020F2, n, n)
    for n in range(10, 24):
        words += item(0x6A, 1 << n & ~0x7FF)
    for n in 16, 17, 23:
        words += item(0x9D, 1 << n, 0x0011E000, n) + item(0x9E, 1 << n, 0x0011E000, n, 16)
    words += item(0x9B, 0, 1, 2, 3) + item(0x9F, 0, 0x0011F000, 0, 64) + item(0x69, 0, 0, 4, 3)
    words += item(0x99, 0, 3) + item(0x9A, 0, 3) + item(0xCE, 0, 4) + item(0x98, 0, 0x42800000) + item(0x8F, 0, 0x00110000, 2)
    for n in [0, 1, 2, 3, 6, *range(7, 40)]:
        words += item(0x5D, n << 11)
    for n in 0, 1, 3, 5:
        words += item(0x5C, n << 11)
    for n in 0, 1, 32:
        words += item(0x93, n << 11) + item(0x94, n << 11)
    for n in range(1, 5):
        words += (item(0x95, n << 11) if n < 4 else []) + item(0x96, n << 11) + item(0x97, n << 11)
    for n in range(3):
        words += item(0x3D, n << 11, 0x001000F2, 1, 0x4001, 0, 0x00107E46, 0)
        words += item(0x6F, n << 11, 0x001000F2, 1, 0x00107E46, 0)
    for n in range(16):
        words += item(0xBE, n << 11)
    words += item(0x3E, 0)
    shex = struct.pack("<%dI" % (len(words) + 2), 0x50, len(words) + 2, *words)
    return dxbc.container([("ISGN", signature([])), ("OSGN", signature([])), ("SHEX", shex)])


def registers():
    """Textures and samplers that no compiler writes: of floats, with default values, beyond the last number."""
    first_and_count = [(3, 1), (0xFFFFFFFF, 0), (7, 3), (0xFFFFFFFF, 1), (5, 0), (0xFFFFFFFE, 4), (0, 0xFFFFFFFF)]
    parts = []
    for name, data in dxbc.chunks((HERE / "members.ps_5_0.cso").read_bytes()):
        if name == "RDEF":
            data, at = bytearray(data), 0
            count, buffers = struct.unpack_from("<2I", data)
            for buffer in range(count):
                _, variables, first, *_ = struct.unpack_from("<6I", data, buffers + 24 * buffer)
                for variable in range(variables):
                    pairs = *first_and_count[at % 7], *first_and_count[at // 2 % 7]
                    struct.pack_into("<4I", data, first + 40 * variable + 24, *pairs)
                    at += 1
        parts.append((name, bytes(data)))
    return dxbc.container(parts)


for name, blob in {
    "declarations.ps_5_0": declarations(),
    "literals.ps_5_0": program(instructions(0, 0, True)),
    "precision_result.ps_5_0": program(instructions(1, 0, False)),
    "precision_sources.ps_5_0": program(instructions(0, 1, False)),
    "precisions_differ.ps_5_0": program(instructions(5, 1, False)),
    "system_values.ps_5_0": system_values(0),
    "system_values.ds_5_0": system_values(4),
    "component_types.gs_5_0": component_types(),
    "registers.ps_5_0": registers(),
}.items():
    (HERE / (name + ".cso")).write_bytes(blob)
