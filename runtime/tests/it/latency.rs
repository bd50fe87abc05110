//! Measures how long after its limit a run or a compilation ends, for many kinds of expensive work: in machine code, in
//! helpers, in the interpreter, between groups, while compiling.
//!
//! Not part of the usual run, since a busy machine may be late. `scripts/long.sh stop` prints the table.

use std::fmt::Write;
use std::time::{Duration, Instant};

use brolga_runtime::{
    AddressMode, Bindings, BoundShader, CancelToken, CompileOptions, Counter, Device, Dimension, Dispatch, Engine,
    Error, Filter, Format, Register, Sampler, TextureShape, View,
};
use brolga_testing::run::assemble;

use crate::support::ENGINES;

/// The time limit of each run.
const LIMIT: Duration = Duration::from_millis(150);

/// Longest delay after which a run may end.
const MOST_LATE: Duration = Duration::from_millis(100);

/// Runs of each kind, of which the median counts.
const TRIES: usize = 3;

/// A kind of work.
struct Kind {
    name: &'static str,
    /// Declarations beside `u0`, `t0` and `s0`.
    declarations: &'static str,
    group: [u32; 3],
    groups: [u32; 3],
    body: String,
}

impl Kind {
    /// A kind that does the work this many times in each iteration of an endless loop.
    fn rounds(name: &'static str, times: usize, work: &str) -> Self {
        Self::straight(name, 1, &format!("loop\n{}endloop\n", work.repeat(times)))
    }

    /// A kind that does the work this many times without a loop, in many groups.
    fn straight(name: &'static str, times: usize, work: &str) -> Self {
        Self { name, declarations: "", group: [1024, 1, 1], groups: [65535, 4, 1], body: work.repeat(times) }
    }

    fn declare(self, declarations: &'static str) -> Self {
        Self { declarations, ..self }
    }

    fn group(self, group: [u32; 3], groups: [u32; 3]) -> Self {
        Self { group, groups, ..self }
    }

    fn container(&self) -> Vec<u8> {
        let Self { declarations, group: [x, y, z], body, .. } = self;
        assemble(&format!(
            "cs_5_0
            {declarations}
            dcl_uav_raw u0
            dcl_input vThreadID.xyz
            dcl_temps 8
            dcl_thread_group {x}, {y}, {z}
            utof r0.xyzw, vThreadID.xyxx
            mul r0.xyzw, r0.xyzw, l(0.001, 0.002, 0.003, 0.004)
            {body}
            store_raw u0.x, vThreadID.x, r0.x
            ret"
        ))
    }
}

const TEXTURE_3D: &str = "dcl_sampler s0, mode_default\ndcl_resource_texture3d (float,float,float,float) t0";
const TEXTURE_2D: &str = "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0";
const TYPED: &str = "dcl_uav_typed_texture2d (float,float,float,float) u1";
const COUNTED: &str = "dcl_uav_structured_opc u2, 4";
const SHARED: &str = "dcl_tgsm_structured g0, 4, 1024";
const PRIVATE: &str = "dcl_indexableTemp x0[3000], 4";

const ANISOTROPIC_3D: &str = "sample_d_indexable(texture3d)(float,float,float,float) r1.xyzw, r0.xyzx, t0.xyzw, s0, \
    l(0.3,0.01,0.2,0), l(0.01,0.03,0.1,0)\nmad r0.xyzw, r1.xyzw, l(0.5,0.25,0.125,0.1), r0.yzwx\nfrc r0.xyzw, r0.xyzw\n";
const ANISOTROPIC_2D: &str = "sample_d_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyxx, t0.xyzw, s0, \
    l(0.3,0.01,0.2,0), l(0.01,0.03,0.1,0)\nmad r0.xyzw, r1.xyzw, l(0.5,0.25,0.125,0.1), r0.yzwx\nfrc r0.xyzw, r0.xyzw\n";
const LEVEL_0: &str = "sample_l_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyxx, t0.xyzw, s0, l(0)\n\
    mad r0.xyzw, r1.xyzw, l(0.5,0.25,0.125,0.1), r0.yzwx\nfrc r0.xyzw, r0.xyzw\n";
const TEXEL: &str = "and r2.xyzw, r0.xyzw, l(31, 31, 0, 0)\nld_indexable(texture2d)(float,float,float,float) r1.xyzw, r2.xyzw, \
    t0.xyzw\nadd r0.xyzw, r0.xyzw, r1.xyzw\n";
const TYPED_STORE: &str = "and r2.xyzw, r0.xyzw, l(31, 31, 31, 31)\nstore_uav_typed u1.xyzw, r2.xyyy, r0.xyzw\n\
    add r0.xyzw, r0.yzwx, l(1.0, 2.0, 3.0, 4.0)\n";
