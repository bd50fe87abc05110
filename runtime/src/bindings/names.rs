//! Looks up registers by their names in a shader's source.

use std::collections::BTreeSet;

use brolga_bytecode::assembler::nearest;

use super::{BindingError, Register};

/// The names of a shader's registers, from the resource definitions (RDEF) or the constant table (CTAB) in its file:
/// each with its first register and the number of registers, or `None` if unbounded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Vec<(String, Register, Option<u32>)>);

impl Names {
    /// Takes these names: none if the file was stripped of them.
    pub fn new(rows: Vec<(String, Register, Option<u32>)>) -> Self {
        Self(rows)
    }

    /// The name of a register, as [`Self::find`] takes it.
    pub fn of(&self, register: Register) -> Option<String> {
        self.0.iter().find_map(|&(ref name, first, count)| {
            let is_of_file = (first.class, first.space) == (register.class, register.space);
            let element = register.index.checked_sub(first.index).filter(|_| is_of_file)?;
            match count {
                Some(1) => (element == 0).then(|| name.clone()),
                Some(count) if element >= count => None,
                _ => Some(format!("{name}[{element}]")),
            }
        })
    }

    /// The register of a name, or of an element of an array: `light`, `lights[2]`.
    pub fn find(&self, name: &str) -> Result<Register, BindingError> {
        let element = name.strip_suffix(']').and_then(|name| name.split_once('['));
        let element = element.and_then(|(array, index)| Some((array, index.parse::<u32>().ok()?)));
        let found = self.0.iter().filter_map(|&(ref known, first, count)| match element {
            _ if known == name => Some(first),
            Some((array, index)) if known == array && count.is_none_or(|count| index < count) => {
                Some(Register { index: first.index.checked_add(index)?, ..first })
            }
            _ => None,
        });
        match found.collect::<Vec<_>>()[..] {
            [register] => Ok(register),
            [] => {
                let known: BTreeSet<&String> = self.0.iter().map(|(known, ..)| known).collect();
                let nearest = nearest(name, known.iter().map(|known| known.as_str()));
                let known = known.into_iter().cloned().collect();
                Err(BindingError::UnknownName { name: name.to_owned(), known, nearest })
            }
            ref registers => Err(BindingError::AmbiguousName { name: name.to_owned(), registers: registers.to_vec() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_their_elements() {
        let row = |name: &str, register, count| (name.to_owned(), register, count);
        let lights = Register::t(2).in_space(1);
        let names = Names(vec![
            row("lights", lights, Some(4)),
            row("all", Register::u(3), None),
            row("maps[1]", Register::t(7), Some(1)),
            row("image", Register::t(0), Some(1)),
            row("image", Register::s(0), Some(1)),
        ]);
        let find = |name| names.find(name).map_err(|error| error.to_string());
        assert_eq!(find("lights"), Ok(lights));
        assert_eq!(find("lights[3]"), Ok(Register { index: 5, ..lights }));
        assert_eq!(find("all[90]"), Ok(Register::u(93)));
        for name in ["lights[3]", "maps[1]", "all[90]"] {
            assert_eq!(names.of(find(name).unwrap()).as_deref(), Some(name));
        }
        assert_eq!(
            [Register::t(6), Register::u(2), lights.in_space(2)].map(|register| names.of(register)),
            [const { None }; 3]
        );
        assert_eq!(find("maps[1]"), Ok(Register::t(7)));
        let known = "only all, image, lights, maps[1]";
        let unknown = |name| format!("the shader has nothing named `{name}`, {known}");
        assert_eq!(find("lights[4]"), Err(unknown("lights[4]") + "; did you mean `lights`?"));
        assert_eq!(find("all[4294967295]"), Err(unknown("all[4294967295]")));
        assert_eq!(find("imgae"), Err(unknown("imgae") + "; did you mean `image`?"));
        assert_eq!(find("image"), Err("`image` is the name of t0 and s0: specify one of these".to_owned()));
        let stripped = Names::default().find("image").unwrap_err();
        assert_eq!(stripped.to_string(), "the shader has nothing named `image`, as its file has no names");
    }
}
