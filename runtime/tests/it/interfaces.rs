//! Tests shaders with interfaces: the results of each choice of class instances, against a plain model of the source.
//!
//! The sources lie in `tests/data/interfaces`, and one in the corpus. Each runs on both engines with one and two
//! threads.

use std::time::Duration;

use brolga_runtime::{
    Bindings, ClassInstance, CompileOptions, Device, Dimension, Dispatch, Error, Format, InstanceError, Register,
    Texture, TextureShape, View,
};

use crate::support::case::data;
use crate::support::random::Random;
use crate::support::{self, ENGINES};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(data().join(name)).unwrap()
}

/// Bindings: words by the name of a register. `b#` are constants, a `t#` or `u#` comes with the stride of its
/// structures, 0 for typed words and 1 for a picture four texels wide.
type Bound<'a> = &'a [(&'a str, u32, Vec<u32>)];

/// A shader, the choices for its interface variables, and its bindings.
struct Run<'a> {
    container: &'a [u8],
    choices: &'a [(&'a str, ClassInstance)],
    bound: Bound<'a>,
    groups: u32,
}

impl Run<'_> {
    fn view(&self, device: &Device, stride: u32, words: &[u32], register: Register) -> View {
        let buffer = device.buffer_from(words).unwrap();
        match (register.class.letter(), stride) {
            ('b', _) => View::constant(buffer),
            (_, 0) => View::typed(buffer, Format::R32_UINT),
            (_, 1) => {
                let shape = TextureShape::new(Dimension::Texture2d, Format::R32_UINT, 4);
                return View::texture(Texture::new(buffer, shape.height(words.len() as u32 / 4)).unwrap());
            }
            (_, stride) => View::structured(buffer, stride),
        }
        .unwrap()
    }

    /// The words of the `u#` after the run, in their order, if all engines and thread counts agree.
    fn results(&self) -> Vec<Vec<u32>> {
        let mut first: Option<Vec<Vec<u32>>> = None;
        for &engine in ENGINES {
            let options = CompileOptions::new(engine);
            let options = self
                .choices
                .iter()
                .fold(options, |options, (variable, instance)| options.instance(*variable, instance.clone()));
            for threads in [1, 2] {
                let device = Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap();
                let shader = device.compile(self.container, &options).unwrap_or_else(|error| panic!("{error}"));
                let mut bindings = Bindings::new();
                for (register, stride, words) in self.bound {
                    let register = register.parse().unwrap();
                    bindings.set(register, self.view(&device, *stride, words, register));
                }
                device.dispatch(&shader, &bindings, &Dispatch::new([self.groups, 1, 1])).unwrap();
                let written = bindings.iter().filter(|(register, _)| register.class.letter() == 'u');
                let results: Vec<Vec<u32>> = written.map(|(_, view)| view.to_vec().unwrap()).collect();
                let first = first.get_or_insert_with(|| results.clone());
                assert_eq!(*first, results, "{engine}, {threads} threads, {:?}", self.choices);
            }
        }
        first.unwrap()
    }
}

/// `compute/interfaces.hlsl` of the corpus, its entry `cs`.
#[test]
fn the_shader_of_the_corpus() {
    const ADD: u32 = 11;
    const MUL: u32 = 5;
    let apply = |instance: &str, a: u32, b: u32| match instance {
        "oadd" => a.wrapping_add(b).wrapping_add(ADD),
        _ => (b & 7).wrapping_mul(a.wrapping_mul(MUL)),
    };
    let container = file("compute/interfaces.cs.cs_5_0.cso");
    let mut random = Random::wild(1);
    let input: Vec<u32> = (0..128).map(|_| random.bits()).collect();
    for n in 0..8 {
        let name = |bit: u32| if n >> bit & 1 == 0 { "oadd" } else { "omul" };
        let (op, ops, pick) = (name(0), [name(1), name(2)], n % 2);
        let choices = [("op", op.into()), ("ops[0]", ops[0].into()), ("ops[1]", ops[1].into())];
        let mut constants = vec![0; 32];
        (constants[24], constants[28], constants[29]) = (ADD, MUL, pick);
        let bound = [("b0", 0, constants), ("t1", 8, input.clone()), ("u0", 4, vec![0; 64])];
        let run = Run { container: &container, choices: &choices, bound: &bound, groups: 2 };
        let expected: Vec<u32> = input
            .chunks(2)
            .map(|v| {
                let mut r = apply(op, v[0], v[1]);
                for op in ops {
                    r = r.wrapping_add(apply(op, r, v[1]));
                }
                if v[0] & 1 != 0 { r ^ apply(ops[pick as usize], v[0], r) } else { r }
            })
            .collect();
        assert_eq!(run.results(), [expected], "{choices:?}");
    }
}

