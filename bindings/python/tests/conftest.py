"""What all tests share: a device, and shaders as listings."""

import signal
from pathlib import Path

import pytest

import brolga

# Where tests run in the background, interrupts are ignored, and would be in the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"

DOUBLE = """
cs_5_0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
ishl r0.x, vThreadID.x, l(2)
ld_raw r0.y, r0.x, u0.xxxx
add r0.y, r0.y, r0.y
store_raw u0.x, r0.x, r0.y
ret
"""

# The last of 4,096 groups never ends.
ENDLESS = """
cs_5_0
dcl_uav_raw u0
dcl_input vThreadGroupID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
ishl r0.x, vThreadGroupID.x, l(2)
store_raw u0.x, r0.x, vThreadGroupID.x
ieq r0.y, vThreadGroupID.x, l(4095)
loop
  breakc_z r0.y
endloop
ret
"""

TINY = """
cs_5_0
dcl_uav_raw u0
dcl_thread_group 1, 1, 1
store_raw u0.x, l(0), l(7)
ret
"""

# The head of a signature.
ROWS = """
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------"""

# Passes the place of a vertex on.
KEEP = f"""
// Input signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
//
// Output signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
//
vs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v0.xy
dcl_output o0.xy
mov o0.xy, v0.xyxx
ret
"""

# One more than the number.
NUMBERED = f"""
// Input signature:
//{ROWS}
// SV_Position              0   xyzw        0      POS   float
// NUMBER                   3   x           1     NONE    uint   x
//
// Output signature:
//{ROWS}
// SV_Target                0   x           0   TARGET    uint   x
//
ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps constant v1.x
dcl_output o0.x
iadd o0.x, v1.x, l(1)
ret
"""


@pytest.fixture(scope="session")
def device() -> brolga.Device:
    return brolga.Device(threads=2)


@pytest.fixture(scope="session")
def double(device: brolga.Device) -> brolga.Shader:
    return device.compile(DOUBLE)


@pytest.fixture(scope="session")
def endless(device: brolga.Device) -> brolga.Shader:
    return device.compile(ENDLESS)
