//! Tests observers of the interpreter: in random programs they see the values that a plain model computes, and accesses
//! that explain the final memory; in shaders the values that registers get.

use brolga_ir::batch::ArrayWords;
use brolga_ir::entity::{Slot, Value};
use brolga_ir::flow::Flow;
use brolga_ir::function::{InstKind, Object, Origin, ValueDef};
use brolga_ir::interp::{Access, Arena, At, Interpreter, Observer, Packet};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::span::{Packing, Span};
use brolga_ir::text::parse;
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_ir::{Function, Width};
use brolga_testing_base::assemble::translated;
use brolga_testing_base::programs;
use brolga_testing_base::random::Random;
use brolga_testing_base::scalar::{Memory, run_thread, trace_group};

fn prepared(mut func: Function, seed: u64) -> VerifiedFunction {
    optimise(&mut func, if seed.is_multiple_of(3) { Level::Full } else { Level::None });
    func.width = Width::ALL[seed as usize % Width::ALL.len()];
    verify(func).unwrap_or_else(|errors| panic!("seed {seed}: {errors}"))
}

fn memory(func: &Function, seed: u64) -> Memory {
    Memory::new(&func.interface, &programs::contents(&func.interface, &mut Random(seed)))
}

fn lanes(packet: &Packet<'_>) -> impl Iterator<Item = usize> {
    let mask = packet.lanes;
    (0..64).filter(move |lane| mask >> lane & 1 == 1)
}

/// Every value that a thread gets, in order.
struct Values<'a> {
    func: &'a Function,
    flow: Flow,
    of_threads: Vec<Vec<(Value, u64)>>,
}

impl Observer for Values<'_> {
    fn ran(&mut self, at: At, packet: &Packet<'_>) {
        let data = self.func.inst(at.inst);
        assert_eq!(at.origin, data.origin);
        let (from, to) = match self.flow.edge(self.func, at.inst) {
            Some(edge) if data.kind.is_terminator() => edge,
            _ => (&data.results[..], &data.results[..]),
        };
        for lane in lanes(packet) {
            let got = from.iter().zip(to).map(|(&from, &to)| (to, packet.value(from)[lane]));
            self.of_threads[packet.thread(lane) as usize].extend(got);
        }
    }
}

/// `true` if an observer sees the value, and the order of threads does not change it.
fn is_comparable(func: &Function, value: Value) -> bool {
    let ValueDef::Result(inst, _) = func.value(value).def else { return false };
    use InstKind::{Atomic, Const, Counter, Input};
    !matches!(func.inst(inst).kind, Const(_) | Input(_) | Atomic { .. } | Counter { .. })
}

#[test]
fn values_are_those_of_a_plain_model() {
    let mut count = 0;
    for seed in 0..400 {
        let func = prepared(programs::generate(seed, 1 + (seed % 12) as usize), seed);
        let (model, memory) = (memory(&func, seed), memory(&func, seed));
        let (interpreter, mut arena) = (Interpreter::new(&func), Arena::new());
        for group in 0..programs::GROUPS {
            let of_threads = vec![Vec::new(); func.interface.threads_per_group() as usize];
            let mut values = Values { func: &func, flow: Flow::new(&func), of_threads };
            let span = Span::one([group, 0, 0]);
            interpreter
                .run_observed(&memory, &span, &mut [], &mut arena, &mut { u64::MAX }, &mut values)
                .expect("programs end and agree");
            for (thread, (seen, trace)) in
                values.of_threads.iter().zip(trace_group(&func, &model, [group, 0, 0])).enumerate()
            {
                let seen = seen.iter().copied().filter(|&(value, _)| is_comparable(&func, value));
                let expected = trace.iter().map(|&(value, _, bits)| (value, bits));
                let expected: Vec<_> = expected.filter(|&(value, _)| is_comparable(&func, value)).collect();
                count += expected.len();
                assert_eq!(seen.collect::<Vec<_>>(), expected, "thread {thread}, seed {seed}\n{}", &*func);
            }
        }
    }
    assert!(count > 100_000, "{count}");
}

