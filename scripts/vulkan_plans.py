"""Makes plans for vulkan_jobs.cpp from documents (docs/document.md), with shaders in SPIR-V, and holds what comes out against what they expect.

A job is read from its JSON form, with the kinds of its views written out, as `brolga bench --export` and the corpus write them. Shaders get
to SPIR-V in two ways: the HLSL by glslang (gls), or the compiled form by vkd3d-compiler (vkd). Either way everything is in descriptor set 0,
b# at #, t# at 16 + #, u# at 32 + #, s# at 48 + #; what kind of descriptor each is, the SPIR-V says.
"""
import json
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy

FIRST_BINDING = {"b": 0, "t": 16, "u": 32, "s": 48}
# VkFormat and bytes of a texel or block, by the names of DXGI.
FORMATS = {
    "R8_UNORM": (9, 1), "R8_SNORM": (10, 1), "R8_UINT": (13, 1), "R8_SINT": (14, 1), "A8_UNORM": (9, 1),
    "R8G8_UNORM": (16, 2), "R8G8_SNORM": (17, 2), "R8G8_UINT": (20, 2), "R8G8_SINT": (21, 2),
    "R8G8B8A8_UNORM": (37, 4), "R8G8B8A8_SNORM": (38, 4), "R8G8B8A8_UINT": (41, 4), "R8G8B8A8_SINT": (42, 4), "R8G8B8A8_UNORM_SRGB": (43, 4),
    "B8G8R8A8_UNORM": (44, 4), "B8G8R8A8_UNORM_SRGB": (50, 4), "B8G8R8X8_UNORM": (44, 4), "B8G8R8X8_UNORM_SRGB": (50, 4),
    "R16_UNORM": (70, 2), "R16_SNORM": (71, 2), "R16_UINT": (74, 2), "R16_SINT": (75, 2), "R16_FLOAT": (76, 2),
    "R16G16_UNORM": (77, 4), "R16G16_SNORM": (78, 4), "R16G16_UINT": (81, 4), "R16G16_SINT": (82, 4), "R16G16_FLOAT": (83, 4),
    "R16G16B16A16_UNORM": (91, 8), "R16G16B16A16_SNORM": (92, 8), "R16G16B16A16_UINT": (95, 8), "R16G16B16A16_SINT": (96, 8),
    "R16G16B16A16_FLOAT": (97, 8),
    "R32_UINT": (98, 4), "R32_SINT": (99, 4), "R32_FLOAT": (100, 4), "R32G32_UINT": (101, 8), "R32G32_SINT": (102, 8), "R32G32_FLOAT": (103, 8),
    "R32G32B32_UINT": (104, 12), "R32G32B32_SINT": (105, 12), "R32G32B32_FLOAT": (106, 12),
    "R32G32B32A32_UINT": (107, 16), "R32G32B32A32_SINT": (108, 16), "R32G32B32A32_FLOAT": (109, 16),
    "R10G10B10A2_UNORM": (64, 4), "R10G10B10A2_UINT": (68, 4), "R11G11B10_FLOAT": (122, 4), "R9G9B9E5_SHAREDEXP": (123, 4),
    "B5G6R5_UNORM": (4, 2), "B5G5R5A1_UNORM": (8, 2), "B4G4R4A4_UNORM": (1000340000, 2),
    "D16_UNORM": (124, 2), "R24_UNORM_X8_TYPELESS": (125, 4), "D32_FLOAT": (126, 4),
    "BC1_UNORM": (133, 8), "BC1_UNORM_SRGB": (134, 8), "BC2_UNORM": (135, 16), "BC2_UNORM_SRGB": (136, 16), "BC3_UNORM": (137, 16),
    "BC3_UNORM_SRGB": (138, 16), "BC4_UNORM": (139, 8), "BC4_SNORM": (140, 8), "BC5_UNORM": (141, 16), "BC5_SNORM": (142, 16),
    "BC6H_UF16": (143, 16), "BC6H_SF16": (144, 16), "BC7_UNORM": (145, 16), "BC7_UNORM_SRGB": (146, 16),
}
# VkComponentSwizzle of red to alpha where Vulkan has the format only with other channels: 0 is the channel itself, 1 is 0, 2 is 1, 3 is red.
SWIZZLES = {"A8_UNORM": (1, 1, 1, 3), "B8G8R8X8_UNORM": (0, 0, 0, 2), "B8G8R8X8_UNORM_SRGB": (0, 0, 0, 2)}
# Formats that Direct3D compares as numbers, and Vulkan as depths.
COMPARED = {"R16_UNORM": "D16_UNORM", "R32_FLOAT": "D32_FLOAT"}
# VkImageViewType.
VIEWS = {"texture1d": 0, "texture2d": 1, "texture3d": 2, "texturecube": 3, "texture1darray": 4, "texture2darray": 5, "texturecubearray": 6}
# VkFilter of minification and magnification, VkSamplerMipmapMode.
FILTERS = {
    "point": (0, 0, 0),
    "min_mag_mip_point": (0, 0, 0),
    "min_mag_linear_mip_point": (1, 1, 0),
    "linear": (1, 1, 1),
    "min_mag_mip_linear": (1, 1, 1),
    "anisotropic": (1, 1, 1),
}
# VkSamplerReductionMode, by the prefix of a filter.
REDUCTIONS = {"minimum": 1, "maximum": 2}
# VkCompareOp.
COMPARISONS = ["never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"]
# VkSamplerAddressMode.
ADDRESSES = {"wrap": 0, "mirror": 1, "clamp": 2, "border": 3, "mirror_once": 4}
# VkDescriptorType.
SAMPLER, SAMPLED_IMAGE, STORAGE_IMAGE, UNIFORM_TEXELS, STORAGE_TEXELS, UNIFORM_BUFFER, STORAGE_BUFFER = 0, 2, 3, 4, 5, 6, 7
TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "f32": "<f4", "f64": "<f8"}


