//! stub
use super::Program;
use crate::limits::Limits;
/// stub
#[derive(Debug)]
pub struct ValidProgram;
/// stub
#[derive(Debug)]
pub struct ValidateError;
/// stub
pub fn validate(_program: Program, _limits: &Limits) -> Result<ValidProgram, ValidateError> {
    Ok(ValidProgram)
}
