//! Tests every instruction in every version that has it: values in, value out, ordinary and edge ones.
//!
//! Expectations are worked out from the page of the reference that a row names, `asm` standing for the pages on
//! registers and modifiers; where pages say nothing, the row names the choice in `docs/direct3d9.md`. In the text of a
//! row `%a`, `%b` and `%c` are registers with the three operands of each case, r0 is the result.

use std::collections::BTreeSet;

use brolga_bytecode::sm3::ops::Class;
use brolga_bytecode::sm3::{Op, Version};
use brolga_bytecode::sm5::Stage;
use brolga_ir::translate::sm3::{FloatRules, TranslateOptions};

use super::run::{Constants, Shader, assembled};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
const MAX: f32 = f32::MAX;

/// The tolerance of a result.
#[derive(Clone, Copy)]
enum Bound {
    /// Equal; a zero of either sign is one.
    Exact,
    /// Off by at most this many bits of the mantissa, or of 1 if it is smaller.
    Bits(i32),
    /// Off by at most this much.
    Within(f32),
}

use Bound::{Bits, Exact, Within};

/// Operands in, result out. Components that the text does not write begin at 0.
type Case = ([[f32; 4]; 3], [f32; 4]);

struct Row {
    page: &'static str,
    rules: FloatRules,
    bound: Bound,
    /// The first and the last version, if not all have the instructions.
    versions: Option<[Version; 2]>,
    text: &'static str,
    cases: Vec<Case>,
}

fn all(x: f32) -> [f32; 4] {
    [x; 4]
}

/// A case with one operand.
fn one(a: [f32; 4], result: [f32; 4]) -> Case {
    ([a, all(0.0), all(0.0)], result)
}

fn two(a: [f32; 4], b: [f32; 4], result: [f32; 4]) -> Case {
    ([a, b, all(0.0)], result)
}

fn three(a: [f32; 4], b: [f32; 4], c: [f32; 4], result: [f32; 4]) -> Case {
    ([a, b, c], result)
}

/// Cases of a scalar instruction on `%a.w`, whose result is in all components.
fn scalars(cases: &[(f32, f32)]) -> Vec<Case> {
    cases.iter().map(|&(x, result)| one([7.0, 8.0, 9.0, x], all(result))).collect()
}

fn row(page: &'static str, text: &'static str, bound: Bound, cases: Vec<Case>) -> Row {
    Row { page, rules: FloatRules::Direct3D9, bound, versions: None, text, cases }
}

impl Row {
    fn ieee(self) -> Self {
        Self { rules: FloatRules::Ieee, ..self }
    }

    fn finite(self) -> Self {
        Self { rules: FloatRules::Direct3D9Finite, ..self }
    }

    fn only(self, first: Version, last: Version) -> Self {
        Self { versions: Some([first, last]), ..self }
    }
}