class Unsupported(Exception):
    """A job, or a translation of its shader, that cannot be run."""


@dataclass
class Job:
    """A job in its folder, and where its HLSL is."""

    folder: Path
    source: Path
    # Macros that are defined for the HLSL.
    defines: tuple = ()

    def __post_init__(self):
        self.document = json.loads((self.folder / "case.json").read_text())
        self.name = self.document["name"]
        self.bindings = {binding["slot"]: binding for binding in self.document["bindings"]}

    @property
    def shader(self):
        return self.folder / self.document["shaders"][0]

    @property
    def entry(self):
        return self.document.get("entry", "main")


@dataclass
class Module:
    """SPIR-V, and what it says of itself."""

    path: Path
    entry: str
    group: tuple
    # Descriptor types by binding.
    descriptors: dict


def translate(job, variant, folder):
    """The shader of a job as SPIR-V in a folder."""
    out = folder / f"{job.name}.{variant}.spv"
    if variant == "gls":
        shifts = [part for name, first in [("cbuffer", "b"), ("texture", "t"), ("UAV", "u"), ("ssbo", "u"), ("sampler", "s")]
                  for part in (f"--shift-{name}-binding", str(FIRST_BINDING[first]))]
        # Formats of images are not declared: glslang would take that of the variable's type.
        image_formats = ["--no-storage-format"] if job.defines else []
        macros = [f"-D{name}=1" for name in job.defines]
        command = ["glslangValidator", "-D", "-V", "--target-env", "vulkan1.1", "-S", "comp", "-e", job.entry, *shifts, *image_formats, *macros,
                   "--hlsl-iomap", "--auto-map-bindings", job.source, "-o", out]
    else:
        command = ["vkd3d-compiler", "-x", "dxbc-tpf", "-b", "spirv-binary", "--buffer-uav=storage-buffer", job.shader, "-o", out]
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if "error" in line.lower()] or done.stdout.splitlines()
        raise Unsupported(lines[0] if lines else f"{command[0]} ended with {done.returncode}")
    data = out.read_bytes()
    words = list(struct.unpack(f"<{len(data) // 4}I", data))
    module = reflect(words, out, rebinds=variant == "vkd")
    out.write_bytes(struct.pack(f"<{len(words)}I", *words))
    return module


