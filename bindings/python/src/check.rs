//! Defines the findings of checked dispatches.

use std::sync::Arc;

use brolga::ErrorKind;
use brolga::insight::{self, CheckOptions, FindingKind, Place};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::messages::Instruction;

/// A thread that takes part in a finding.
#[pyclass(frozen, module = "brolga")]
pub struct Party {
    party: insight::Party,
}

#[pymethods]
impl Party {
    /// The kind of access: "read", "write" or "atomic".
    #[getter]
    fn access(&self) -> &'static str {
        self.party.access.name()
    }

    /// The instruction.
    #[getter]
    fn instruction(&self) -> Instruction {
        Instruction { location: Arc::clone(&self.party.location) }
    }

    /// The thread's group.
    #[getter]
    fn group(&self) -> [u32; 3] {
        self.party.position().0
    }

    /// Its position in the group.
    #[getter]
    fn thread(&self) -> [u32; 3] {
        self.party.position().1
    }

    /// Its number in the group.
    #[getter]
    fn index(&self) -> u32 {
        self.party.index
    }

    fn __repr__(&self) -> String {
        let insight::Party { access, location, sender, .. } = &self.party;
        format!("<brolga.Party {} by {sender} at {location}>", access.name())
    }
}

/// What `BoundShader.check` found: its first occurrence, and how many there were. Its `str` says all of it.
#[pyclass(frozen, module = "brolga")]
pub struct Finding {
    pub(crate) finding: insight::Finding,
}

#[pymethods]
impl Finding {
    /// Its kind: "race", "bounds", "uninitialised", "barrier", "misaligned" or "unbound".
    #[getter]
    fn kind(&self) -> &'static str {
        self.finding.kind.name()
    }

    /// What was accessed, as listings name it ("g0", "u2", "r3.y"); None for a barrier.
    #[getter]
    fn subject(&self) -> Option<String> {
        self.finding.subject.map(|subject| subject.to_string())
    }

    /// What the shader's source calls that; None if its file does not say so.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.finding.name.as_deref()
    }

    /// The accesses in the order in which they happened: two of a race, else one. Of a barrier the first and the last
    /// thread that go to it, then the first and the last that do not.
    #[getter]
    fn parties(&self) -> Vec<Party> {
        self.finding.parties.iter().map(|party| Party { party: party.clone() }).collect()
    }

    /// What `place` counts: "byte", "element" or "texel"; None if it is all of what was accessed.
    #[getter]
    fn unit(&self) -> Option<&'static str> {
        match self.finding.place {
            Place::Byte(_) => Some("byte"),
            Place::Element(_) => Some("element"),
            Place::Texel(_) => Some("texel"),
            _ => None,
        }
    }

    /// The place in what was accessed: one number, or three of a texel.
    #[getter]
    fn place(&self) -> Vec<u64> {
        match self.finding.place {
            Place::Byte(byte) => vec![byte],
            Place::Element(element) => vec![element.into()],
            Place::Texel(texel) => texel.map(u64::from).to_vec(),
            _ => Vec::new(),
        }
    }

    /// Elements of what was accessed, or bytes if its place is a byte.
    #[getter]
    fn extent(&self) -> u64 {
        self.finding.extent
    }

    /// Words of an access past an end that are inside, and those that are not; of a barrier threads that go to it, and
    /// those that do not.
    #[getter]
    fn words(&self) -> [u32; 2] {
        self.finding.words
    }

    /// True for a race between groups.
    #[getter]
    fn between_groups(&self) -> bool {
        self.finding.between_groups
    }

    /// The barrier; or the instruction that used what was read, if only that made it a finding.
    #[getter]
    fn other(&self) -> Option<Instruction> {
        self.finding.other.as_ref().map(|location| Instruction { location: Arc::clone(location) })
    }

    /// Occurrences: of a race pairs of accesses.
    #[getter]
    fn count(&self) -> u64 {
        self.finding.count
    }

    fn __str__(&self) -> String {
        self.finding.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<brolga.Finding {}>", self.finding.headline())
    }
}

/// The options of a check.
pub fn options(
    kinds: Option<Vec<String>>,
    strict: bool,
    group: Option<[u32; 3]>,
    shadow_words: Option<usize>,
) -> Result<CheckOptions, Failure> {
    let mut options = CheckOptions::default();
    if let Some(kinds) = kinds {
        let parse = |name: &String| {
            FindingKind::from_name(name).ok_or_else(|| {
                let names = FindingKind::ALL.map(|kind| format!("{:?}", kind.name())).join(", ");
                Failure::new(ErrorKind::Call, format!("{name:?} is no kind of finding: they are {names}"))
            })
        };
        options.kinds = kinds.iter().map(parse).collect::<Result<_, _>>()?;
    }
    (options.is_strict, options.group) = (strict, group);
    options.shadow_words = shadow_words.unwrap_or(options.shadow_words);
    Ok(options)
}

/// The findings of a run. A warning says if some accesses were not checked.
pub fn findings(py: Python<'_>, checked: insight::Checked) -> PyResult<Vec<Finding>> {
    let unwatched = checked.summary.unwatched;
    if unwatched > 0 {
        let message = format!("{unwatched} accesses to views were beyond the limit, and not checked for races");
        PyErr::warn(py, &PyRuntimeWarning::type_object(py), &std::ffi::CString::new(message)?, 1)?;
    }
    Ok(checked.findings.into_iter().map(|finding| Finding { finding }).collect())
}
