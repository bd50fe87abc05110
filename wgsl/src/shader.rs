//! Reads a shader: parser, validation, translation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use brolga_ir::function::{Function, Origin};
use naga::valid::{Capabilities, EntryPointError, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{Expression, Module, SampleLevel, ShaderStage, Span};

use crate::error::{Error, Fault};
use crate::options::Options;
use crate::source::Lines;
use crate::translate::{Binding, FaultAt, OverrideInfo, Translated, translate};
use crate::{Position, ends, scan, wording};

/// The number of the sources of this crate.
const SOURCES: &str = env!("BROLGA_SOURCES");

/// Stack of the parser and the translation: the deepest texts that the limits allow take half of it without
/// optimisation.
const STACK_BYTES: usize = 32 << 20;

/// A compute shader of a text, read, checked and translated.
#[derive(Clone, Debug)]
pub struct Shader {
    function: Function,
    to_check: OnceLock<Function>,
    bindings: Vec<Binding>,
    shared: Vec<String>,
    overrides: Vec<OverrideInfo>,
    entry: String,
    text: String,
    options: Options,
    lines: Lines,
    identity: Vec<u8>,
}

impl Shader {
    /// Reads an entry point of a text.
    ///
    /// # Errors
    /// If the text breaks a rule of WGSL, has more than the limits allow, or uses a feature that is not supported.
    pub fn read(text: &str, options: &Options) -> Result<Self, Error> {
        let lines = Lines::new(text.get(..options.limits.text_bytes.min(text.len())).unwrap_or_default());
        let (entry, translated) = read(text, options, false).map_err(|fault| lines.error(fault))?;
        let Translated { function, bindings, shared, overrides } = translated;
        let identity = identity(text, &entry, options);
        let (text, options) = (text.to_owned(), options.clone());
        let to_check = OnceLock::new();
        Ok(Self { function, to_check, bindings, shared, overrides, entry, text, options, lines, identity })
    }

    /// The function with an access [outside](brolga_ir::insight::OUTSIDE) of memory for each that WGSL leaves out, as it is
    /// outside of an array. The first call reads the text again.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn function_to_check(&self) -> Result<&Function, Error> {
        if let Some(known) = self.to_check.get() {
            return Ok(known);
        }
        let (_, translated) = read(&self.text, &self.options, true).map_err(|fault| self.lines.error(fault))?;
        Ok(self.to_check.get_or_init(|| translated.function))
    }

    /// The function, with slots: before the passes.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The name of the entry point.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// The resources that the entry point uses, in the order of the function's.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The workgroup variables that the entry point uses, in the order of the function's shared memory.
    pub fn workgroup_variables(&self) -> &[String] {
        &self.shared
    }

    /// The overrides of the text, used or not, with their values.
    pub fn overrides(&self) -> &[OverrideInfo] {
        &self.overrides
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the text's file, if the options have one.
    pub fn file(&self) -> Option<&str> {
        self.options.file.as_deref()
    }

    /// The place in the text that an instruction comes from.
    pub fn position(&self, origin: Origin) -> Position {
        self.lines.position(origin.0)
    }

    /// The line in the text that an instruction comes from, without the space around it.
    pub fn line(&self, origin: Origin) -> &str {
        self.lines.text(&self.text, origin.0)
    }

    /// Bytes that determine the function: the text, the entry point, overrides, this crate, and the build of naga.
    pub fn identity(&self) -> &[u8] {
        &self.identity
    }
}

fn identity(text: &str, entry: &str, options: &Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |part: &[u8]| {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    };
    add(b"WGSL");
    add(SOURCES.as_bytes());
    // That of this crate is another one with every version of a crate below it.
    add(&brolga_fingerprint::of_build::<Shader>().to_le_bytes());
    add(entry.as_bytes());
    for (name, value) in &options.overrides {
        add(name.as_bytes());
        add(&value.to_bits().to_le_bytes());
    }
    add(text.as_bytes());
    bytes
}

/// Checks, parses and translates a text: the name of its entry point with what was made of it.
fn read(text: &str, options: &Options, is_to_check: bool) -> Result<(String, Translated), FaultAt> {
    scan::check(text, &options.limits).map_err(|(at, fault)| FaultAt { at: Some(at), fault })?;
    let read = || {
        let mut module = parse(text)?;
        ends::complete(&mut module);
        let entry = entry_point(&module, options.entry.as_deref()).map_err(|fault| FaultAt { at: None, fault })?;
        let info = validate(&module)?;
        let translated = translate((&module, &info), entry, options, is_to_check)?;
        Ok((module.entry_points[entry].name.clone(), translated))
    };
    // The parser is other people's code: what it does with a text must not end the caller.
    let read = || catch_unwind(AssertUnwindSafe(read));
    stacker::grow(STACK_BYTES, read).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let fault = Fault::Internal { what: text.unwrap_or_else(|| "panic".to_owned()) };
        Err(FaultAt { at: None, fault })
    })
}

