//! Constant buffers by the names of their variables, for programs that have no job.

use brolga_runtime::{Limits, Register};

use super::declared::Found;
use super::document::{self, Syntax};
use super::error::Problem;
use super::model::NamedValue;
use super::table::Table;
use super::variables;

/// The bytes of a shader's constant buffer, from a JSON object with the values of variables, as the table `values` of a job
/// has them. What it does not name is zero.
///
/// # Errors
/// If the shader cannot be read, the text is not JSON, a name is not known or a value does not fit.
pub fn constants(container: &[u8], register: Register, json: &str, limits: &Limits) -> Result<Vec<u8>, Problem> {
    let found = Found::read(container, limits).map_err(|error| Problem::Run { shader: "the shader".into(), error })?;
    let buffer = found.constants(register);
    let at = |(problem, _)| problem;
    let root = document::parse(json, Syntax::Json).map_err(at)?;
    let table = Table::open(&root, "the constants", "the values of variables").map_err(at)?;
    let values: Vec<_> = table.entries().iter().map(NamedValue::explicit).collect();
    let runs = variables::runs(register, &values, buffer).map_err(at)?;
    variables::check_overlaps(register, &[], &runs).map_err(at)?;
    let end = runs.iter().map(|run| run.end()).max().unwrap_or(0);
    let mut bytes = vec![0; end.max(buffer.map_or(0, |buffer| buffer.size_bytes.into())) as usize];
    for run in &runs {
        bytes[run.byte as usize..run.end() as usize].copy_from_slice(&run.bytes);
    }
    Ok(bytes)
}