const ALU: &str = "sincos r1.xyzw, r2.xyzw, r0.xyzw\nmad r0.xyzw, r1.xyzw, r2.wzyx, l(0.1,0.2,0.3,0.4)\n";
const ATOMIC: &str = "imm_atomic_iadd r0.x, u0, l(0), r0.x\n";
const SCATTERED: &str = "and r0.x, r0.x, l(0xffffc)\nld_raw r1.x, r0.x, u0.xxxx\nimad r0.x, r0.x, l(1664525), r1.x\n\
    iadd r0.x, r0.x, l(1013904223)\n";
const COUNT: &str = "imm_atomic_alloc r0.x, u2\n";
const DOUBLE: &str = "ddiv r1.xyzw, r0.xyzw, d(1.5l,2.5l)\ndfma r0.xyzw, r1.xyzw, r0.zwxy, r0.xyzw\n";
const DIVIDE: &str = "udiv r1.xyzw, r2.xyzw, r0.xyzw, r0.yzwx\niadd r0.xyzw, r1.xyzw, r2.xyzw\n";
const BARRIER: &str =
    "store_structured g0.x, vThreadID.x, l(0), r0.x\nsync_g_t\nld_structured r0.x, r0.x, l(0), g0.xxxx\nsync_g_t\n";
const ARRAY: &str = "and r1.x, r0.x, l(2047)\nmov r2.xyzw, x0[r1.x + 0].xyzw\nadd r2.xyzw, r2.xyzw, r0.xyzw\n\
    mov x0[r1.x + 1].xyzw, r2.xyzw\niadd r0.x, r0.x, r2.y\n";
const QUERY: &str = "resinfo_indexable(texture2d)(float,float,float,float)_uint r1.xyzw, r0.x, t0.xyzw\n\
    iadd r0.x, r0.x, r1.x\n";
const DIVERGENT: &str = "and r1.x, r0.x, l(7)\nswitch r1.x\ncase l(0)\nsincos r1.x, r2.x, r0.x\nbreak\ncase l(1)\ncase l(2)\n\
    udiv r0.y, r0.z, r0.x, r0.y\nbreak\ndefault\nmad r0.x, r0.x, r0.y, r0.z\nbreak\nendswitch\niadd r0.x, r0.x, l(3)\n";

/// Loops in loops without an end; the outer ones end now and then.
fn nest(depth: u32) -> String {
    let (mut open, mut close) = (String::new(), String::new());
    for n in 0..depth {
        let _ = write!(open, "loop\niadd r1.x, r1.x, l(1)\nilt r7.x, r1.x, l({})\nbreakc_z r7.x\n", 100 * n);
        close.push_str("endloop\n");
    }
    format!("loop\nmov r1.x, l(0)\n{open}iadd r0.x, r0.x, l(1)\n{close}endloop\n")
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind::rounds("short rounds", 1, "iadd r0.x, r0.x, l(1)\n"),
        Kind::rounds("long rounds of arithmetic", 500, ALU),
        Kind::straight("long straight code", 1500, ALU),
        Kind::straight("nest of 40 loops", 1, &nest(40)),
        Kind::rounds("divergent switches", 60, DIVERGENT),
        Kind::rounds("divisions", 300, DIVIDE),
        Kind::rounds("doubles", 200, DOUBLE),
        Kind::straight("doubles, straight", 400, DOUBLE),
        Kind::rounds("samples of level 0", 1, LEVEL_0).declare(TEXTURE_2D),
        Kind::rounds("anisotropic samples", 200, ANISOTROPIC_2D).declare(TEXTURE_2D),
        Kind::straight("anisotropic samples, straight", 500, ANISOTROPIC_2D).declare(TEXTURE_2D),
        Kind::rounds("anisotropic samples in 3D", 200, ANISOTROPIC_3D).declare(TEXTURE_3D),
        Kind::straight("anisotropic samples in 3D, straight", 500, ANISOTROPIC_3D).declare(TEXTURE_3D),
        Kind::rounds("texels that the host reads", 200, TEXEL).declare(TEXTURE_2D),
        Kind::rounds("texels that the host writes", 200, TYPED_STORE).declare(TYPED),
        Kind::rounds("queries", 200, QUERY).declare(TEXTURE_2D),
        Kind::rounds("atomics on one word", 300, ATOMIC),
        Kind::straight("atomics on one word, straight", 600, ATOMIC),
        Kind::rounds("hidden counters", 200, COUNT).declare(COUNTED),
        Kind::rounds("scattered loads", 200, SCATTERED),
        Kind::rounds("barriers", 1, BARRIER).declare(SHARED),
        Kind::straight("barriers, straight", 100, BARRIER).declare(SHARED),
        Kind::rounds("private arrays", 50, ARRAY).declare(PRIVATE),
        Kind::straight("private arrays and barriers", 4, &format!("{ARRAY}{BARRIER}"))
            .declare("dcl_indexableTemp x0[3000], 4\ndcl_tgsm_structured g0, 4, 1024"),
        Kind::straight("many small groups", 1, "").group([1, 1, 1], [65535, 65535, 65535]),
        Kind::straight("short rows of small groups", 1, "").group([3, 1, 1], [1, 65535, 65535]),
        Kind::rounds("small groups in rounds", 1, ATOMIC).group([1, 1, 1], [65535, 65535, 1]),
    ]
}