/// Operands and results that pixel shaders 1.x can have too: `%c` is a constant there, of -1 to 1.
fn arithmetic() -> Vec<Row> {
    let (a, b, c) = ([1.0, -0.5, 0.25, 3.0], [0.5, 2.0, -4.0, 0.125], [0.75, -1.0, 0.5, 0.0]);
    vec![
        row("mov.md", "mov r0, %a", Exact, vec![one(a, a), one([NAN, INF, -INF, -0.0], [NAN, INF, -INF, 0.0])]),
        row(
            "add.md",
            "add r0, %a, %b",
            Exact,
            vec![
                two(a, b, [1.5, 1.5, -3.75, 3.125]),
                two([INF, INF, NAN, MAX], [1.0, -INF, 0.0, MAX], [INF, NAN, NAN, INF]),
            ],
        ),
        row("sub.md", "sub r0, %a, %b", Exact, vec![two(a, b, [0.5, -2.5, 4.25, 2.875])]),
        row(
            "mul.md",
            "mul r0, %a, %b",
            Exact,
            vec![
                two(a, b, [0.5, -1.0, -1.0, 0.375]),
                // docs: zero times anything is zero.
                two([0.0, -0.0, INF, NAN], [INF, NAN, 0.0, -0.0], all(0.0)),
                two([INF, NAN, -INF, MAX], [2.0, 1.0, -3.0, 2.0], [INF, NAN, INF, INF]),
                // A denormal is a zero.
                two([1e-40, INF, NAN, 0.0], [INF, 1e-40, -1e-40, 0.0], all(0.0)),
            ],
        ),
        row(
            "mul.md",
            "mul r0, %a, %b",
            Exact,
            vec![two(a, b, [0.5, -1.0, -1.0, 0.375]), two([0.0, -0.0, INF, NAN], [INF, NAN, 0.0, -0.0], all(NAN))],
        )
        .ieee(),
        row(
            "mad.md",
            "mad r0, %a, %b, %c",
            Exact,
            vec![
                three(a, b, c, [1.25, -2.0, -0.5, 0.375]),
                three([0.0, INF, 2.0, NAN], [INF, 0.0, INF, 3.0], [1.0, -1.0, 0.5, 0.5], [1.0, -1.0, INF, NAN]),
            ],
        ),
        row(
            "mad.md",
            "mad r0, %a, %b, %c",
            Exact,
            vec![three([0.0, INF, 2.0, 1.0], [INF, 0.0, 3.0, 3.0], [1.0, -1.0, 0.5, 0.5], [NAN, NAN, 6.5, 3.5])],
        )
        .ieee(),
        row(
            "dp3.md",
            "dp3 r0, %a, %b",
            Exact,
            vec![two(a, b, all(0.5 - 1.0 - 1.0)), two([0.0, 1.0, 2.0, NAN], [INF, 3.0, 4.0, NAN], all(11.0))],
        ),
        row(
            "dp3.md",
            "dp3 r0, %a, %b",
            Exact,
            vec![two([0.0, 1.0, 2.0, NAN], [INF, 3.0, 4.0, NAN], all(NAN)), two(a, b, all(-1.5))],
        )
        .ieee(),
        row(
            "dp4.md",
            "dp4 r0, %a, %b",
            Exact,
            vec![two(a, b, all(-1.125)), two([0.0, 1.0, NAN, INF], [INF, 3.0, 0.0, 0.0], all(3.0))],
        ),
        row(
            "lrp.md",
            "lrp r0, %c, %a, %b",
            Exact,
            vec![
                // s0 * (s1 - s2) + s2
                three(a, b, c, [0.875, 4.5, -1.875, 0.125]),
                three([INF, 1.0, 2.0, 3.0], all(4.0), [0.0, 0.0, 1.0, 0.5], [4.0, 4.0, 2.0, 3.5]),
            ],
        ),
        row(
            "cmp.md",
            "cmp r0, %a, %b, %c",
            Exact,
            vec![three(a, b, c, [0.5, -1.0, -4.0, 0.125]), three([0.0, -0.0, NAN, -1e-30], b, c, [0.5, 2.0, 0.5, 0.0])],
        ),
        row(
            "cnd.md",
            "cnd r0, %a, %b, %c",
            Exact,
            vec![three(a, b, c, [0.5, -1.0, 0.5, 0.125]), three([0.5, 0.50001, NAN, 0.4], b, c, [0.75, 2.0, 0.5, 0.0])],
        )
        .only(Version::Ps1_4, Version::Ps1_4),
        row(
            "cnd.md",
            "mov r0, %a\ncnd r0, r0.a, %b, %c",
            Exact,
            vec![three([0.0, 0.0, 0.0, 0.51], b, c, b), three([1.0, 1.0, 1.0, 0.5], b, c, c)],
        )
        .only(Version::Ps1_1, Version::Ps1_3),
        // docs: beside an instruction for alpha it is a move of the second source; alone for alpha it chooses.
        row(
            "cnd.md",
            "mov r0, %a\nadd r1.a, r0, r0\n+cnd r0.rgb, r0.a, %b, %c\nmov r0.a, %c",
            Exact,
            [0.51, 0.5].map(|alpha| three([0.0, 0.0, 0.0, alpha], b, c, [b[0], b[1], b[2], c[3]])).to_vec(),
        )
        .only(Version::Ps1_1, Version::Ps1_3),
        row(
            "cnd.md",
            "mov r0, %a\nadd r1.rgb, r0, r0\n+cnd r1.a, r0.a, %b, %c\nmov r0.a, r1",
            Exact,
            vec![
                three([0.0, 0.0, 0.0, 0.51], b, c, [0.0, 0.0, 0.0, b[3]]),
                three(all(0.5), b, c, [0.5, 0.5, 0.5, c[3]]),
            ],
        )
        .only(Version::Ps1_1, Version::Ps1_3),
        row(
            "cnd.md",
            "mov r0, %a\nadd r1.a, r0, r0\n+cnd r0.rgb, r0, %b, %c\nmov r0.a, %c",
            Exact,
            vec![three([0.51, 0.5, 0.51, 0.0], b, c, [b[0], c[1], b[2], c[3]])],
        )
        .only(Version::Ps1_4, Version::Ps1_4),
        row("nop.md", "mov r0, %a\nnop", Exact, vec![one(a, a)]),
        row("phase.md", "mov r0, %c\nphase\nmov r0, r0", Exact, vec![three(a, b, c, c)]),
    ]
}

