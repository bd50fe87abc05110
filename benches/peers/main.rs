//! Brolga on the compute shaders that other runtimes were measured with: the same inputs, sizes and checks, and lines
//! of JSON in the same form, so that rounds of all of them lie side by side.
//!
//! ```text
//! cargo bench --bench peers -- [FOLDER] [--only CASE,…] [--json] [--label NAME] [--budget-ms N] [--threads N] [--emit FOLDER]
//! ```
//!
//! FOLDER holds the containers (`saxpy.cso`, …); without it `../shared/bench/peers/cso` is taken if it exists. Per case:
//! the least processor time and the least wall time of a dispatch in milliseconds, and the least processor time of a
//! compilation. Results are compared once with a plain model (`model.rs`). `--emit` writes what the shaders became.
//!
//! | file | what |
//! |---|---|
//! | `main.rs` | arguments, measuring, output |
//! | `cases.rs` | inputs and sizes of each case |
//! | `model.rs` | what must come out, and how near to it |

mod cases;
mod model;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use brolga::bench::{Sample, Stopwatch};
use brolga::{Bindings, CompileOptions, Device, Dispatch, Emit, Engine, Shader, View};

use cases::Case;

/// What was asked for.
struct Options {
    folder: PathBuf,
    only: Vec<String>,
    json: bool,
    label: String,
    budget: Duration,
    threads: usize,
    emit: Option<PathBuf>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/peers/cso"),
            only: Vec::new(),
            json: false,
            label: "brolga_1".to_owned(),
            budget: Duration::from_millis(400),
            threads: 1,
            emit: None,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value"));
            match arg.as_str() {
                // What cargo itself adds.
                "--bench" => {}
                "--json" => options.json = true,
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                "--label" => options.label = value()?,
                "--budget-ms" => options.budget = Duration::from_millis(number(&value()?)?),
                "--threads" => options.threads = number(&value()?)? as usize,
                "--emit" => options.emit = Some(value()?.into()),
                _ if arg.starts_with('-') => return Err(format!("there is no option {arg}")),
                _ => options.folder = arg.into(),
            }
        }
        if let Some(unknown) = options.only.iter().find(|name| !cases::NAMES.contains(&name.as_str())) {
            return Err(format!("there is no case {unknown}; there are {}", cases::NAMES.join(" ")));
        }
        if !options.folder.is_dir() {
            return Err(format!("{} is no folder; name the one that holds the .cso files", options.folder.display()));
        }
        Ok(options)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}

