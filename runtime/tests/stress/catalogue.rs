//! Makes the jobs to dispatch: shaders of the corpus with inputs, and the output of each, computed once by the
//! interpreter in one thread.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use brolga_bytecode::LoadOptions;
use brolga_ir::entity::Inst;
use brolga_ir::function::{Function, InstKind, Object};
use brolga_ir::interface::ResourceClass;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_runtime::{Bindings, Device, Dispatch, Engine, Error, Shader};

use crate::support::case::{Case, compute_shaders, data};
use crate::support::compile;
use crate::support::content::{Content, Contents, Form, bind};
use crate::support::random::{Random, contents};

/// Loop iterations of a group with which a job must finish.
const PLENTY: u64 = 2_000;
/// Loop iterations of a group with which some jobs do not.
pub const FEW: u64 = 3;

/// A shader with its inputs.
#[derive(Debug)]
pub struct Job {
    pub name: String,
    /// Position in [`Catalogue::shaders`].
    pub shader: usize,
    pub contents: Contents,
    pub groups: [u32; 3],
    /// `true` if groups may run in any order and at the same time.
    pub any_order: bool,
    /// Its output; empty for an endless job.
    pub after: After,
    /// Its outcome with [`FEW`] iterations.
    pub with_few_rounds: Result<(), String>,
}

/// Content and hidden counter of every view, in the order of the job's contents.
pub type After = Vec<(Vec<u8>, Option<u32>)>;

impl Job {
    /// Current contents of the views.
    pub fn seen(&self, bindings: &Bindings) -> After {
        seen(&self.contents, bindings)
    }

    /// Initial contents of the views.
    pub fn before(&self) -> After {
        self.contents.iter().map(|(_, content)| (content.bytes.clone(), content.counter)).collect()
    }
}

fn seen(contents: &Contents, bindings: &Bindings) -> After {
    let views = contents.iter().map(|(register, _)| bindings.get(*register).expect("it was bound"));
    views.map(|view| (view.to_vec().unwrap(), view.counter().map(|counter| counter.get()))).collect()
}

/// All jobs.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// Containers.
    pub shaders: Vec<Vec<u8>>,
    /// Jobs that come to an end.
    pub jobs: Vec<Job>,
    /// Jobs that do not.
    pub endless: Vec<Job>,
}

impl fmt::Display for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any_order = self.jobs.iter().filter(|job| job.any_order).count();
        let short = self.jobs.iter().filter(|job| job.with_few_rounds.is_err()).count();
        let (jobs, shaders, endless) = (self.jobs.len(), self.shaders.len(), self.endless.len());
        write!(
            f,
            "{jobs} jobs with an end ({any_order} in any order, {short} stopped by {FEW} rounds) and {endless} without, \
             {shaders} shaders"
        )
    }
}

impl Catalogue {
    /// Jobs of every `step`-th shader of the corpus.
    pub fn new(step: usize) -> Self {
        let device = Device::builder().threads(1).build().unwrap();
        let mut catalogue = Self::default();
        for (seed, path) in (1..).zip(compute_shaders()).step_by(step) {
            catalogue.add_shader(&device, &path, seed);
        }
        for entry in ["plain", "one_thread", "barriers"] {
            catalogue.add_endless(entry);
        }
        catalogue
    }

    fn add_shader(&mut self, device: &Device, path: &Path, seed: u64) {
        let bytes = std::fs::read(path).unwrap();
        let shader = match compile(device, &bytes, Engine::Interpreter) {
            Ok(shader) => shader,
            // Another test lists which these may be.
            Err(Error::Translate(_)) => return,
            Err(error) => panic!("{}: {error}", path.display()),
        };
        let alone = !communicates(&bytes);
        let mut inputs = Vec::new();
        for (n, groups) in (0..).zip([[2, 2, 1], [7, 3, 2]]) {
            let mut random = Random::tame(seed + n * 1000);
            inputs.push((contents(&shader, &mut random), groups, alone));
        }
        if let Some(name) = path.parent().filter(|folder| folder.parent() == Some(&data().join("exec"))) {
            let case = Case::read(name.file_name().unwrap().to_str().unwrap());
            let contents = case.contents();
            let any_order = contents.iter().all(|(register, _)| !case.is_unordered(&register.to_string()));
            inputs.push((contents, case.groups(), any_order));
        }
        let name = path.strip_prefix(data()).unwrap_or(path).display().to_string();
        let number = self.shaders.len();
        self.shaders.push(bytes);
        for (contents, groups, any_order) in inputs {
            let run = |rounds| run(device, &shader, &contents, groups, rounds);
            let (Ok(()), after) = run(PLENTY) else { continue };
            let any_order = any_order && backwards(device, &shader, &contents, groups) == after;
            let with_few_rounds = run(FEW).0;
            let name = format!("{name} {groups:?}");
            self.jobs.push(Job { name, shader: number, contents, groups, any_order, after, with_few_rounds });
        }
    }