fn components() -> Vec<Row> {
    let (a, b) = ([1.5, -0.5, 0.0, 3.0], [0.5, -0.5, -4.0, 3.0]);
    vec![
        row(
            "min.md",
            "min r0, %a, %b",
            Exact,
            vec![
                two(a, b, [0.5, -0.5, -4.0, 3.0]),
                two([INF, -INF, NAN, 1.0], [1.0, 1.0, 2.0, NAN], [1.0, -INF, 2.0, 1.0]),
            ],
        ),
        row(
            "max.md",
            "max r0, %a, %b",
            Exact,
            vec![
                two(a, b, [1.5, -0.5, 0.0, 3.0]),
                two([INF, -INF, NAN, 1.0], [1.0, 1.0, 2.0, NAN], [INF, 1.0, 2.0, 1.0]),
            ],
        ),
        row(
            "slt.md",
            "slt r0, %a, %b",
            Exact,
            vec![
                two(a, b, [0.0; 4]),
                two(b, a, [1.0, 0.0, 1.0, 0.0]),
                two([NAN, 1.0, -INF, -0.0], [1.0, NAN, INF, 0.0], [0.0, 0.0, 1.0, 0.0]),
            ],
        ),
        row(
            "sge.md",
            "sge r0, %a, %b",
            Exact,
            vec![
                two(a, b, all(1.0)),
                two(b, a, [0.0, 1.0, 0.0, 1.0]),
                two([NAN, 1.0, -INF, -0.0], [1.0, NAN, INF, 0.0], [0.0, 0.0, 0.0, 1.0]),
            ],
        ),
        row("abs.md", "abs r0, %a", Exact, vec![one([-1.5, 2.0, -INF, -0.0], [1.5, 2.0, INF, 0.0])]),
        row(
            "sgn.md",
            "sgn r0, %a, r1, r2",
            Exact,
            vec![
                one([-1.5, 2.0, -0.0, 0.0], [-1.0, 1.0, 0.0, 0.0]),
                one([-INF, INF, 1e-40, -1e-30], [-1.0, 1.0, 0.0, -1.0]),
            ],
        ),
        row(
            "frc.md",
            "frc r0.xy, %a",
            Exact,
            vec![one([1.25, -1.25, 0.0, 0.0], [0.25, 0.75, 0.0, 0.0]), one([-3.0, 1e9, 0.0, 0.0], [0.0; 4])],
        ),
        row(
            "lit.md",
            "lit r0, %a",
            Bits(16),
            vec![
                // dest = (1, diffuse, specular, 1)
                one([0.5, 0.5, 9.0, 3.0], [1.0, 0.5, 0.125, 1.0]),
                one([-0.5, 0.5, 9.0, 3.0], [1.0, 0.0, 0.0, 1.0]),
                one([0.5, -0.5, 9.0, 3.0], [1.0, 0.5, 0.0, 1.0]),
                one([0.0, 0.5, 9.0, 3.0], [1.0, 0.0, 0.0, 1.0]),
                // The power is clamped to 127.9961: 2^-127.9961 is too small for a number.
                one([1.0, 0.5, 9.0, 1000.0], [1.0, 1.0, 0.0, 1.0]),
                one([1.0, 1.0, 9.0, -1000.0], [1.0, 1.0, 1.0, 1.0]),
                one([2.0, 0.25, 9.0, 0.0], [1.0, 2.0, 1.0, 1.0]),
            ],
        ),
        row("lit.md", "lit r0, %a", Within(1e38), vec![one([1.0, 2.0, 9.0, 1000.0], [1.0, 1.0, 3.39e38, 1.0])]),
        row(
            "dst.md",
            "dst r0, %a, %b",
            Exact,
            vec![
                two([9.0, 2.0, 3.0, 8.0], [8.0, 5.0, 7.0, 6.0], [1.0, 10.0, 3.0, 6.0]),
                two([9.0, 0.0, 3.0, 8.0], [8.0, INF, 7.0, 6.0], [1.0, 0.0, 3.0, 6.0]),
            ],
        ),
        row(
            "crs.md",
            "crs r0.xyz, %a, %b",
            Exact,
            vec![
                two([1.0, 2.0, 3.0, 9.0], [4.0, 5.0, 7.0, 9.0], [-1.0, 5.0, -3.0, 0.0]),
                two([0.0, 1.0, 2.0, 0.0], [INF, 4.0, 8.0, 0.0], [0.0, INF, -INF, 0.0]),
            ],
        ),
        row(
            "nrm.md",
            "nrm r0, %a",
            Bits(21),
            vec![
                one([3.0, 0.0, 4.0, 10.0], [0.6, 0.0, 0.8, 2.0]),
                // An infinite factor where the length is 0, and zero times that is zero.
                one([0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, INF]),
            ],
        ),
        row("nrm.md", "nrm r0, %a", Exact, vec![one([0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, MAX * 0.5])]).finite(),
        row("nrm.md", "nrm r0.xyz, %a", Exact, vec![one([0.0, 0.0, 0.0, 0.5], [NAN, NAN, NAN, 0.0])]).ieee(),
        row(
            "dp2add.md",
            "dp2add r0, %a, %b, %c.z",
            Exact,
            vec![
                three([1.0, 2.0, 9.0, 9.0], [3.0, 4.0, 9.0, 9.0], [9.0, 9.0, 0.5, 9.0], all(11.5)),
                three([0.0, 2.0, 9.0, 9.0], [INF, 4.0, 9.0, 9.0], [9.0, 9.0, 0.5, 9.0], all(8.5)),
            ],
        ),
    ]
}