/// Names of the instances in `waves.hlsl`, for either interface.
const WAVES: [&str; 5] = ["square", "ramps[0]", "ramps[1]", "ramps[2]", "Zero"];
const MIXES: [&str; 2] = ["sum", "pick"];

/// Slopes and starts of `ramps`.
const RAMPS: [(f32, f32); 3] = [(2.0, 1.0), (30.0, -5.0), (0.5, 99.0)];
const SQUARE: f32 = 6.0;
const BIAS: f32 = 0.25;
const MORE: f32 = 128.0;
const INDEX: u32 = 1;

fn wave(instance: &str, x: u32) -> f32 {
    let ramp = |(slope, start): (f32, f32)| {
        let mut y = start;
        for _ in 0..x {
            if y > 100.0 {
                break;
            }
            y += slope;
        }
        y
    };
    match instance {
        "square" if x < 4 => -SQUARE,
        "square" => SQUARE,
        "Zero" => 0.0,
        _ => ramp(RAMPS[WAVES.iter().position(|name| *name == instance).unwrap() - 1]),
    }
}

fn wave_constants() -> [Vec<u32>; 2] {
    let mut waves = vec![0; 16];
    waves[0] = SQUARE.to_bits();
    for (n, (slope, start)) in (1..).zip(RAMPS) {
        (waves[4 * n], waves[4 * n + 1]) = (slope.to_bits(), start.to_bits());
    }
    let mut mixes = vec![0; 16];
    (mixes[6], mixes[8], mixes[12]) = (MORE.to_bits(), BIAS.to_bits(), INDEX);
    [waves, mixes]
}

#[test]
fn methods_that_call_methods_return_early_and_loop() {
    let container = file("interfaces/waves.main.cso");
    let mut random = Random::wild(2);
    for n in 0..10 {
        let mut pick = || WAVES[random.bits() as usize % WAVES.len()];
        let (mix, [single, waves @ ..]) = (MIXES[n % 2], [pick(), pick(), pick(), pick()]);
        let choices = [
            ("mix", mix.into()),
            ("wave", single.into()),
            ("waves[0]", waves[0].into()),
            ("waves[1]", waves[1].into()),
            ("waves[2]", waves[2].into()),
        ];
        let [b1, b3] = wave_constants();
        let bound = [("b1", 0, b1), ("b3", 0, b3), ("u0", 4, vec![0; 24])];
        let run = Run { container: &container, choices: &choices, bound: &bound, groups: 2 };
        let expected = (0..24).map(|x| {
            let mixed = match mix {
                "sum" => waves.iter().fold(BIAS, |sum, instance| sum + wave(instance, x)) + MORE,
                _ => wave(waves[INDEX as usize], x) * wave(single, x),
            };
            (mixed + 1000.0 * wave(single, x)).to_bits()
        });
        assert_eq!(run.results(), [expected.collect::<Vec<_>>()], "{choices:?}");
    }
}

#[test]
fn the_name_of_an_array_stands_for_its_elements_but_those_that_are_named() {
    let container = file("interfaces/waves.main.cso");
    // The element wins though it comes first, and an fp# is as good as a name.
    let choices = [
        ("waves[1]", "ramps[0]".into()),
        ("fp1", "Zero".into()),
        ("fp0", "sum".into()),
        ("fp4", ClassInstance::of_class("Square").constants(1, 0).into()),
    ];
    let [b1, b3] = wave_constants();
    let bound = [("b1", 0, b1), ("b3", 0, b3), ("u0", 4, vec![0; 12])];
    let run = Run { container: &container, choices: &choices, bound: &bound, groups: 1 };
    let expected = (0..12).map(|x| (BIAS + wave("ramps[0]", x) + MORE + 1000.0 * wave("square", x)).to_bits());
    assert_eq!(run.results(), [expected.collect::<Vec<_>>()]);
}

/// The methods of `effects.hlsl`.
fn effect(instance: &str, at: u32, log: &mut [u32]) -> u32 {
    match instance {
        "counts[0]" | "counts[1]" => {
            let (counter, step) = COUNTS[usize::from(instance == "counts[1]")];
            log[counter as usize] += step;
            step
        }
        "store" if at & 1 != 0 => 7,
        "store" => {
            log[(BASE + at) as usize] = at * 3;
            BASE
        }
        _ => {
            let mut sum = 0;
            for _ in 0..at {
                sum += FACTORS[0];
                if sum > 40 {
                    return sum;
                }
            }
            sum * FACTORS[1]
        }
    }
}

