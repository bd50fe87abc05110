//! Changed texts: whatever they are, reading them ends with a shader or an error.
//!
//! ```text
//! BROLGA_SEEDS=0..100000 cargo test --profile profiling -p brolga-wgsl --test it mutants::
//! ```

use brolga_ir::passes::{self, Level};
use brolga_ir::verify::verify;
use brolga_wgsl::{Fault, Options, Shader};

/// Texts that are changed: all that the suite's shaders and a few others have.
const TEXTS: [&str; 8] = [
    include_str!("../../../bench/suite/src/shaders/bitonic.wgsl"),
    include_str!("../../../bench/suite/src/shaders/conv3.wgsl"),
    include_str!("../../../bench/suite/src/shaders/gather.wgsl"),
    include_str!("../../../bench/suite/src/shaders/hist.wgsl"),
    include_str!("../../../bench/suite/src/shaders/mandel.wgsl"),
    include_str!("../../../bench/suite/src/shaders/nbody.wgsl"),
    include_str!("../../../bench/suite/src/shaders/tex.wgsl"),
    "struct Part { mass: f32, at: vec3<f32>, turn: mat3x3<f32>, list: array<vec2<i32>, 3> }
     struct All { count: atomic<u32>, parts: array<Part> }
     @group(0) @binding(0) var<storage, read_write> data: All;
     @group(0) @binding(1) var<uniform> weights: array<vec4<f32>, 4>;
     override side: u32 = 4u;
     var<private> kept: array<u32, 8>;
     const TABLE = array<i32, 5>(1, -2, 3, -4, 5);
     fn pick(p: ptr<function, Part>, n: i32) -> vec2<i32> {
         if n < 0 { return vec2<i32>(n); }
         (*p).list[n % 3].x += TABLE[n];
         return (*p).list[n];
     }
     @compute @workgroup_size(4, 2, 1)
     fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
         var part = data.parts[id.x];
         for (var i = 0; i < 4; i++) {
             switch i { case 0, 2: { continue; } case 1: { part.mass *= 2.0; } default: { break; } }
             kept[u32(i) + id.y] = bitcast<u32>(part.turn[i % 3].y);
         }
         loop { part.at += weights[id.z & 3u].xyz; if all(part.at > vec3<f32>(9.0)) { break; }
             continuing { part.mass -= 0.5; break if part.mass < 0.0; } }
         let found = pick(&part, i32(id.x) - 1);
         let old = atomicAdd(&data.count, select(kept[id.x], groups.x * side, found.x > found.y));
         part.at = part.turn * normalize(part.at) + vec3<f32>(f32(old), exp2(part.mass), -0.5);
         data.parts[arrayLength(&data.parts) - 1u - id.x] = part;
     }",
];

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }
}

/// Words, numbers and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let kind = |c: char| {
            if is_word(c) {
                1
            } else if c.is_whitespace() {
                2
            } else {
                0
            }
        };
        let len = match kind(first) {
            0 => first.len_utf8(),
            kind_of_first => rest.find(|c| kind(c) != kind_of_first).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// What is put in, besides words of the texts.
const WORDS: [&str; 40] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    "0",
    "1u",
    "-1",
    "2147483648",
    "4294967295u",
    "1e38",
    "0x1p-149",
    "0.0",
    "vec4<f32>",
    "mat4x4<f32>",
    "array<u32>",
    "ptr<function, u32>",
    "atomic<u32>",
    "bool",
    "f32",
    "i32",
    "*",
    "&",
    "%",
    "<<",
    "==",
    "&&",
    "@id(0)",
    "const",
    "var<workgroup>",
    "return",
    "loop",
    "discard",
    "workgroupBarrier()",
    "\u{0}",
];

fn mutant(seed: u64) -> String {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..8).for_each(|_| _ = numbers.below(2));
    let mut text: Vec<&str> = tokens(TEXTS[numbers.below(TEXTS.len())]);
    let other: Vec<&str> = tokens(TEXTS[numbers.below(TEXTS.len())]);
    for _ in 0..1 + numbers.below(4) {
        let at = numbers.below(text.len());
        match numbers.below(8) {
            0 => _ = text.remove(at),
            1 => text.insert(at, text[at]),
            2 => text.insert(at, WORDS[numbers.below(WORDS.len())]),
            3 => text[at] = WORDS[numbers.below(WORDS.len())],
            4 => text[at] = other[numbers.below(other.len())],
            5 => {
                let from = numbers.below(text.len());
                text.swap(at, from);
            }
            6 => {
                // A piece once more, elsewhere.
                let from = numbers.below(text.len());
                let piece = text[from..(from + numbers.below(24)).min(text.len())].to_vec();
                text.splice(at..at, piece);
            }
            _ => {
                let end = (at + numbers.below(12)).min(text.len());
                text.drain(at..end);
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text.concat()
}

#[test]
fn the_texts_are_shaders() {
    for text in TEXTS {
        Shader::read(text, &Options::default()).unwrap_or_else(|error| panic!("{error}: {text}"));
    }
}

#[test]
fn changed_texts_end_with_an_answer() {
    let seeds = std::env::var("BROLGA_SEEDS").ok();
    let seeds = match seeds.as_deref().and_then(|seeds| seeds.split_once("..")) {
        Some((first, end)) => first.parse().unwrap()..end.parse().unwrap(),
        None => 0..2000,
    };
    let (mut read, mut faults) = (0, Vec::new());
    for seed in seeds.clone() {
        let text = mutant(seed);
        match Shader::read(&text, &Options::default()) {
            Ok(shader) => {
                let mut function = shader.function().clone();
                passes::optimise(&mut function, Level::Full);
                verify(function).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
                read += 1;
            }
            Err(error) => {
                if let Fault::Internal { what } = error.fault {
                    faults.push(format!("seed {seed}: {what}"));
                }
            }
        }
    }
    println!("{read} of {} are shaders", seeds.end - seeds.start);
    assert!(read > 0 && faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