fn functions() -> Vec<Row> {
    use Version::{Vs1_0, Vs1_1, Vs2_0, Vs3Sw};
    vec![
        row(
            "rcp.md",
            "rcp r0, %a.w",
            Bits(22),
            scalars(&[(2.0, 0.5), (-4.0, -0.25), (3.0, 1.0 / 3.0), (INF, 0.0), (NAN, NAN)]),
        ),
        // "A source of 0.0 yields infinity"; the formula beside it, FLT_MAX, is the other rules'.
        row("rcp.md", "rcp r0, %a.w", Exact, scalars(&[(1.0, 1.0), (0.0, INF), (-0.0, INF), (1e-40, INF)])),
        row("rcp.md", "rcp r0, %a.w", Exact, scalars(&[(2.0, 0.5), (0.0, MAX), (-0.0, MAX), (1e-40, MAX)])).finite(),
        row("rcp.md", "rcp r0, %a.w", Exact, scalars(&[(0.0, INF), (-0.0, -INF), (2.0, 0.5)])).ieee(),
        row("rsq.md", "rsq r0, %a.w", Bits(22), scalars(&[(4.0, 0.5), (-4.0, 0.5), (2.0, 0.5f32.sqrt()), (INF, 0.0)])),
        row("rsq.md", "rsq r0, %a.w", Exact, scalars(&[(1.0, 1.0), (0.0, INF), (-0.0, INF)])),
        row("rsq.md", "rsq r0, %a.w", Exact, scalars(&[(4.0, 0.5), (0.0, MAX), (-0.0, MAX), (1e-40, MAX)])).finite(),
        row("rsq.md", "rsq r0, %a.w", Exact, scalars(&[(0.0, INF), (-0.0, INF), (-4.0, 0.5)])).ieee(),
        row(
            "exp.md",
            "exp r0, %a.w",
            Bits(21),
            scalars(&[(0.0, 1.0), (3.0, 8.0), (-2.0, 0.25), (0.5, std::f32::consts::SQRT_2), (-INF, 0.0), (NAN, NAN)]),
        ),
        // "(float)pow(2, src)" does not fit into a float.
        row("exp.md", "exp r0, %a.w", Exact, scalars(&[(128.0, INF), (INF, INF), (1e10, INF), (-1000.0, 0.0)])),
        row("exp.md", "exp r0, %a.w", Exact, scalars(&[(128.0, MAX), (INF, MAX), (1e10, MAX), (-1000.0, 0.0)]))
            .finite(),
        row("exp.md", "exp r0, %a.w", Exact, scalars(&[(128.0, INF), (INF, INF)])).ieee(),
        row(
            "log.md",
            "log r0, %a.w",
            Bits(21),
            scalars(&[(1.0, 0.0), (8.0, 3.0), (-8.0, 3.0), (0.125, -3.0), (INF, INF)]),
        ),
        row("log.md", "log r0, %a.w", Exact, scalars(&[(0.0, -MAX), (-0.0, -MAX)])),
        row("log.md", "log r0, %a.w", Exact, scalars(&[(0.0, -INF), (-4.0, 2.0)])).ieee(),
        row(
            "logp.md",
            "logp r0, %a.w",
            Bits(10),
            scalars(&[(8.0, 3.0), (-8.0, 3.0), (0.125, -3.0), (10.0, std::f32::consts::LOG2_10)]),
        ),
        row("logp.md", "logp r0, %a.w", Exact, scalars(&[(0.0, -MAX)])),
        row("expp.md", "expp r0, %a.w", Bits(10), scalars(&[(3.0, 8.0), (-0.5, 0.70710677)])).only(Vs2_0, Vs3Sw),
        row(
            "expp.md",
            "expp r0, %a.w",
            Bits(10),
            vec![one(all(2.5), [4.0, 0.5, 5.656854, 1.0]), one(all(-0.25), [0.5, 0.75, 0.8408964, 1.0])],
        )
        .only(Vs1_0, Vs1_1),
        row(
            "pow.md",
            "pow r0, %a.x, %b.y",
            Bits(15),
            vec![
                two([2.0, 9.0, 9.0, 9.0], [9.0, 3.0, 9.0, 9.0], all(8.0)),
                two([-2.0, 9.0, 9.0, 9.0], [9.0, -2.0, 9.0, 9.0], all(0.25)),
                two([0.0, 9.0, 9.0, 9.0], [9.0, 2.0, 9.0, 9.0], all(0.0)),
                // Anything to the power of 0.
                two([0.0, 9.0, 9.0, 9.0], [9.0, 0.0, 9.0, 9.0], all(1.0)),
                two([INF, 9.0, 9.0, 9.0], [9.0, 0.0, 9.0, 9.0], all(1.0)),
                two([0.0, 9.0, 9.0, 9.0], [9.0, -1.0, 9.0, 9.0], all(INF)),
            ],
        ),
        row(
            "pow.md",
            "pow r0, %a.x, %b.y",
            Bits(15),
            vec![
                two([0.0, 9.0, 9.0, 9.0], [9.0, 0.0, 9.0, 9.0], all(1.0)),
                two([0.0, 9.0, 9.0, 9.0], [9.0, -1.0, 9.0, 9.0], all(INF)),
            ],
        )
        .ieee(),
        row(
            "sincos.md",
            "sincos r0.xy, %a.x, %b, %c",
            Within(0.002),
            vec![
                one([0.0; 4], [1.0, 0.0, 0.0, 0.0]),
                one(all(std::f32::consts::FRAC_PI_3), [0.5, 0.8660254, 0.0, 0.0]),
                one(all(-std::f32::consts::PI), [-1.0, 0.0, 0.0, 0.0]),
            ],
        ),
        row(
            "sincos.md",
            "sincos r0.xy, %a.x",
            Within(0.002),
            vec![
                one([0.0; 4], [1.0, 0.0, 0.0, 0.0]),
                one(all(-std::f32::consts::FRAC_PI_3), [0.5, -0.8660254, 0.0, 0.0]),
            ],
        ),
        row("sincos.md", "sincos r0.y, %a.x", Within(0.002), vec![one(all(1.0), [0.0, 0.841471, 0.0, 0.0])]),
    ]
}