const EFFECTS: [&str; 4] = ["counts[0]", "counts[1]", "store", "twice"];
const COUNTS: [(u32, u32); 2] = [(3, 10), (0, 1)];
const BASE: u32 = 20;
const FACTORS: [u32; 2] = [4, 9];

/// Runs `effects.hlsl` with this many slots. `index` gives the slot that each thread calls.
fn effects(container: &[u8], slots: u32, groups: u32, index: impl Fn(u32) -> u32) {
    let mut random = Random::wild(u64::from(slots));
    let instances: Vec<&str> = (0..slots).map(|_| EFFECTS[random.bits() as usize % 4]).collect();
    let names: Vec<String> = (0..slots).map(|slot| format!("effects[{slot}]")).collect();
    let choices: Vec<_> =
        names.iter().zip(&instances).map(|(name, instance)| (name.as_str(), (*instance).into())).collect();
    let [(first, one), (second, two)] = COUNTS;
    let constants = vec![first, one, 0, 0, second, two, 0, 0, BASE, 0, 0, 0, FACTORS[0], FACTORS[1], 0, 0];
    let threads = 16 * groups;
    let log = vec![0; (BASE + threads) as usize];
    let bound = [("b0", 0, constants), ("u0", 4, vec![1; threads as usize]), ("u1", 4, log.clone())];
    let run = Run { container, choices: &choices, bound: &bound, groups };
    let mut log = log;
    // A call with an index out of range calls nothing, and the register that it would write is still 0.
    let mut call = |thread: u32| match instances.get(index(thread) as usize) {
        Some(instance) => effect(instance, thread, &mut log),
        None => 0,
    };
    let result: Vec<u32> = (0..threads).map(&mut call).collect();
    assert_eq!(run.results(), [result, log], "{instances:?}");
}

/// The same shader with the thread's position in the group in place of the group's number: an index that differs
/// between threads, which the compiler does not accept.
fn divergent(mut container: Vec<u8>) -> Vec<u8> {
    // `dcl_input vThreadGroupID.x` and `mov r0.x, vThreadGroupID.x`.
    for (from, to) in [(0x0002_1012_u32, 0x0002_2012_u32), (0x0002_100a, 0x0002_200a)] {
        let words = container.chunks_exact_mut(4).filter(|word| **word == from.to_le_bytes());
        assert_eq!(words.map(|word| word.copy_from_slice(&to.to_le_bytes())).count(), 1);
    }
    container
}

#[test]
fn a_uniform_index_calls_the_method_of_its_slot() {
    effects(&file("interfaces/effects.5.cso"), 5, 7, |thread| thread / 16);
    effects(&file("interfaces/effects.40.cso"), 40, 42, |thread| thread / 16);
}

#[test]
fn threads_with_different_indices_call_different_methods() {
    effects(&divergent(file("interfaces/effects.5.cso")), 5, 3, |thread| thread % 16);
    effects(&divergent(file("interfaces/effects.40.cso")), 40, 3, |thread| thread % 16);
}

#[test]
fn classes_have_textures_and_buffers() {
    let container = file("interfaces/sources.main.cso");
    let (scales, images) = ([3, 50], [100, 200]);
    let image = |n: usize| (0..8).map(|texel| images[n] + texel).collect::<Vec<u32>>();
    let list: Vec<u32> = (0..8).map(|n| 300 + n).collect();
    let at = |instance: &str, x: u32| match instance {
        "a" => image(0)[x as usize] * scales[0],
        "b" => image(1)[x as usize] * scales[1],
        _ => list[x as usize] + [21, 23][x as usize & 1],
    };
    let names = ["a", "b", "list"];
    for n in 0..9 {
        let [source, first, second] = [names[n % 3], names[n / 3], names[(n + 1) % 3]];
        let choices = [("source", source.into()), ("both[0]", first.into()), ("both[1]", second.into())];
        for (container, index) in [(container.clone(), 0), (divergent(container.clone()), 1)] {
            let bound = [
                ("b2", 0, vec![scales[0], 0, 0, 0, scales[1], 0, 0, 0]),
                ("t0", 1, image(0)),
                ("t1", 1, image(1)),
                ("t2", 0, list.clone()),
                ("t3", 8, vec![20, 21, 22, 23]),
                ("u0", 4, vec![0; 8]),
            ];
            let run = Run { container: &container, choices: &choices, bound: &bound, groups: 1 };
            let [actual] = &run.results()[..] else { panic!("one u#") };
            for (x, actual) in (0..).zip(actual) {
                // Beyond the array nothing is called, and the register keeps its previous content.
                if let Some(called) = [first, second].get(index * x as usize) {
                    assert_eq!(*actual, at(source, x) + 1000 * at(called, x), "{choices:?}, thread {x}");
                }
            }
        }
    }
}

