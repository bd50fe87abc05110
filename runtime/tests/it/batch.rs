//! Tests vertex and pixel shaders in batches: every one of the corpus on random views and rows, with the same bits on
//! every engine; and the requirements on a batch.

use brolga_runtime::pipeline::state::{
    Advance, Fog, Link, LinkedFrom, PixelState, StageState, VertexElement, VertexState,
};
use brolga_runtime::{
    ArrayWords, BatchError, BindingRules, Bindings, CompileOptions, Device, Dispatch, Engine, Error, ErrorKind, Format,
    Layers, Register, Shader, Signature, Stage, SystemValue, View,
};

use crate::support::case::data;
use crate::support::random::{Random, bind};
use crate::support::{self, ENGINES};

/// Loop iterations of a batch: random data make some loops endless.
const FUEL: u64 = 20_000;

/// The rows of a batch, some of whose pixels are helpers.
fn rows(signature: &Signature, invocations: u32, random: &mut Random) -> Vec<u32> {
    let words = signature.input_rows() as usize * 4;
    let mut rows: Vec<u32> = (0..words * invocations as usize).map(|_| random.word()).collect();
    let coverage = |value| signature.inputs.iter().find(|input| input.system_value == Some(value));
    let coverage = [SystemValue::Coverage, SystemValue::Active].map(coverage);
    for (n, element) in rows.chunks_exact_mut(words.max(1)).enumerate() {
        for coverage in coverage.into_iter().flatten() {
            element[coverage.row as usize * 4] = u32::from(n % 3 != 0);
        }
    }
    rows
}

/// State after a batch: its outcome, its outputs, every view with its counter.
type After = (String, Vec<u32>, Vec<(String, Vec<u8>, Option<u32>)>);

fn run(device: &Device, shader: &Shader, mut random: Random, invocations: u32) -> After {
    let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
    bind(device, shader, &mut random, &mut bindings);
    let signature = shader.stage().signature().expect("no compute shader").clone();
    let inputs = rows(&signature, invocations, &mut random);
    let mut outputs = vec![0xdead_beef; (signature.output_rows() * 4 * invocations) as usize];
    let mut arrays = Vec::new();
    arrays.extend(signature.input_array.map(|_| ArrayWords::Read(&inputs)));
    arrays.extend(signature.output_array.map(|_| ArrayWords::Write(&mut outputs)));
    let dispatch = Dispatch::new([0; 3]).fuel(FUEL);
    let bound = device.bind(shader, &bindings).unwrap();
    let end = match bound.worker().unwrap().begin(&dispatch).unwrap().batch(invocations, &mut arrays) {
        Ok(()) => "done".to_owned(),
        Err(error) => error.to_string(),
    };
    let views = bindings.iter().map(|(register, view)| {
        (register.to_string(), view.to_vec().unwrap(), view.counter().map(|counter| counter.get()))
    });
    (end, outputs, views.collect())
}

#[test]
fn corpus_gives_the_same_bits_on_every_engine() {
    let device = Device::builder().threads(1).build().unwrap();
    let entries = std::fs::read_dir(data().join("graphics")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.to_string_lossy();
        name.ends_with(".cso") && (name.contains(".vs_") || name.contains(".ps_"))
    });
    paths.sort();
    assert_eq!(paths.len(), 65);
    let mut done = 0;
    for (seed, path) in (1..).zip(paths) {
        let bytes = std::fs::read(&path).unwrap();
        let mut first: Option<Vec<After>> = None;
        for &engine in ENGINES {
            let shader = support::compile(&device, &bytes, engine)
                .unwrap_or_else(|error| panic!("{}, {engine}: {error}", path.display()));
            let after = |random: Random| run(&device, &shader, random, 68);
            let after = vec![after(Random::wild(seed)), after(Random::tame(seed))];
            let first = first.get_or_insert_with(|| after.clone());
            assert!(*first == after, "{}, {engine}", path.display());
            done += after.iter().filter(|after| after.0 == "done").count();
        }
    }
    assert!(done > 65 * ENGINES.len(), "only {done} batches ran to their end");
}