/// The rows of the matrix are c20 and those after it.
fn matrices() -> Vec<Row> {
    let vector = [1.0, 2.0, 3.0, 4.0];
    let case = |result| vec![one(vector, result)];
    vec![
        row("m4x4.md", "m4x4 r0, %a, c20", Exact, case([30.0, 70.0, 110.0, 150.0])),
        row("m4x3.md", "m4x3 r0.xyz, %a, c20", Exact, case([30.0, 70.0, 110.0, 0.0])),
        row("m3x4.md", "m3x4 r0, %a, c20", Exact, case([14.0, 38.0, 62.0, 86.0])),
        row("m3x3.md", "m3x3 r0.xyz, %a, c20", Exact, case([14.0, 38.0, 62.0, 0.0])),
        row("m3x2.md", "m3x2 r0.xy, %a, c20", Exact, case([14.0, 38.0, 0.0, 0.0])),
    ]
}

fn modifiers() -> Vec<Row> {
    use Version::{Ps1_1, Ps1_4, Ps2_0, Ps3Sw, Vs3_0, Vs3Sw};
    let a = [1.0, -0.5, 0.25, 3.0];
    let (last_ps_1_3, first_vs_1) = (Version::Ps1_3, Version::Vs1_1);
    vec![
        row("asm", "mov r0, -%a", Exact, vec![one(a, [-1.0, 0.5, -0.25, -3.0])]),
        row("asm", "mov r0, %a.w", Exact, vec![one(a, all(3.0))]),
        row("asm", "mov r0, %a.wzyx", Exact, vec![one(a, [3.0, 0.25, -0.5, 1.0])]).only(first_vs_1, Vs3Sw),
        row("asm", "mov r0, %a.yzxw", Exact, vec![one(a, [-0.5, 0.25, 1.0, 3.0])]).only(Ps2_0, Ps3Sw),
        row("asm", "mov r0, %b\nmov r0.w, %a.x", Exact, vec![two(a, all(9.0), [9.0, 9.0, 9.0, 1.0])])
            .only(first_vs_1, Vs3Sw),
        row("asm", "mov r0, %a_abs", Exact, vec![one(a, [1.0, 0.5, 0.25, 3.0])]).only(Vs3_0, Vs3Sw),
        row("asm", "mov r0, -%a_abs", Exact, vec![one(a, [-1.0, -0.5, -0.25, -3.0])]).only(Version::Ps3_0, Ps3Sw),
        row(
            "asm",
            "mov_sat r0, %a",
            Exact,
            vec![one(a, [1.0, 0.0, 0.25, 1.0]), one([NAN, INF, -INF, 0.5], [0.0, 1.0, 0.0, 0.5])],
        )
        .only(Ps1_1, Ps3Sw),
        row("asm", "mov_sat r0, %a", Exact, vec![one(a, [1.0, 0.0, 0.25, 1.0])]).only(Vs3_0, Vs3Sw),
        row("asm", "mov r0, %a_bias", Exact, vec![one(a, [0.5, -1.0, -0.25, 2.5])]).only(Ps1_1, Ps1_4),
        row("asm", "mov r0, -%a_bias", Exact, vec![one(a, [-0.5, 1.0, 0.25, -2.5])]).only(Ps1_1, Ps1_4),
        row("asm", "mov r0, %a_bx2", Exact, vec![one(a, [1.0, -2.0, -0.5, 5.0])]).only(Ps1_1, Ps1_4),
        row("asm", "mov r0, -%a_bx2", Exact, vec![one(a, [-1.0, 2.0, 0.5, -5.0])]).only(Ps1_1, Ps1_4),
        row("asm", "mov r0, 1-%a", Exact, vec![one(a, [0.0, 1.5, 0.75, -2.0])]).only(Ps1_1, Ps1_4),
        row("asm", "mov r0, %a_x2", Exact, vec![one(a, [2.0, -1.0, 0.5, 6.0])]).only(Ps1_4, Ps1_4),
        row("asm", "mov r0, -%a_x2", Exact, vec![one(a, [-2.0, 1.0, -0.5, -6.0])]).only(Ps1_4, Ps1_4),
        row("asm", "mov_x2 r0, %a", Exact, vec![one(a, [2.0, -1.0, 0.5, 6.0])]).only(Ps1_1, Ps1_4),
        row("asm", "mov_x4 r0, %a", Exact, vec![one(a, [4.0, -2.0, 1.0, 12.0])]).only(Ps1_1, Ps1_4),
        row("asm", "mov_d2 r0, %a", Exact, vec![one(a, [0.5, -0.25, 0.125, 1.5])]).only(Ps1_1, Ps1_4),
        row("asm", "mov_x8 r0, %a", Exact, vec![one(a, [8.0, -4.0, 2.0, 24.0])]).only(Ps1_4, Ps1_4),
        row("asm", "mov_d8 r0, %a", Exact, vec![one(a, [0.125, -0.0625, 0.03125, 0.375])]).only(Ps1_4, Ps1_4),
        // The shift comes first.
        row("asm", "mov_x2_sat r0, %a", Exact, vec![one(a, [1.0, 0.0, 0.5, 1.0])]).only(Ps1_1, Ps1_4),
        // Constants of ps_1_x are clamped to -1 to 1.
        row("asm", "mov r0, %c", Exact, vec![three(a, a, [2.0, -3.0, 0.5, NAN], [1.0, -1.0, 0.5, -1.0])])
            .only(Ps1_1, Ps1_4),
        row("asm", "mov r0, c6", Exact, vec![one(a, [1.0, -1.0, 0.25, 0.0])]).only(Ps1_1, Ps1_4),
        row("asm", "mov r0, c6", Exact, vec![one(a, [2.0, -3.0, 0.25, 0.0])]).only(Ps2_0, Ps3Sw),
        // Both instructions of a pair read the values from before it.
        row(
            "asm",
            "mov r0, %a\nmov r0.rgb, %b\n+ mov r0.a, r0.b",
            Exact,
            vec![two(a, all(0.75), [0.75, 0.75, 0.75, 0.25])],
        )
        .only(Ps1_1, last_ps_1_3),
    ]
}

