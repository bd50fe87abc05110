//! Runs a shader that is written as text, on constants and inputs that a test gives.
//!
//! A texture has no texels here: a sample returns its own operands. Its x and y are the coordinates; z is the third one
//! or, of a 2D texture, the first coordinate's derivative along x; w is 100 times the texture's number, plus the level
//! of detail or the bias, plus the second coordinate's derivative along y.

use brolga_bytecode::Limits;
use brolga_bytecode::sm3::{self, ValidProgram, Version};
use brolga_bytecode::sm5::Stage;
use brolga_ir::batch::ArrayWords;
use brolga_ir::function::{AtomicOp, CounterOp, Query};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interface::{Dimension, Interface, ResourceClass, ResourceKind};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::sampling::{SampleArg, SampleCall, Sampling};
use brolga_ir::span::Packing;
use brolga_ir::stage::{Parameter, Semantic, Signature, SystemValue};
use brolga_ir::translate::sm3::{TranslateOptions, translate};
use brolga_ir::verify::{VerifiedFunction, verify};

/// Invocations of a run: a quad.
pub const QUAD: usize = 4;

/// The constants that the application sets.
#[derive(Clone, Default)]
pub struct Constants {
    pub floats: Vec<[f32; 4]>,
    pub integers: Vec<[i32; 4]>,
    pub booleans: Vec<u32>,
    /// Two vectors for each texture stage.
    pub stages: Vec<[f32; 4]>,
}

/// A shader, ready to run.
pub struct Shader {
    func: VerifiedFunction,
    version: Version,
}

/// The outputs of a quad's invocations: a row of floats for each output.
pub struct Outputs {
    rows: [Vec<[f32; 4]>; QUAD],
    discarded: [bool; QUAD],
    depth_row: Option<usize>,
}