#[test]
fn batches_are_held_against_what_the_shader_declares() {
    let device = Device::builder().threads(1).build().unwrap();
    let shader = |name: &str| {
        let bytes = std::fs::read(data().join("graphics").join(name)).unwrap();
        device.compile(&bytes, &CompileOptions::default()).unwrap()
    };
    let shader = shader("lit.alphatest.ps_5_0.cso");
    let Stage::Pixel(signature) = shader.stage() else { panic!("it is a pixel shader") };
    let (inputs, outputs) = (signature.input_rows() as usize * 4, signature.output_rows() as usize * 4);
    let bound = device.bind(&shader, &Bindings::with_rules(BindingRules::PARTIAL)).unwrap();
    let mut worker = bound.worker().unwrap();
    let dispatch = Dispatch::new([0; 3]);
    let mut session = worker.begin(&dispatch).unwrap();
    let (read, mut written) = (vec![0; inputs * 8], vec![0; outputs * 8]);
    let mut error = |invocations, arrays: &mut [ArrayWords<'_>]| match session.batch(invocations, arrays) {
        Ok(()) => None,
        Err(Error::Batch(error)) => Some(error),
        Err(error) => panic!("{error}"),
    };
    let read = || ArrayWords::Read(&read);
    assert_eq!(error(8, &mut [read(), ArrayWords::Write(&mut written)]), None);
    assert_eq!(error(0, &mut [read(), ArrayWords::Write(&mut written)]), None);
    assert_eq!(error(6, &mut [read(), ArrayWords::Write(&mut written)]), Some(BatchError::Quads { invocations: 6 }));
    assert_eq!(error(8, &mut [read()]), Some(BatchError::ArrayCount { found: 1, expected: 2 }));
    assert_eq!(error(8, &mut [read(), read()]), Some(BatchError::ReadOnly { array: 1 }));
    let found = inputs * 8;
    let too_short = BatchError::Words { array: 0, found, invocations: 12, expected: inputs as u64 * 12 };
    assert_eq!(error(12, &mut [read(), ArrayWords::Write(&mut written)]), Some(too_short));
    assert!(matches!(session.run(0..0), Err(Error::NoGroups { stage: "pixel" })));

    let compute = support::shader(&device, "endless.sum", Engine::Interpreter);
    let bound = device.bind(&compute, &Bindings::with_rules(BindingRules::PARTIAL)).unwrap();
    let mut worker = bound.worker().unwrap();
    let refused = worker.begin(&dispatch).unwrap().batch(4, &mut []);
    assert!(matches!(refused, Err(Error::Batch(BatchError::NoBatches))));
}

/// Constant buffers are read when a run begins, and overlaid views hide the ones below.
#[test]
fn threads_share_the_run_of_a_stage() {
    let text = "ps_5_0
        dcl_constantbuffer CB0[1], immediateIndexed
        dcl_input_ps linear v0.x
        dcl_output o0.xyzw
        add o0.xyzw, v0.xxxx, cb0[0].xyzw
        ret";
    let assembly = brolga_bytecode::assembler::assemble(text, &Default::default()).unwrap();
    let device = Device::builder().threads(1).build().unwrap();
    let constants = |first: f32| device.buffer_from(&[first, first + 1.0, first + 2.0, first + 3.0]).unwrap();
    let (below, above) = (constants(1.0), constants(10.0));
    let [below_view, above_view] = [&below, &above].map(|buffer| View::constant(buffer.clone()).unwrap());
    let mut bindings = Bindings::new();
    bindings.set(Register::b(0), below_view);
    let over = [(Register::b(0), above_view)];
    let layers = Layers::new(Some(&bindings), &over, bindings.rules());
    for &engine in ENGINES {
        above.write(0, &[10.0_f32, 11.0, 12.0, 13.0]).unwrap();
        let shader = support::compile(&device, &assembly.bytes, engine).unwrap();
        let none = device.check_bindings(&shader, Layers::new(None, &over[..0], bindings.rules()));
        assert_eq!(none.unwrap_err().to_string(), device.bind(&shader, &Bindings::new()).unwrap_err().to_string());
        device.check_bindings(&shader, layers).unwrap();
        let dispatch = Dispatch::new([0; 3]);
        let run = device.stage_run(&shader, layers, &dispatch, 0).unwrap();
        above.write(0, &[0.0_f32; 4]).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (run, device) = (&run, &device);
                scope.spawn(move || {
                    let mut seat = device.stage_seat();
                    let mut session = run.session(&mut seat).unwrap();
                    for batch in 0..50 {
                        let pixels: Vec<f32> = (0..68).map(|n| (thread * 1000 + batch * 68 + n) as f32).collect();
                        let rows: Vec<u32> = pixels.iter().flat_map(|x| [x.to_bits(), 0, 0, 0]).collect();
                        let mut outputs = vec![0; rows.len()];
                        session.batch(68, &mut [ArrayWords::Read(&rows), ArrayWords::Write(&mut outputs)]).unwrap();
                        let expected = pixels.iter().flat_map(|x| [x + 10.0, x + 11.0, x + 12.0, x + 13.0]);
                        assert!(outputs.into_iter().eq(expected.map(f32::to_bits)), "{engine}");
                    }
                });
            }
        });
    }
}