/// Memory as observed accesses leave it.
struct Shadow<'a> {
    func: &'a Function,
    views: Vec<Vec<u32>>,
    arrays: Vec<Vec<u32>>,
    shared: Vec<Vec<u32>>,
    /// By thread of the span, then by declaration.
    locals: Vec<Vec<Vec<u32>>>,
    immediate: Vec<u32>,
    seen: [usize; 3],
}

impl Shadow<'_> {
    /// Shared memory and private arrays as they are when a span begins.
    fn begin(&mut self, threads: usize) {
        let interface = &self.func.interface;
        self.shared = interface.shared.iter().map(|shared| vec![0; shared.size_bytes() as usize / 4]).collect();
        let locals: Vec<_> = interface.locals.iter().map(|local| vec![0; local.registers as usize * 4]).collect();
        self.locals = vec![locals; threads];
    }

    /// The `n`-th word of an access, if there is one.
    fn word(&mut self, access: &Access, n: usize, thread: u32) -> Option<&mut u32> {
        let interface = &self.func.interface;
        let (words, stride) = match access.object {
            Object::Resource(resource) => {
                (&mut self.views[resource.id.index()], interface.resource(resource.id).stride_bytes())
            }
            Object::Shared(id) => (&mut self.shared[id.index()], Some(interface.shared(id).stride_bytes)),
            Object::Local(id) => (&mut self.locals[thread as usize][id.index()], Some(16)),
            Object::Array(id) => (&mut self.arrays[id.index()], Some(interface.array(id).stride_bytes)),
            Object::Immediate => (&mut self.immediate, Some(16)),
            Object::Curve => unreachable!("programs have none"),
        };
        let byte = u64::from(access.offset_bytes) + 4 * n as u64;
        let start = match (access.index, stride) {
            (Some(index), Some(stride)) => (byte < stride.into()).then_some(u64::from(index) * u64::from(stride))?,
            _ => 0,
        };
        words.get_mut(((start + byte) / 4) as usize)
    }
}

impl Observer for Shadow<'_> {
    fn ran(&mut self, at: At, packet: &Packet<'_>) {
        for access in packet.accesses(self.func, at.inst) {
            let (count, thread) = (access.read.len().max(access.written.len()), packet.thread(access.lane));
            let there = (0..count).filter(|&n| self.word(&access, n, thread).is_some()).count();
            // The memory of this test does not say how large its views are.
            if !matches!(access.object, Object::Resource(_)) {
                assert_eq!(access.inside, there, "{access:?}");
            }
            self.seen[0] += access.read.len();
            self.seen[1] += access.written.len();
            self.seen[2] += count - there;
            for (n, &read) in access.read.iter().enumerate() {
                assert_eq!(read, self.word(&access, n, thread).map_or(0, |word| *word), "{access:?}");
            }
            for (n, &written) in access.written.iter().enumerate() {
                if let Some(word) = self.word(&access, n, thread) {
                    *word = written;
                }
            }
        }
    }
}

#[test]
fn accesses_explain_what_memory_holds() {
    let mut seen = [0; 3];
    for seed in 0..400 {
        let is_batch = seed % 4 == 3;
        let generate = if is_batch { programs::generate_batch } else { programs::generate };
        let func = prepared(generate(seed, 1 + (seed % 12) as usize), seed);
        let memory = memory(&func, seed);
        let mut arrays = programs::arrays(&func.interface, &mut Random(seed));
        let mut shadow = Shadow {
            func: &func,
            views: memory.words(),
            arrays: arrays.clone(),
            shared: Vec::new(),
            locals: Vec::new(),
            immediate: func.interface.immediate.as_flattened().to_vec(),
            seen,
        };
        let packing = if is_batch { Packing::Row } else { Packing::Group };
        let spans: Vec<Span> = match is_batch {
            true => Span::batch(programs::INVOCATIONS, func.width.lanes(), false).collect(),
            false => (0..programs::GROUPS).map(|group| Span::one([group, 0, 0])).collect(),
        };
        let interpreter = Interpreter::with_packing(&func, packing);
        for span in &spans {
            shadow.begin((func.interface.threads_per_group() * span.groups) as usize);
            let mut words: Vec<_> = match &mut arrays[..] {
                [read, written] => vec![ArrayWords::Read(read), ArrayWords::Write(written)],
                _ => Vec::new(),
            };
            interpreter
                .run_observed(&memory, span, &mut words, &mut Arena::new(), &mut { u64::MAX }, &mut shadow)
                .expect("programs end and agree");
        }
        assert_eq!(shadow.views, memory.words(), "seed {seed}\n{}", &*func);
        assert_eq!(shadow.arrays, arrays, "seed {seed}\n{}", &*func);
        seen = shadow.seen;
    }
    let [read, written, outside] = seen;
    assert!(read > 100_000 && written > 100_000 && outside > 1_000, "{seen:?}");
}