#[test]
fn methods_hold_barriers_for_the_whole_group() {
    const BY: u32 = 5;
    const FACTOR: u32 = 3;
    let step = |instance: &str, values: &mut Vec<u32>| match instance {
        "shift" => values.rotate_left(BY as usize),
        _ => {
            for distance in (0..6).map(|n| 1 << n) {
                let before = values.clone();
                for (value, other) in values.iter_mut().skip(distance).zip(before) {
                    *value = value.wrapping_add(other.wrapping_mul(FACTOR));
                }
            }
        }
    };
    let container = file("interfaces/steps.main.cso");
    let mut random = Random::wild(4);
    let input: Vec<u32> = (0..192).map(|_| random.bits()).collect();
    let steps = ["sum", "shift", "sum"];
    let choices = [("steps[0]", steps[0].into()), ("steps[1]", steps[1].into()), ("steps[2]", steps[2].into())];
    // The third index is out of range.
    for order in [[0, 1, 3, 2], [1, 1, u32::MAX, 1], [2, 0, 17, 1]] {
        let mut constants = vec![0; 24];
        (constants[0], constants[4]) = (BY, FACTOR);
        for (n, index) in order.into_iter().enumerate() {
            constants[8 + 4 * n] = index;
        }
        let bound = [("b0", 0, constants), ("t0", 4, input.clone()), ("u0", 4, vec![0; 192])];
        let run = Run { container: &container, choices: &choices, bound: &bound, groups: 3 };
        let expected = input.chunks(64).flat_map(|values| {
            let mut values = values.to_vec();
            let called = order.iter().filter_map(|&index| steps.get(index as usize));
            called.for_each(|instance| step(instance, &mut values));
            values
        });
        assert_eq!(run.results(), [expected.collect::<Vec<_>>()], "{order:?}");
    }
}

#[test]
fn instances_may_be_where_the_shader_declares_nothing() {
    let container = file("interfaces/sources.main.cso");
    let placed = |texture| ClassInstance::of_class("Image").constants(7, 5).texture(texture);
    let choices = [("source", placed(9).into()), ("both", placed(11).into())];
    let mut constants = vec![0; 24];
    constants[20] = 2;
    let bound = [
        ("b2", 0, vec![0; 8]),
        ("b7", 0, constants),
        ("t0", 1, vec![0; 8]),
        ("t1", 1, vec![0; 8]),
        ("t2", 0, vec![0; 8]),
        ("t3", 8, vec![0; 8]),
        ("t9", 1, (10..18).collect()),
        ("t11", 1, (30..38).collect()),
        ("u0", 4, vec![0; 8]),
    ];
    let run = Run { container: &container, choices: &choices, bound: &bound, groups: 1 };
    assert_eq!(run.results(), [(0..8).map(|x| 2 * (10 + x) + 2000 * (30 + x)).collect::<Vec<u32>>()]);
}

