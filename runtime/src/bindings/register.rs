//! Parses and prints register names: `b0`, `t3`, `u1`, and `u1,space2` for shader model 5.1.

use std::fmt;
use std::str::FromStr;

use brolga_bytecode::container::resources::{Binding, BindingKind};
use brolga_ir::interface::ResourceClass;
use serde::{Deserialize, Serialize};

/// A register that a view can be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Register {
    /// The register file.
    pub class: ResourceClass,
    /// The register space; 0 before shader model 5.1.
    pub space: u32,
    /// The number in the name.
    pub index: u32,
}

impl Register {
    /// The constant buffer `b#`, of space 0.
    pub const fn b(index: u32) -> Self {
        Self::new(ResourceClass::Constant, index)
    }

    /// The shader resource `t#`.
    pub const fn t(index: u32) -> Self {
        Self::new(ResourceClass::ShaderResource, index)
    }

    /// The unordered access view `u#`.
    pub const fn u(index: u32) -> Self {
        Self::new(ResourceClass::UnorderedAccess, index)
    }

    /// The sampler `s#`.
    pub const fn s(index: u32) -> Self {
        Self::new(ResourceClass::Sampler, index)
    }

    /// A register of space 0.
    pub const fn new(class: ResourceClass, index: u32) -> Self {
        Self { class, space: 0, index }
    }

    /// The register of the same name in another space.
    pub const fn in_space(self, space: u32) -> Self {
        Self { space, ..self }
    }

    /// `true` if it is one of `count` registers from `first` on; `None` means an unbounded range.
    pub fn is_within(self, first: Register, count: Option<u32>) -> bool {
        let offset = self.index.checked_sub(first.index);
        (self.class, self.space) == (first.class, first.space)
            && offset.is_some_and(|offset| count.is_none_or(|count| offset < count))
    }

    fn order(self) -> (char, u32, u32) {
        (self.class.letter(), self.space, self.index)
    }
}

impl From<&Binding> for Register {
    /// The first register of a row of a file's resource definitions.
    fn from(row: &Binding) -> Self {
        let class = match row.kind {
            BindingKind::ConstantBuffer => ResourceClass::Constant,
            BindingKind::Sampler => ResourceClass::Sampler,
            BindingKind::TextureBuffer | BindingKind::Texture | BindingKind::Structured | BindingKind::Raw => {
                ResourceClass::ShaderResource
            }
            BindingKind::UavTyped
            | BindingKind::UavStructured
            | BindingKind::UavRaw
            | BindingKind::UavAppend
            | BindingKind::UavConsume
            | BindingKind::UavCounter
            | BindingKind::Other(_) => ResourceClass::UnorderedAccess,
        };
        Self { class, space: row.space, index: row.bind_point }
    }
}

impl Ord for Register {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Register {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.letter(), self.index)?;
        if self.space != 0 {
            write!(f, ",space{}", self.space)?;
        }
        Ok(())
    }
}

/// A string that names no register.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a register: expected b, t, u or s and a number, as in u0 or t3,space1")]
pub struct ParseRegisterError {
    /// The string.
    pub text: String,
}

impl FromStr for Register {
    type Err = ParseRegisterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| ParseRegisterError { text: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<Register> {
    let (name, space) = match text.trim().split_once(',') {
        Some((name, space)) => (name.trim_end(), number(space.trim_start().strip_prefix("space")?)?),
        None => (text.trim(), 0),
    };
    let class = match name.chars().next()? {
        'b' => ResourceClass::Constant,
        't' => ResourceClass::ShaderResource,
        'u' => ResourceClass::UnorderedAccess,
        's' => ResourceClass::Sampler,
        _ => return None,
    };
    Some(Register { class, space, index: number(&name[1..])? })
}

/// Digits only: no sign, no space.
fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_the_same() {
        for text in ["b0", "t127", "u4294967295", "u1,space2", "s15"] {
            assert_eq!(text.parse::<Register>().map(|register| register.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("u12, space3".parse(), Ok(Register::u(12).in_space(3)));
        assert_eq!("t3, space0".parse(), Ok(Register::new(ResourceClass::ShaderResource, 3)));
    }

    #[test]
    fn other_texts_are_errors() {
        for text in ["", "u", "r1", "u-1", "u+1", "u 1", "u1,", "u1,space", "u1,1", "é1", "u4294967296", "u0 space1"] {
            assert!(text.parse::<Register>().is_err(), "{text}");
        }
    }
}