fn bindings(device: &Device, kind: &Kind) -> Bindings {
    let mut bindings = Bindings::new();
    let buffer = || device.buffer(1 << 20).unwrap();
    bindings.set(Register::u(0), View::raw(buffer()).unwrap());
    if kind.declarations.contains("s0") {
        let filter = Filter { anisotropic: true, ..Sampler::default().filter };
        let sampler = Sampler { filter, max_anisotropy: 16, address: [AddressMode::Wrap; 3], ..Sampler::default() };
        bindings.set(Register::s(0), View::sampler(sampler).unwrap());
        let shape = match kind.declarations == TEXTURE_3D {
            true => TextureShape::new(Dimension::Texture3d, Format::R8G8B8A8_UNORM, 64).height(64).depth(64).mips(7),
            false => TextureShape::texture_2d(Format::BC7_UNORM, 64, 64).mips(7),
        };
        let size = shape.size_bytes().unwrap() as usize;
        let texture = device.texture_from(shape, &vec![0x5f_u8; size]).unwrap();
        bindings.set(Register::t(0), View::texture(texture));
    }
    if kind.declarations == TYPED {
        let texture = device.texture(TextureShape::texture_2d(Format::R11G11B10_FLOAT, 32, 32).row_pitch(256)).unwrap();
        bindings.set(Register::u(1), View::texture(texture));
    }
    if kind.declarations == COUNTED {
        bindings.set(Register::u(2), View::structured(buffer(), 4).unwrap().with_counter(Counter::new(0)).unwrap());
    }
    bindings
}

/// Median delay of work that is to end after the limit.
fn late(name: &str, mut run: impl FnMut(Duration) -> Result<(), Error>) -> Duration {
    let mut tries: Vec<Duration> = (0..TRIES)
        .map(|_| {
            let start = Instant::now();
            match run(LIMIT) {
                Err(Error::Stopped { .. } | Error::StoppedBetweenGroups { .. } | Error::CompileStopped { .. }) => {}
                other => panic!("{name}: {other:?}"),
            }
            start.elapsed().saturating_sub(LIMIT)
        })
        .collect();
    tries.sort();
    tries[TRIES / 2]
}

fn bound(device: &Device, kind: &Kind, engine: Engine) -> BoundShader {
    let shader = device.compile(&kind.container(), &CompileOptions::new(engine)).unwrap();
    let bound = device.bind(&shader, &bindings(device, kind)).unwrap();
    bound.prepare(kind.groups).unwrap();
    bound
}

#[test]
#[ignore = "measures time"]
fn every_kind_of_work_ends_within_100_ms_of_its_limit() {
    let only = std::env::var("BROLGA_KIND").unwrap_or_default();
    let devices =
        [2, 8].map(|threads| Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap());
    let mut too_late = Vec::new();
    let mut row = |name: &str, late: &[Duration]| {
        let times: Vec<String> = late.iter().map(|late| format!("{:>8.1}", late.as_secs_f64() * 1e3)).collect();
        println!("{name:<40}{}", times.concat());
        if late.iter().any(|&late| late > MOST_LATE) {
            too_late.push(name.to_owned());
        }
    };
    println!(
        "milliseconds after the limit, on 2 and on 8 threads: {}",
        ENGINES.iter().map(Engine::to_string).collect::<Vec<_>>().join(", ")
    );
    for kind in kinds().iter().filter(|kind| kind.name.contains(&only)) {
        let times: Vec<Duration> = ENGINES
            .iter()
            .flat_map(|&engine| devices.iter().map(move |device| (engine, device)))
            .map(|(engine, device)| {
                let bound = bound(device, kind, engine);
                late(kind.name, |limit| bound.dispatch(&Dispatch::new(kind.groups).time_limit(limit)).map(drop))
            })
            .collect();
        row(kind.name, &times);
    }
    let huge = Kind::straight("compiling", 6000, ALU);
    if huge.name.contains(&only) {
        let (container, token) = (huge.container(), CancelToken::new());
        let times = devices.each_ref().map(|device| {
            late(huge.name, |limit| {
                device.compile_until(&container, &CompileOptions::default(), &token, Some(limit)).map(drop)
            })
        });
        row(huge.name, &times);
    }
    assert!(too_late.is_empty(), "later than {MOST_LATE:?}: {too_late:?}");
}