/// The operands' registers: pixel shaders 1.x have two inputs, and read one constant more.
fn operands(version: Version) -> [&'static str; 3] {
    if version.stage() == Stage::Pixel && version.major() == 1 { ["v0", "v1", "c0"] } else { ["c10", "c11", "c12"] }
}

fn result(version: Version) -> &'static str {
    match (version.stage(), version.major()) {
        (Stage::Vertex, 3) => "mov o0, r0\nmov o1, r0",
        (Stage::Vertex, _) => "mov oPos, r0\nmov oT0, r0",
        (_, 1) => "",
        _ => "mov oC0, r0",
    }
}

/// The program of a row, and the register of its result.
fn program(row: &Row, version: Version) -> String {
    let declarations = match (version.stage(), version.major()) {
        (Stage::Vertex, 3) => "dcl_position v0\ndcl_position o0\ndcl_texcoord o1",
        (Stage::Vertex, _) => "dcl_position v0",
        _ => "",
    };
    let number = "def c6, 2, -3, 0.25, 0";
    let mut text = row.text.to_owned();
    for (name, register) in ["%a", "%b", "%c"].into_iter().zip(operands(version)) {
        text = text.replace(name, register);
    }
    // Components that the row does not write begin at 0.
    let zero = if row.text.contains("r0,") { "" } else { "sub r0, c6, c6" };
    format!("{}\n{declarations}\n{number}\n{zero}\n{text}\n{}", version.text(), result(version))
}