pub fn assembled(text: &str) -> ValidProgram {
    let program = sm3::assemble(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    sm3::validate(program, &Limits::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

impl Shader {
    pub fn new(text: &str, options: &TranslateOptions) -> Self {
        let program = assembled(text);
        let mut func = translate(&program, options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        optimise(&mut func, Level::Full);
        let func = verify(func).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        Self { func, version: program.program().version }
    }

    /// Runs a quad. Inputs are named by their registers, and `vPos` and `vFace` by these names.
    pub fn run(&self, constants: &Constants, inputs: &[(&str, [[f32; 4]; QUAD])]) -> Outputs {
        let interface = &self.func.interface;
        let signature = self.signature();
        let (input_rows, output_rows) = (signature.input_rows() as usize, signature.output_rows() as usize);
        let mut read = vec![0; input_rows * 4 * QUAD];
        for (name, values) in inputs {
            let row = self.input_row(name);
            for (invocation, value) in values.iter().enumerate() {
                let at = (invocation * input_rows + row) * 4;
                read[at..at + 4].copy_from_slice(&value.map(f32::to_bits));
            }
        }
        let mut written = vec![0xdead_beef; output_rows * 4 * QUAD];
        let host = Bound { interface, constants };
        let mut arrays: Vec<ArrayWords<'_>> = Vec::new();
        arrays.extend(signature.input_array.map(|_| ArrayWords::Read(&read)));
        arrays.extend(signature.output_array.map(|_| ArrayWords::Write(&mut written)));
        let interpreter = Interpreter::with_packing(&self.func, Packing::Row);
        let (mut arena, mut fuel) = (Arena::default(), 100_000);
        interpreter.run_batch(&host, QUAD as u32, &mut arrays, &mut arena, &mut fuel).expect("tests' shaders end");

        let row_of =
            |value| signature.outputs.iter().find(|o| o.system_value == Some(value)).map(|output| output.row as usize);
        let rows: [Vec<[f32; 4]>; QUAD] = std::array::from_fn(|invocation| {
            let words = &written[invocation * output_rows * 4..][..output_rows * 4];
            words.chunks(4).map(|row| std::array::from_fn(|n| f32::from_bits(row[n]))).collect()
        });
        let discarded = row_of(SystemValue::Discarded);
        let discarded = std::array::from_fn(|n| discarded.is_some_and(|row| rows[n][row][0].to_bits() != 0));
        Outputs { rows, discarded, depth_row: row_of(SystemValue::Depth) }
    }

    /// Runs a quad of equal invocations, whose inputs are these.
    pub fn run_one(&self, constants: &Constants, inputs: &[(&str, [f32; 4])]) -> Outputs {
        let inputs: Vec<_> = inputs.iter().map(|&(name, value)| (name, [value; QUAD])).collect();
        self.run(constants, &inputs)
    }

    fn signature(&self) -> &Signature {
        self.func.interface.stage.signature().expect("there are no other stages")
    }

    fn input_row(&self, name: &str) -> usize {
        let special = match name {
            "vPos" => Some(SystemValue::Position),
            "vFace" => Some(SystemValue::IsFrontFace),
            _ => None,
        };
        if let Some(value) = special {
            let input = self.signature().inputs.iter().find(|input| input.system_value == Some(value));
            return input.expect("the shader declares it").row as usize;
        }
        let is_old_pixel = self.version.stage() == Stage::Pixel && self.version.major() < 3;
        self.row(
            &self.signature().inputs,
            name,
            &[("t", "texcoord"), ("v", "color")][..if is_old_pixel { 2 } else { 0 }],
        )
    }

    /// The row of an output of a vertex shader.
    pub fn output_row(&self, name: &str) -> usize {
        let semantics = [("oPos", "position"), ("oFog", "fog"), ("oPts", "psize"), ("oD", "color"), ("oT", "texcoord")];
        self.row(&self.signature().outputs, name, &semantics)
    }

    /// The row of a register: that of its semantic, if its name implies one, and otherwise its number.
    fn row(&self, parameters: &[Parameter], name: &str, semantics: &[(&str, &str)]) -> usize {
        let named = semantics.iter().find_map(|(file, semantic)| Some((*semantic, name.strip_prefix(file)?)));
        let Some((semantic, number)) = named else {
            return name.trim_start_matches(char::is_alphabetic).parse().expect("a register with a number");
        };
        let semantic = Semantic::new(semantic, number.parse().unwrap_or(0));
        let is_its = |parameter: &&Parameter| parameter.semantic.as_ref().is_some_and(|its| its.matches(&semantic));
        parameters.iter().find(is_its).expect("the shader has it").row as usize
    }
}

impl Outputs {
    /// A row, the same of all invocations.
    #[track_caller]
    pub fn row(&self, row: usize) -> [f32; 4] {
        let [first, others @ ..] = self.rows.each_ref().map(|rows| rows[row].map(f32::to_bits));
        assert!(others.iter().all(|other| *other == first), "equal invocations leave the same");
        first.map(f32::from_bits)
    }

    /// A row of each invocation.
    pub fn rows(&self, row: usize) -> [[f32; 4]; QUAD] {
        self.rows.each_ref().map(|rows| rows[row])
    }

    pub fn discarded(&self) -> [bool; QUAD] {
        self.discarded
    }

    #[track_caller]
    pub fn depth(&self) -> f32 {
        self.row(self.depth_row.expect("the shader decides on the depth"))[0]
    }
}

struct Bound<'a> {
    interface: &'a Interface,
    constants: &'a Constants,
}

impl Host for Bound<'_> {
    fn load(&self, at: Address, words: &mut [u32]) {
        let resource = self.interface.resource(at.view.id);
        assert_eq!(resource.class, ResourceClass::Constant);
        let ResourceKind::Constant { vectors } = resource.kind else { panic!("it is a constant buffer") };
        let Constants { floats, integers, booleans, stages } = self.constants;
        let bits = |vectors: &[[f32; 4]]| vectors.iter().flatten().map(|number| number.to_bits()).collect();
        let buffer: Vec<u32> = match resource.lower {
            0 => bits(floats),
            1 => integers.iter().flatten().map(|&number| number as u32).collect(),
            2 => booleans.clone(),
            3 => bits(stages),
            _ => panic!("there are four constant buffers"),
        };
        let index = at.index.expect("vectors have an index");
        for (n, word) in (at.offset_bytes as usize / 4..).zip(words) {
            let is_inside = index < vectors && n < 4;
            let place = index as usize * 4 + n;
            *word = if is_inside { buffer.get(place).copied().unwrap_or(0) } else { 0 };
        }
    }

    fn sample(&self, call: SampleCall<'_>) {
        let SampleCall { sampling, texture, lanes, args, results, .. } = call;
        let resource = self.interface.resource(texture.0);
        let ResourceKind::Typed { dimension, .. } = resource.kind else { panic!("it is a texture") };
        let width = results.len() / 4;
        for lane in (0..width).filter(|lane| lanes >> lane & 1 == 1) {
            let args: Vec<f32> = args.iter().map(|row| f32::from_bits(row[lane])).collect();
            let texel = answer(sampling, dimension, resource.lower, &args);
            for (component, value) in texel.into_iter().enumerate() {
                results[component * width + lane] = value.to_bits();
            }
        }
    }

    fn query(&self, _: Query, _: ViewSlot, _: u32) -> [u32; 4] {
        unreachable!("Direct3D 9 has no queries")
    }

    fn stop_requested(&self) -> bool {
        false
    }

    fn store(&self, _: Address, _: &[u32]) {
        unreachable!("Direct3D 9 writes nothing")
    }

    fn atomic(&self, _: AtomicOp, _: Address, _: u32, _: u32) -> u32 {
        unreachable!("Direct3D 9 writes nothing")
    }

    fn counter(&self, _: CounterOp, _: ViewSlot) -> u32 {
        unreachable!("Direct3D 9 writes nothing")
    }

    fn texel_load(&self, _: ViewSlot, _: [u32; 3], _: u32) -> [u32; 4] {
        unreachable!("Direct3D 9 reads no texels")
    }

    fn texel_store(&self, _: ViewSlot, _: [u32; 3], _: [u32; 4]) {
        unreachable!("Direct3D 9 writes nothing")
    }

    fn texel_atomic(&self, _: AtomicOp, _: ViewSlot, _: [u32; 3], _: u32, _: u32) -> u32 {
        unreachable!("Direct3D 9 writes nothing")
    }
}

/// The result of a sample; see the head of the file.
fn answer(sampling: Sampling, dimension: Dimension, number: u32, args: &[f32]) -> [f32; 4] {
    let mut texel = [0.0, 0.0, 0.0, 100.0 * number as f32];
    let mut next = args.iter().copied();
    for (arg, count) in sampling.args(dimension) {
        let values: Vec<f32> = next.by_ref().take(count).collect();
        match arg {
            SampleArg::Coordinates => texel[..count].copy_from_slice(&values),
            SampleArg::AlongX if count == 2 => texel[2] = values[0],
            SampleArg::AlongY if count == 2 => texel[3] += values[1],
            SampleArg::AlongX | SampleArg::AlongY => {}
            SampleArg::Level | SampleArg::Bias => texel[3] += values[0],
            SampleArg::Offsets | SampleArg::Reference | SampleArg::Clamp => panic!("Direct3D 9 has no {arg:?}"),
        }
    }
    texel
}
