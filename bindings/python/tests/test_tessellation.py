"""Hull and domain shaders."""

import numpy as np
import pytest
from conftest import KEEP, NUMBERED, ROWS

import brolga

PLACE = np.dtype([("PLACE", "f4", 2)])
FACTORS = """
// SV_TessFactor            0   x           0 QUADEDGE   float   x
// SV_TessFactor            1   x           1 QUADEDGE   float   x
// SV_TessFactor            2   x           2 QUADEDGE   float   x
// SV_TessFactor            3   x           3 QUADEDGE   float   x
// SV_InsideTessFactor      0   x           4  QUADINT   float   x
// SV_InsideTessFactor      1   x           5  QUADINT   float   x"""

# Patches of one control point, which is passed on. Constants say how often they are divided; each has its number.
DIVIDE = f"""
// Patch Constant signature:
//{ROWS}{FACTORS}
// NUMBER                   0   x           6     NONE    uint   x
//
// Input signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
//
// Output signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
//
hs_5_0
hs_decls
dcl_input_control_point_count 1
dcl_output_control_point_count 1
dcl_tessellator_domain domain_quad
dcl_tessellator_partitioning partitioning_integer
dcl_tessellator_output_primitive output_triangle_cw
dcl_globalFlags refactoringAllowed
dcl_constantbuffer cb0[1], immediateIndexed
hs_fork_phase
dcl_input vPrim
dcl_output_siv o0.x, finalQuadUeq0EdgeTessFactor
dcl_output_siv o1.x, finalQuadVeq0EdgeTessFactor
dcl_output_siv o2.x, finalQuadUeq1EdgeTessFactor
dcl_output_siv o3.x, finalQuadVeq1EdgeTessFactor
dcl_output_siv o4.x, finalQuadUInsideTessFactor
dcl_output_siv o5.x, finalQuadVInsideTessFactor
dcl_output o6.x
mov o0.x, cb0[0].x
mov o1.x, cb0[0].x
mov o2.x, cb0[0].x
mov o3.x, cb0[0].x
mov o4.x, cb0[0].x
mov o5.x, cb0[0].x
mov o6.x, vPrim
ret
"""

# A rectangle from the control point on, as large as constants say, with the number of its patch.
SPREAD = f"""
// Patch Constant signature:
//{ROWS}{FACTORS}
// NUMBER                   0   x           6     NONE    uint   x
//
// Input signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
//
// Output signature:
//{ROWS}
// SV_Position              0   xyzw        0      POS   float   xyzw
// NUMBER                   3   x           1     NONE    uint   x
//
ds_5_0
dcl_input_control_point_count 1
dcl_tessellator_domain domain_quad
dcl_globalFlags refactoringAllowed
dcl_constantbuffer cb1[1], immediateIndexed
dcl_input vpc6.x
dcl_input vDomain.xy
dcl_input vicp[1][0].xy
dcl_output_siv o0.xyzw, position
dcl_output o1.x
mad o0.xy, vDomain.xyxx, cb1[0].xyxx, vicp[0][0].xyxx
mov o0.zw, l(0, 0, 0.5, 1.0)
mov o1.x, vpc6.x
ret
"""

SHADERS = {"vs": KEEP, "hs": DIVIDE, "ds": SPREAD, "ps": NUMBERED}
OPTIONS = {"inputs": PLACE, "topology": "1_CONTROL_POINT_PATCHLIST", "targets": ["R32_UINT"]}
# The upper left corners of pixels of a target of four by four, from which squares of four pixels go.
CORNERS = np.array([((-1, 1),), ((0, 0.5),)], PLACE)
FACTOR, EXTENT = np.array([2, 0, 0, 0], np.float32), np.array([1, -1, 0, 0], np.float32)


def test_patches_become_squares(device: brolga.Device) -> None:
    """Each patch is divided into four parts, which are two triangles each, with nine points."""
    pipeline, target = device.pipeline(**SHADERS, **OPTIONS), np.zeros((4, 4), np.uint32)
    # One dict binds for all shaders.
    [did] = device.draw([pipeline.draw(vertices=[CORNERS], bindings={"b0": FACTOR, "b1": EXTENT})], [target])
    assert target.tolist() == [[1, 1, 0, 0], [1, 1, 2, 2], [0, 0, 2, 2], [0] * 4]
    assert (did["vertices"], did["primitives"], did["vertex_invocations"]) == (2, 2, 2)
    assert (did["hull_invocations"], did["domain_invocations"]) == (2, 18)
    assert (did["geometry_invocations"], did["clipper_invocations"], did["samples"]) == (0, 16, 8)


def test_vertices_of_domain_shaders_are_streamed_out(device: brolga.Device) -> None:
    """Triangles of a square, two for each of its four parts; all corners are a multiple of half its sides."""
    point = np.dtype([("SV_Position", "f4", 4), ("NUMBER3", "u4")])
    pipeline = device.pipeline(**{**SHADERS, "ps": None}, **{**OPTIONS, "targets": []}, stream_output=point)
    kept = np.zeros(24, point)
    bindings = {"b0": FACTOR, "b1": EXTENT}
    [did] = device.draw([pipeline.draw(1, first=1, vertices=[CORNERS], bindings=bindings, stream_targets=[kept])], [])
    assert did["streams"][0] == {"written": 8, "needed": 8}
    corners = {(x / 2, 0.5 - y / 2, 0.5, 1) for x in range(3) for y in range(3)}
    assert {tuple(map(float, position)) for position in kept["SV_Position"]} == corners
    assert not kept["NUMBER3"].any()


def test_shaders_that_do_not_fit_are_refused(device: brolga.Device) -> None:
    for options, words in [
        ({"ds": None}, "tessellation: the pipeline has a hull shader, but no domain shader"),
        ({"hs": None}, "tessellation: the pipeline has a domain shader, but no hull shader"),
        ({"hs": SPREAD}, "the pipeline's hull shader is a domain shader"),
        ({"topology": "2_CONTROL_POINT_PATCHLIST"}, "patches of 1 control point"),
        ({"topology": "POINTLIST"}, "but the topology is POINTLIST"),
    ]:
        with pytest.raises(brolga.CallError, match=words):
            device.pipeline(**{**SHADERS, **OPTIONS, **options})
    pipeline, target = device.pipeline(**SHADERS, **OPTIONS), np.zeros((4, 4), np.uint32)
    for bindings, words in [({"b1": EXTENT}, "the hull shader: b0"), ({"b0": FACTOR}, "the domain shader: b1")]:
        with pytest.raises(brolga.BindingError, match=words):
            device.draw([pipeline.draw(vertices=[CORNERS], bindings=bindings)], [target])