fn is_near(bound: Bound, got: f32, want: f32) -> bool {
    if got == want || got.is_nan() && want.is_nan() {
        return true;
    }
    let off = (f64::from(got) - f64::from(want)).abs();
    match bound {
        Exact => false,
        Bits(bits) => off <= f64::from(want).abs().max(1e-30) * 2f64.powi(-bits),
        Within(most) => off <= f64::from(most),
    }
}

fn instructions(text: &str) -> Vec<Op> {
    let items = assembled(text).program().items.clone();
    let instruction = |item: &brolga_bytecode::sm3::Item| match &item.kind {
        brolga_bytecode::sm3::ItemKind::Instruction(instruction) => Some(instruction.op),
        _ => None,
    };
    items.iter().filter_map(instruction).collect()
}

/// The versions in which a row is run.
fn versions(row: &Row) -> impl Iterator<Item = Version> {
    let [first, last] = row.versions.unwrap_or([Version::Vs1_0, Version::Ps3Sw]);
    Version::ALL.iter().copied().filter(move |version| (first..=last).contains(version))
}

/// Instructions that other tests run: flow control and textures.
fn is_tested_here(op: Op) -> bool {
    let others = [Op::MovA, Op::DsX, Op::DsY, Op::SetP, Op::Bem];
    op.info().class == Class::Arithmetic && !others.contains(&op)
}