def text(words):
    return struct.pack(f"<{len(words)}I", *words).split(b"\0")[0].decode()


def reflect(words, path, rebinds):
    """Reads a module. Its bindings become those of the registers that its names name, if it does not have them already."""
    names, bindings, storage_blocks, types, variables = {}, {}, set(), {}, []
    entry, group, at = "main", (1, 1, 1), 5
    while at < len(words):
        count, operation = words[at] >> 16, words[at] & 0xFFFF
        operands = words[at + 1 : at + count]
        match operation:
            case 5:  # OpName
                names[operands[0]] = text(operands[1:])
            case 15:  # OpEntryPoint
                entry = text(operands[2:])
            case 16 if operands[1] == 17:  # OpExecutionMode LocalSize
                group = tuple(operands[2:5])
            case 71 if operands[1] == 33:  # OpDecorate Binding
                bindings[operands[0]] = at + 3
            case 71 if operands[1] == 3:  # OpDecorate BufferBlock
                storage_blocks.add(operands[0])
            case 25 | 26 | 28 | 29 | 30 | 32:  # OpTypeImage, Sampler, Array, RuntimeArray, Struct, Pointer
                types[operands[0]] = (operation, operands[1:])
            case 59:  # OpVariable
                variables.append(operands[:3])
        at += count
    descriptors = {}
    for pointer, variable, storage in variables:
        if variable not in bindings:
            continue
        if rebinds:
            register = re.match(r"c?([btus])(\d+)", names.get(variable, ""))
            if not register:
                raise Unsupported(f"{names.get(variable)} is no register")
            words[bindings[variable]] = FIRST_BINDING[register[1]] + int(register[2])
        inner = types[pointer][1][1]
        descriptors[words[bindings[variable]]] = descriptor(storage, inner, types, storage_blocks)
    return Module(path, entry, group, descriptors)


def descriptor(storage, inner, types, storage_blocks):
    operation, operands = types[inner]
    if operation == 25:
        is_buffer, is_sampled = operands[1] == 5, operands[5] == 1
        return [[STORAGE_IMAGE, SAMPLED_IMAGE], [STORAGE_TEXELS, UNIFORM_TEXELS]][is_buffer][is_sampled]
    if operation == 26:
        return SAMPLER
    if operation in (28, 29):
        raise Unsupported("arrays of descriptors")
    # Uniform is 2, StorageBuffer 12.
    return STORAGE_BUFFER if storage == 12 or inner in storage_blocks else UNIFORM_BUFFER


def output(job, slot, variant, folder):
    return folder / f"{job.name}.{variant}.{slot}.bin"


def write_plan(job, module, variant, folder):
    """The plan of a job with a translation of its shader. What it writes goes to the same folder."""
    lines = [f"name {job.name}", f"shader {module.path} {module.entry}", "groups " + " ".join(map(str, job.document["dispatch"]))]
    for binding, kind in sorted(module.descriptors.items()):
        letter = next(letter for letter, first in FIRST_BINDING.items() if first <= binding < first + 16)
        slot = f"{letter}{binding - FIRST_BINDING[letter]}"
        if slot not in job.bindings:
            raise Unsupported(f"{slot} is not bound")
        lines.append(plan_line(job, job.bindings[slot], binding, kind, output(job, slot, variant, folder)))
    path = folder / f"{job.name}.{variant}.plan"
    path.write_text("\n".join(lines) + "\n")
    return path