    /// `endless.hlsl` with a number of iterations that its loops never reach.
    fn add_endless(&mut self, entry: &str) {
        let path = format!("{}/tests/data/endless.{entry}.cso", env!("CARGO_MANIFEST_DIR"));
        let number = self.shaders.len();
        self.shaders.push(std::fs::read(path).unwrap());
        for groups in [[2, 1, 1], [300, 1, 1]] {
            let rounds = Content::new(Form::Constant, 7u32.to_le_bytes().to_vec());
            let result = Content::new(Form::Raw, vec![0; 300 * 20 * 4]);
            let contents = vec![("b0".parse().unwrap(), rounds), ("u0".parse().unwrap(), result)];
            let device = Device::builder().threads(1).build().unwrap();
            let shader = compile(&device, &self.shaders[number], Engine::Interpreter).unwrap();
            let (with_few_rounds, after) = (run(&device, &shader, &contents, groups, FEW).0, After::new());
            let name = format!("endless.{entry} {groups:?}");
            self.endless.push(Job { name, shader: number, contents, groups, any_order: true, after, with_few_rounds });
        }
    }
}

/// Runs a job in one thread.
fn run(
    device: &Device,
    shader: &Shader,
    contents: &Contents,
    groups: [u32; 3],
    rounds: u64,
) -> (Result<(), String>, After) {
    let bindings = bind(contents, device);
    let dispatch = Dispatch::new(groups).fuel(rounds);
    let end = device.dispatch(shader, &bindings, &dispatch).map(|_| ()).map_err(|error| error.to_string());
    (end, seen(contents, &bindings))
}

/// The output of a job whose groups run in sequence, the last one first.
fn backwards(device: &Device, shader: &Shader, contents: &Contents, groups: [u32; 3]) -> After {
    let bindings = bind(contents, device);
    let [width, height, depth] = groups;
    for z in (0..depth).rev() {
        for y in (0..height).rev() {
            for x in (0..width).rev() {
                let dispatch = Dispatch::new([1; 3]).first_group([x, y, z]);
                device.dispatch(shader, &bindings, &dispatch).unwrap();
            }
        }
    }
    seen(contents, &bindings)
}

/// `true` if a group may observe another one: it reads memory that the shader writes, or uses the result of an atomic.
fn communicates(container: &[u8]) -> bool {
    let program = brolga_bytecode::Shader::load(container, &LoadOptions::default()).unwrap().program;
    // Not without a choice of instances: then it may do anything.
    let Ok(function) = translate(&program, &TranslateOptions::default()) else { return true };
    let used: HashSet<_> = function.each_inst().flat_map(|inst| function.inst(inst).kind.args()).collect();
    let is_used = |inst: Inst| function.inst(inst).results.iter().any(|result| used.contains(result));
    function.each_inst().any(|inst| match &function.inst(inst).kind {
        InstKind::Counter { .. } => true,
        InstKind::Load { place } => is_written(&function, &place.object),
        InstKind::TexelLoad { resource, .. } => is_written(&function, &Object::Resource(*resource)),
        InstKind::Atomic { .. } | InstKind::TexelAtomic { .. } => is_used(inst),
        _ => false,
    })
}

fn is_written(function: &Function, object: &Object) -> bool {
    match object {
        Object::Resource(resource) => function.interface.resource(resource.id).class == ResourceClass::UnorderedAccess,
        _ => false,
    }
}