/// The functional specification lets shaders take derivatives of inputs where the pixels of a quad diverge.
#[test]
fn derivatives_of_inputs_do_not_depend_on_where_pixels_go() {
    let text = "ps_5_0
        dcl_globalFlags refactoringAllowed
        dcl_input_ps linear v0.xy
        dcl_output o0.xyzw
        dcl_temps 1
        mov o0.xyzw, l(0, 0, 0, 0)
        lt r0.x, v0.x, l(2.0)
        if_nz r0.x
        deriv_rtx_coarse o0.x, v0.x
        deriv_rty_fine o0.y, v0.y
        else
        deriv_rtx_fine o0.x, v0.y
        deriv_rty_coarse o0.y, v0.x
        endif
        ret";
    let assembly = brolga_bytecode::assembler::assemble(text, &Default::default()).unwrap();
    let device = Device::builder().threads(1).build().unwrap();
    // Two quads, pixel by pixel: the second one takes the second branch as a whole, two pixels of the first one do.
    let inputs = [[1.0, 8.0], [3.0, 9.0], [1.5, 20.0], [4.0, 22.0], [5.0, 1.0], [6.0, 2.0], [7.0, 3.0], [8.0, 5.0_f32]];
    let expected = [[2.0, 12.0], [1.0, 0.5], [2.0, 12.0], [2.0, 0.5], [1.0, 2.0], [1.0, 2.0], [2.0, 2.0], [2.0, 2.0]];
    for &engine in ENGINES {
        let shader = support::compile(&device, &assembly.bytes, engine).unwrap();
        let rows: Vec<u32> = inputs.iter().flat_map(|[x, y]| [x.to_bits(), y.to_bits(), 0, 0]).collect();
        let mut outputs = vec![0; 4 * inputs.len()];
        let mut arrays = [ArrayWords::Read(&rows), ArrayWords::Write(&mut outputs)];
        let bound = device.bind(&shader, &Bindings::new()).unwrap();
        let dispatch = Dispatch::new([0; 3]);
        bound.worker().unwrap().begin(&dispatch).unwrap().batch(inputs.len() as u32, &mut arrays).unwrap();
        let found: Vec<[f32; 2]> = outputs.chunks(4).map(|row| [row[0], row[1]].map(f32::from_bits)).collect();
        assert_eq!(found, expected, "{engine}");
    }
}

/// Numbers that would lead out of the records, the greatest among them.
#[test]
fn states_that_no_shader_can_have_are_refused() {
    let device = Device::builder().threads(1).build().unwrap();
    let refused = |listing: &str, state: StageState, words: &str| {
        let container = brolga_testing::run::assemble(listing);
        for &engine in ENGINES {
            let options = CompileOptions::new(engine).state(state.clone());
            let error = device.compile(&container, &options).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Call);
            assert!(error.to_string().contains(words), "{error}");
        }
    };
    let pixels = "ps_5_0\ndcl_input_ps linear v0.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyzw\nret";
    let vertices = "vs_5_0\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\nmov o0.xyzw, v0.xyzw\nret";
    for number in [u32::MAX, u32::MAX / 4, 128] {
        let of_registers = PixelState { vertex_rows: number, ..PixelState::default() };
        refused(pixels, StageState::Pixel(of_registers), "they have at most 32");
        let link = Link { components: [LinkedFrom::Vertex(number); 4], is_flat: false };
        for state in [
            PixelState { links: vec![link], ..PixelState::default() },
            PixelState { fog: Some(Fog::Vertex(number)), ..PixelState::default() },
        ] {
            refused(pixels, StageState::Pixel(state), "the last one is 127");
        }
        let format = Format::R32G32B32A32_FLOAT.vertex_format().unwrap();
        let (advance, size_bytes) = (Advance::Vertex, 16);
        let element = VertexElement { row: 0, slot: number, offset: 0, format, is_scaled: false, size_bytes, advance };
        let state = VertexState { elements: vec![element] };
        refused(vertices, StageState::Vertex(state), "the last one is 31");
    }
}