#[test]
fn arithmetic_is_as_its_pages_say_in_every_version() {
    let rows = [arithmetic(), components(), functions(), matrices(), modifiers()].into_iter().flatten();
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for row in rows {
        let mut is_run = false;
        for version in versions(&row) {
            let text = program(&row, version);
            // A row without versions is run where its instructions exist.
            let limits = brolga_bytecode::Limits::default();
            if row.versions.is_none() && brolga_bytecode::sm3::assemble(&text, &limits).is_err() {
                continue;
            }
            is_run = true;
            seen.extend(instructions(&text).into_iter().map(|op| (op as usize, version)));
            let mut options = TranslateOptions::default();
            options.float_rules = row.rules;
            let shader = Shader::new(&text, &options);
            for (values, want) in &row.cases {
                let mut constants = Constants { floats: vec![[0.0; 4]; 24], ..Constants::default() };
                let mut inputs = Vec::new();
                for (register, &value) in operands(version).into_iter().zip(values) {
                    match register.strip_prefix('c') {
                        Some(number) => constants.floats[number.parse::<usize>().unwrap()] = value,
                        None if text.contains(register) => inputs.push((register, value)),
                        None => {}
                    }
                }
                for n in 0..4 {
                    constants.floats[20 + n] = std::array::from_fn(|m| (4 * n + m + 1) as f32);
                }
                let row_of_result = usize::from(version.stage() == Stage::Vertex);
                let got = shader.run_one(&constants, &inputs).row(row_of_result);
                if !got.iter().zip(want).all(|(&got, &want)| is_near(row.bound, got, want)) {
                    wrong.push(format!(
                        "{}: {version:?} {:?} of {values:?} gives {got:?}, not {want:?}",
                        row.page, row.text
                    ));
                }
            }
        }
        assert!(is_run, "no version has {}", row.text);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for &op in Op::ALL.iter().filter(|&&op| is_tested_here(op)) {
        for &version in Version::ALL.iter().filter(|&&version| op.info().versions.contains(version)) {
            assert!(seen.contains(&(op as usize, version)), "no row runs {op} in {version:?}");
        }
    }
}