/// Checks the message about bad choices for `waves.hlsl`.
#[track_caller]
fn refused(choices: &[(&str, ClassInstance)], expected: &str) {
    let device = Device::builder().threads(1).build().unwrap();
    let mut options = CompileOptions::default();
    for (variable, instance) in choices {
        options = options.instance(*variable, instance.clone());
    }
    let error = device.compile(&file("interfaces/waves.main.cso"), &options).unwrap_err();
    assert!(matches!(error, Error::Instance(_)), "{error}");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn wrong_choices_are_refused_with_what_would_be_right() {
    let all: [(&str, ClassInstance); 3] = [("mix", "sum".into()), ("wave", "Zero".into()), ("waves", "Zero".into())];
    let with = |variable, instance| [&all[..], &[(variable, instance)]].concat();
    refused(
        &all[..1],
        "no class instance is chosen for `waves` of type IWave, which takes square, ramps[0], ramps[1], ramps[2], Zero; \
         `wave` of type IWave, which takes square, ramps[0], ramps[1], ramps[2], Zero",
    );
    refused(
        &[all[0].clone(), all[1].clone(), ("waves[1]", "Zero".into()), ("waves[2]", "Zero".into())],
        "no class instance is chosen for `waves[0]` of type IWave, which takes square, ramps[0], ramps[1], ramps[2], Zero",
    );
    refused(&with("wafe", "square".into()), "there is no interface variable `wafe`: the shader uses mix, waves, wave");
    refused(&with("waves[3]", "square".into()), "`waves[3]` is outside the array, which has 3 elements");
    refused(
        &with("wave", "sqare".into()),
        "`wave` cannot be `sqare`: there is no such class instance, it takes square, ramps[0], ramps[1], ramps[2], Zero",
    );
    refused(
        &with("wave", "Square".into()),
        "`wave` cannot be `Square`: that is a class with data, its instances are square",
    );
    let elements = "that must be an element of an array of 3, ramps[0] to [2]";
    refused(&with("wave", "ramps".into()), &format!("`wave` cannot be `ramps`: {elements}"));
    refused(&with("wave", "ramps[3]".into()), &format!("`wave` cannot be `ramps[3]`: {elements}"));
    refused(&with("wave", "sum".into()), "`wave` cannot be `sum`: that is of class Sum, it takes Zero, Ramp, Square");
    let placed = |class: &str| ClassInstance::of_class(class);
    refused(
        &with("mix", placed("Zero").into()),
        "`mix` cannot be an instance of `Zero`: there is no such class, it takes Pick, Sum",
    );
    refused(
        &with("wave", placed("Ramp").into()),
        "`wave`: Ramp has data in a constant buffer, whose place must be given",
    );
    refused(
        &with("wave", placed("Ramp").constants(0, 0).texture(1).into()),
        "`wave`: Ramp has no textures, whose place could be given",
    );
    refused(
        &with("wave", placed("Ramp").constants(16, 0).into()),
        "`wave`: constant buffer 16 is over the largest, 15",
    );
}

/// A container in which the chunk of this name is not found.
fn without(chunk: &[u8; 4], mut container: Vec<u8>) -> Vec<u8> {
    let at = container.windows(4).position(|name| name == chunk).unwrap();
    container[at..at + 4].copy_from_slice(b"NONE");
    container
}

#[test]
fn without_names_a_variable_is_called_as_the_listing_calls_it() {
    let container = without(b"RDEF", file("interfaces/waves.main.cso"));
    let choices = [("fp0", "pick".into()), ("fp1[1]", "square".into()), ("fp1", "Zero".into()), ("fp4", "Zero".into())];
    let [b1, b3] = wave_constants();
    let bound = [("b1", 0, b1), ("b3", 0, b3), ("u0", 4, vec![9; 12])];
    let run = Run { container: &container, choices: &choices, bound: &bound, groups: 1 };
    // `pick` multiplies what `wave` gives: 0, or -0 where `square` is negative; the sum with 1000 times 0 is 0.
    assert_eq!(run.results(), [vec![0; 12]]);
    let device = Device::builder().threads(1).build().unwrap();
    let error = device.compile(&container, &CompileOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("no class instance is chosen for `fp0`, which takes sum, pick; `fp1`, which"), "{error}");
    let nothing = without(b"IFCE", container);
    let error = device.compile(&nothing, &CompileOptions::default()).unwrap_err().to_string();
    assert_eq!(error, "`fp0`: the file has no class linkage (IFCE) that says which classes fit");
}

#[test]
fn a_changed_class_linkage_is_an_error_or_harmless() {
    let device = Device::builder().threads(1).build().unwrap();
    let mut random = Random::wild(3);
    let mut compiled = 0;
    for name in ["compute/interfaces.cs.cs_5_0.cso", "interfaces/waves.main.cso", "interfaces/sources.main.cso"] {
        let container = file(name);
        let chunk = container.windows(4).position(|name| name == b"IFCE").unwrap();
        let size = u32::from_le_bytes(container[chunk + 4..chunk + 8].try_into().unwrap());
        for _ in 0..100 {
            let mut changed = container.clone();
            for _ in 0..1 + random.bits() % 3 {
                let at = chunk + 8 + (random.bits() % size) as usize;
                changed[at] = if random.bits() & 1 == 0 { random.bits() as u8 & 7 } else { random.bits() as u8 };
            }
            match support::compile(&device, &changed, brolga_runtime::Engine::Interpreter) {
                Ok(_) => compiled += 1,
                Err(error) => assert!(!matches!(error, Error::Internal { .. } | Error::Verify(_)), "{name}: {error}"),
            }
        }
    }
    assert!(compiled > 30, "{compiled}");
}

#[test]
fn a_shader_without_interfaces_takes_no_instances() {
    let device = Device::builder().threads(1).build().unwrap();
    let container = file("exec/pcg_hash/shader.main.cs_5_0.cso");
    let error = device.compile(&container, &CompileOptions::default().instance("light", "sun")).unwrap_err();
    let Error::Instance(error) = error else { panic!("{error}") };
    assert_eq!(*error, InstanceError::NoInterfaces { variable: "light".into() });
}