fn parse(text: &str) -> Result<Module, FaultAt> {
    let mut options = naga::front::wgsl::Options::new();
    options.capabilities = Capabilities::all();
    let mut parser = naga::front::wgsl::Frontend::new_with_options(options);
    // Space in place of a mark of the byte order keeps all places.
    let unmarked = text.strip_prefix('\u{feff}').map(|rest| format!("   {rest}"));
    parser.parse(unmarked.as_deref().unwrap_or(text)).map_err(|error| {
        let at = error.labels().find_map(|(span, _)| span.to_range()).map(|range| range.start as u32);
        let message = wording::of_parser(text, error.message(), error.labels().map(|(_, label)| label));
        FaultAt { at, fault: Fault::Syntax { message } }
    })
}

/// Checks the rules of WGSL. Whether threads reach barriers together is seen when they run.
fn validate(module: &Module) -> Result<ModuleInfo, FaultAt> {
    let flags = ValidationFlags::all() - ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    Validator::new(flags, Capabilities::all()).validate(module).map_err(|error| {
        let spans = error.spans().filter_map(|(span, _)| span.to_range());
        // The last one is the most particular.
        let at = spans.last().map(|range| range.start as u32);
        if let ValidationError::EntryPoint { source: EntryPointError::ForbiddenStageOperations, .. } = error.as_inner()
        {
            let derivative = first_derivative(module);
            let at = at.or_else(|| derivative.and_then(Span::to_range).map(|range| range.start as u32));
            let message = match derivative {
                Some(_) => {
                    "this needs derivatives, which compute shaders do not have: textureSampleLevel and \
                     textureSampleCompareLevel do without"
                }
                None => "compute shaders have no pixels that they could discard",
            };
            return FaultAt { at, fault: Fault::Invalid { message: message.to_owned() } };
        }
        let mut messages = vec![error.as_inner().to_string()];
        let mut source = std::error::Error::source(error.as_inner());
        while let Some(inner) = source {
            messages.push(inner.to_string());
            source = inner.source();
        }
        FaultAt { at, fault: Fault::Invalid { message: wording::of_validator(&messages) } }
    })
}

/// The first place in a text that needs derivatives.
fn first_derivative(module: &Module) -> Option<Span> {
    let functions = module.functions.iter().map(|(_, function)| function);
    let all = functions.chain(module.entry_points.iter().map(|point| &point.function));
    let mut expressions = all.flat_map(|function| {
        function.expressions.iter().map(|(handle, expression)| (expression, function.expressions.get_span(handle)))
    });
    let needs = |expression: &Expression| match expression {
        Expression::Derivative { .. } => true,
        Expression::ImageSample { level, .. } => matches!(level, SampleLevel::Auto | SampleLevel::Bias(_)),
        _ => false,
    };
    expressions.find(|(expression, _)| needs(expression)).map(|(_, span)| span)
}

/// The number of an entry point.
fn entry_point(module: &Module, name: Option<&str>) -> Result<usize, Fault> {
    let points = || module.entry_points.iter().enumerate().filter(|(_, point)| point.stage == ShaderStage::Compute);
    let found = || points().map(|(_, point)| point.name.clone()).collect();
    match name {
        Some(name) => points()
            .find(|(_, point)| point.name == name)
            .map(|(number, _)| number)
            .ok_or_else(|| Fault::NoEntryPoint { name: name.to_owned(), found: found() }),
        None => {
            let (first, second) = (points().next(), points().nth(1));
            match (first, second) {
                (Some((number, _)), None) => Ok(number),
                _ => Err(match module.entry_points.first().filter(|_| first.is_none()) {
                    Some(other) => Fault::Unsupported {
                        name: format!("`{}`, a shader of another stage than compute,", other.name),
                    },
                    None => Fault::WhichEntryPoint { found: found() },
                }),
            }
        }
    }
}