/// The values that the registers of thread 0 get, in order.
struct Registers<'a> {
    func: &'a Function,
    got: Vec<(Slot, u32, Origin)>,
}

impl Observer for Registers<'_> {
    fn ran(&mut self, at: At, packet: &Packet<'_>) {
        if let InstKind::Note(slot, value) = self.func.inst(at.inst).kind
            && packet.lanes & 1 == 1
        {
            self.got.push((slot, packet.value(value)[0] as u32, at.origin));
        }
    }
}

fn registers(func: &VerifiedFunction) -> Vec<(Slot, u32, Origin)> {
    let mut seen = Registers { func, got: Vec::new() };
    let (memory, span) = (Memory::new(&func.interface, &[]), Span::one([0; 3]));
    Interpreter::new(func)
        .run_observed(&memory, &span, &mut [], &mut Arena::new(), &mut { u64::MAX }, &mut seen)
        .expect("it ends");
    seen.got
}

/// A shader after the passes that observers need, and before.
fn observed(text: &str) -> (VerifiedFunction, Function) {
    let before = translated(text);
    let mut func = before.clone();
    optimise(&mut func, Level::Observed);
    (verify(func).expect("follows every rule"), before)
}

#[test]
fn registers_have_their_names_and_get_their_values() {
    let (func, _) = observed(
        "dcl_temps 2
        mov r0.xy, l(3, 5, 0, 0)
        iadd r1.z, r0.x, r0.y
        mov r0.x, r1.z
        ret",
    );
    let got = registers(&func);
    let named: Vec<String> = got
        .iter()
        .map(|&(slot, bits, _)| format!("{} = {bits}", func.slot_register(slot).expect("all are registers")))
        .collect();
    assert_eq!(named, ["r0.x = 3", "r0.y = 5", "r1.z = 8", "r0.x = 8"]);
    let mut origins: Vec<Origin> = got.iter().map(|&(.., origin)| origin).collect();
    assert!(origins.is_sorted());
    origins.dedup();
    assert_eq!(origins.len(), 3, "one for each instruction");

    let text = func.to_string();
    assert!(text.contains("  slots 8 i32  # r0 r1\n"), "{text}");
    let again = parse(&text).expect("names are comments").to_string();
    assert_eq!(again, text.replace("  # r0 r1", ""));
}

#[test]
fn registers_end_with_what_a_plain_model_leaves_in_them() {
    let (func, before) = observed(
        "dcl_temps 4
        dcl_indexableTemp x0[2], 4
        mov r2.x, l(0)
        loop
          uge r2.y, r2.x, l(7)
          breakc_nz r2.y
          mov r2.z, r2.x
          iadd r2.x, r2.x, l(1)
          and r2.z, r2.z, l(1)
          mov x0[r2.z + 0].y, r2.x
          continuec_z r2.z
          iadd r0.x, r0.x, r2.x
          switch r0.x
            case l(6)
            mov r1.xyzw, r0.xxxx
            break
            default
            mov r1.w, x0[1].y
            break
          endswitch
        endloop
        mov r3.xy, r0.xwxx
        ret",
    );
    let mut last = vec![0; before.slot_count()];
    registers(&func).into_iter().for_each(|(slot, bits, _)| last[slot.index()] = bits);
    assert_eq!(last, run_thread(&before, &vec![0; before.slot_count()]));
    assert_eq!(last[0], 12, "2 + 4 + 6");
}
