//! Decodes operands.

use super::error::DecodeError;
use crate::limits::Limits;
use crate::reader::Reader;
use crate::sm5::codes::{MinPrecision, ReturnType};
use crate::sm5::operand::{Components, Index, IndexForm, Operand, RegisterFile};

/// Four return types of four bits each, x lowest.
pub(super) fn return_types(at: u32, bits: u32) -> Result<[ReturnType; 4], DecodeError> {
    let mut returns = [ReturnType::Unused; 4];
    for (n, return_type) in returns.iter_mut().enumerate() {
        let code = bits >> (4 * n) & 0xf;
        *return_type = ReturnType::from_code(code).ok_or(DecodeError::UnknownCode { at, what: "return type", code })?;
    }
    Ok(returns)
}

/// Reads an operand with everything that belongs to it.
pub(super) fn operand(reader: &mut Reader<'_>, limits: &Limits) -> Result<Operand, DecodeError> {
    nested_operand(reader, limits, 0)
}

fn nested_operand(reader: &mut Reader<'_>, limits: &Limits, depth: u32) -> Result<Operand, DecodeError> {
    let at = reader.at();
    if depth > limits.index_depth {
        return Err(DecodeError::IndexDepth { at, limit: limits.index_depth });
    }
    let token = reader.u32()?;
    let code = token >> 12 & 0xff;
    let file = RegisterFile::from_code(code).ok_or(DecodeError::UnknownCode { at, what: "operand type", code })?;
    let mut operand = Operand::new(file, components(at, token)?);
    extended_operand_tokens(token, reader, &mut operand)?;

    let words = match (file, operand.components) {
        (RegisterFile::Immediate32, Components::One) => 1,
        (RegisterFile::Immediate64, Components::One) => 2,
        (RegisterFile::Immediate32 | RegisterFile::Immediate64, Components::None) => {
            return Err(DecodeError::UnknownCode { at, what: "component count of an immediate", code: 0 });
        }
        (RegisterFile::Immediate32 | RegisterFile::Immediate64, _) => 4,
        _ => 0,
    };
    let dimensions = token >> 20 & 3;
    if words > 0 && dimensions > 0 {
        return Err(DecodeError::UnknownCode { at, what: "index count of an immediate", code: dimensions });
    }
    for _ in 0..words {
        operand.immediate.push(reader.u32()?);
    }
    for n in 0..dimensions {
        operand.indices.push(index(reader, limits, depth, token >> (22 + 3 * n) & 7)?);
    }
    Ok(operand)
}

fn components(at: u32, token: u32) -> Result<Components, DecodeError> {
    match token & 3 {
        0 => Ok(Components::None),
        1 => Ok(Components::One),
        2 => match token >> 2 & 3 {
            0 => Ok(Components::Mask((token >> 4 & 0xf) as u8)),
            1 => Ok(Components::Swizzle([4, 6, 8, 10].map(|shift| (token >> shift & 3) as u8))),
            2 => Ok(Components::Select((token >> 4 & 3) as u8)),
            code => Err(DecodeError::UnknownCode { at, what: "component selection mode", code }),
        },
        code => Err(DecodeError::UnknownCode { at, what: "component count", code }),
    }
}

/// Reads the tokens that follow an operand token while bit 31 is set. Unknown ones are skipped.
fn extended_operand_tokens(token: u32, reader: &mut Reader<'_>, operand: &mut Operand) -> Result<(), DecodeError> {
    let mut last = token;
    while last >> 31 != 0 {
        let at = reader.at();
        last = reader.u32()?;
        if last & 0x3f != 1 {
            continue;
        }
        let code = last >> 6 & 0xff;
        if code > 3 {
            return Err(DecodeError::UnknownCode { at, what: "operand modifier", code });
        }
        operand.negate = code & 1 != 0;
        operand.absolute = code & 2 != 0;
        let code = last >> 14 & 7;
        operand.min_precision =
            MinPrecision::from_code(code).ok_or(DecodeError::UnknownCode { at, what: "minimum precision", code })?;
        operand.non_uniform = last >> 17 & 1 != 0;
    }
    Ok(())
}

fn index(reader: &mut Reader<'_>, limits: &Limits, depth: u32, code: u32) -> Result<Index, DecodeError> {
    let at = reader.at();
    let form = match code {
        0 => IndexForm::Immediate32,
        1 => IndexForm::Immediate64,
        2 => IndexForm::Relative,
        3 => IndexForm::Relative32,
        4 => IndexForm::Relative64,
        _ => return Err(DecodeError::UnknownCode { at, what: "index representation", code }),
    };
    let immediate = match form {
        IndexForm::Immediate32 | IndexForm::Relative32 => u64::from(reader.u32()?),
        IndexForm::Immediate64 | IndexForm::Relative64 => {
            let [high, low] = [reader.u32()?, reader.u32()?].map(u64::from);
            high << 32 | low
        }
        IndexForm::Relative => 0,
    };
    let relative = match form {
        IndexForm::Relative | IndexForm::Relative32 | IndexForm::Relative64 => {
            Some(Box::new(nested_operand(reader, limits, depth + 1)?))
        }
        IndexForm::Immediate32 | IndexForm::Immediate64 => None,
    };
    Ok(Index { form, immediate, relative })
}