/// What one case took.
struct Measured {
    /// Least processor time of a dispatch.
    cpu_ms: f64,
    /// Least wall time of a dispatch.
    wall_ms: f64,
    /// Measurements taken.
    reps: usize,
    /// Least processor time of a compilation, of several.
    compile_min_ms: f64,
    /// Processor time of the first one.
    compile_first_ms: f64,
    /// Bytes of machine code.
    code_bytes: usize,
    /// How the result compares with the model's.
    check: model::Check,
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("peers: {problem}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("peers: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Measures the cases asked for. Whether all results were right.
fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let device = Device::builder().threads(options.threads).build()?;
    let mut all_right = true;
    if !options.json {
        println!("{:9} {:>10} {:>10} {:>9} {:>10} {:>7}", "case", "cpu ms", "wall ms", "M/s", "compile ms", "bytes");
    }
    for name in cases::NAMES {
        if !options.only.is_empty() && !options.only.iter().any(|only| only == name) {
            continue;
        }
        let case = Case::new(name);
        let measured = measure(&device, &case, options).map_err(|error| format!("{name}: {error}"))?;
        all_right &= measured.check.is_right();
        if options.json {
            println!("{}", as_json(&case, &measured, &options.label));
        } else {
            print_row(&case, &measured);
        }
        std::io::stdout().flush()?;
    }
    Ok(all_right)
}

fn measure(device: &Device, case: &Case, options: &Options) -> Result<Measured, Box<dyn Error>> {
    let path = options.folder.join(case.file);
    let container = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (shader, compile_first_ms, compile_min_ms) = compile(device, &container)?;
    if let Some(folder) = &options.emit {
        emit(&shader, folder, case.name)?;
    }

    let output = device.buffer_from_bytes(&case.output.bytes())?;
    let mut bindings = Bindings::new();
    bindings.set("u0".parse()?, View::structured(output.clone(), case.output.stride_bytes)?);
    for (register, input) in ["t0", "t1"].into_iter().zip(&case.inputs) {
        let buffer = device.buffer_from_bytes(&input.bytes())?;
        bindings.set(register.parse()?, View::structured(buffer, input.stride_bytes)?);
    }
    if !case.constants.is_empty() {
        let buffer = device.buffer_from_bytes(&cases::bytes(&case.constants))?;
        bindings.set("b0".parse()?, View::constant(buffer)?);
    }
    let dispatch = Dispatch::new(case.groups);

    device.dispatch(&shader, &bindings, &dispatch)?;
    let got: Vec<u32> = output.to_vec().chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let check = model::check(case, &got);

    let (mut cpu_ms, mut wall_ms, mut reps) = (f64::MAX, f64::MAX, 0);
    let begin = Instant::now();
    while reps < 5 || (begin.elapsed() < options.budget && reps < 400) {
        let watch = Stopwatch::start();
        for _ in 0..case.at_once {
            device.dispatch(&shader, &bindings, &dispatch)?;
        }
        let sample = watch.stop();
        cpu_ms = cpu_ms.min(processor_ms(sample) / f64::from(case.at_once));
        wall_ms = wall_ms.min(sample.wall.as_secs_f64() * 1e3 / f64::from(case.at_once));
        reps += 1;
    }
    let code_bytes = shader.code_bytes().unwrap_or(0);
    Ok(Measured { cpu_ms, wall_ms, reps, compile_min_ms, compile_first_ms, code_bytes, check })
}

/// Processor time, or wall time where the system does not tell it.
fn processor_ms(sample: Sample) -> f64 {
    sample.cpu.unwrap_or(sample.wall).as_secs_f64() * 1e3
}

/// Compiles a container several times. The time of the first, and the least.
fn compile(device: &Device, container: &[u8]) -> Result<(Shader, f64, f64), brolga::Error> {
    let once = || {
        let watch = Stopwatch::start();
        let shader = device.compile(container, &CompileOptions::new(Engine::Jit))?;
        Ok::<_, brolga::Error>((shader, processor_ms(watch.stop())))
    };
    let (shader, first) = once()?;
    let mut least = first;
    for _ in 0..9 {
        least = least.min(once()?.1);
    }
    Ok((shader, first, least))
}

/// Writes the forms of a shader to files.
fn emit(shader: &Shader, folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    for (form, extension) in [(Emit::Ir, "ir"), (Emit::Clif, "clif"), (Emit::Asm, "asm")] {
        std::fs::write(folder.join(format!("{name}.{extension}")), shader.emit(form)?.to_string())?;
    }
    Ok(())
}

fn as_json(case: &Case, measured: &Measured, label: &str) -> serde_json::Value {
    serde_json::json!({
        "k": case.name,
        "impl": label,
        "wall": measured.wall_ms,
        "cpu": measured.cpu_ms,
        "reps": measured.reps,
        "items": case.items,
        "ok": u8::from(measured.check.is_right()),
        "err": measured.check.most,
        "bad": measured.check.wrong,
        "compile_first": measured.compile_first_ms,
        "compile_min": measured.compile_min_ms,
        "code_bytes": measured.code_bytes,
    })
}

fn print_row(case: &Case, measured: &Measured) {
    println!(
        "{:9} {:10.4} {:10.4} {:9.0} {:10.2} {:7}{}",
        case.name,
        measured.cpu_ms,
        measured.wall_ms,
        case.items as f64 / measured.cpu_ms / 1e3,
        measured.compile_min_ms,
        measured.code_bytes,
        if measured.check.is_right() { "" } else { "  WRONG" },
    );
}