def plan_line(job, view, binding, kind, out):
    slot = view["slot"]
    if kind == SAMPLER:
        return sampler_line(slot, view, binding)
    if "counter" in view:
        raise Unsupported(f"{slot} has a hidden counter")
    content = job.folder / view["file"] if "file" in view else "-"
    out = out if slot.startswith("u") else "-"
    if kind in (SAMPLED_IMAGE, STORAGE_IMAGE):
        if view["kind"] not in VIEWS or view["format"] not in FORMATS:
            raise Unsupported(f"{slot} is a {view['kind']} of {view.get('format')}")
        name = view["format"]
        if any(other["slot"][0] == "s" and "comparison" in other for other in job.document["bindings"]):
            name = COMPARED.get(name, name)
        format, texel = FORMATS[name]
        extents = [view.get(key, 1) for key in ("width", "height", "depth", "layers", "mips")]
        if view["kind"] == "texturecube":
            extents[3] = 6
        block = 4 if name.startswith("BC") else 1
        swizzle = SWIZZLES.get(name, (0, 0, 0, 0))
        numbers = [VIEWS[view["kind"]], *extents, texel, block, *swizzle]
        return " ".join(map(str, ["image", kind, binding, format, view["size"], content, out, *numbers]))
    # Raw and structured buffers that are texel buffers have words.
    format = FORMATS[view.get("format", "R32_UINT")][0]
    return " ".join(map(str, ["buffer", kind, binding, format, view["size"], content, out]))


def sampler_line(slot, view, binding):
    address = view.get("address", "clamp")
    modes = [address] * 3 if isinstance(address, str) else [*address, "clamp", "clamp"][:3]
    filter = view.get("filter", "linear")
    prefix = next((prefix for prefix in [*REDUCTIONS, "comparison"] if filter.startswith(f"{prefix}_")), None)
    filter = filter.removeprefix(f"{prefix}_")
    if filter not in FILTERS:
        raise Unsupported(f"{slot} has the filter {filter}")
    border = view.get("border", [0, 0, 0, 0])
    anisotropy = view.get("max_anisotropy", 16) if filter == "anisotropic" else 0
    compare = COMPARISONS.index(view["comparison"]) if prefix == "comparison" else -1
    rest = [anisotropy, compare, REDUCTIONS.get(prefix, 0)]
    return " ".join(map(str, ["sampler", binding, *FILTERS[filter], *(ADDRESSES[mode] for mode in modes), *border, *rest]))


def wrong_share(job, variant, folder):
    """The share of the expected numbers that a run of the plan did not give."""
    wrong = compared = 0
    for expected in job.document["expect"]:
        found = output(job, expected["slot"], variant, folder)
        if not found.exists():
            raise Unsupported(f"{expected['slot']} was not written")
        pair = [path.read_bytes() for path in (found, job.folder / expected["file"])]
        bad = wrong_numbers(expected, *pair)
        wrong, compared = wrong + bad.sum(), compared + bad.size
    return wrong / compared


def wrong_numbers(expected, found, wanted):
    """For each number whether it is outside of the tolerance. Zeros of both signs are equal, and so are all NaN."""
    names = expected.get("words") or [expected["type"]]
    size = numpy.dtype(TYPES[names[0]]).itemsize
    pattern = numpy.resize(numpy.array(names), len(wanted) // size)
    tolerance = expected.get("tolerance", "exact")
    bounds = {} if tolerance == "exact" else tolerance
    bad = numpy.zeros(len(pattern), bool)
    for name in set(names):
        mine = pattern == name
        a, b = (numpy.frombuffer(data, TYPES[name])[mine] for data in (found, wanted))
        differs = a != b
        if name.startswith("f"):
            differs &= ~(numpy.isnan(a) & numpy.isnan(b))
        if name.startswith("f") or "words" not in expected:
            with numpy.errstate(invalid="ignore", over="ignore"):
                off = numpy.abs(a.astype(float) - b.astype(float))
                for bound, most in [("abs", 1.0), ("rel", numpy.abs(b.astype(float)))]:
                    if bound in bounds:
                        differs &= ~(off <= bounds[bound] * most)
        bad[mine] = differs
    if "skip_elements" in expected:
        bad.reshape(-1, expected["element"] // size)[expected["skip_elements"]] = False
    return bad
