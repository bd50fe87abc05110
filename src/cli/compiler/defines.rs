//! Checks the macros that a source is compiled with.

/// A macro's name and value. Without a value it is 1, as C's compilers have it.
pub(super) type Define = (String, Option<String>);

/// The macros as pairs of name and value, if each is one that every compiler can be given.
pub(super) fn checked(defines: &[Define]) -> Result<Vec<(&str, &str)>, String> {
    defines.iter().map(|(name, value)| pair(name, value.as_deref().unwrap_or("1"))).collect()
}

fn pair<'a>(name: &'a str, value: &'a str) -> Result<(&'a str, &'a str), String> {
    let is_name = name.chars().all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
        && name.starts_with(|first: char| !first.is_ascii_digit());
    if !is_name {
        return Err(format!("`{}` is not the name of a macro: letters, digits and _ make one", super::short(name)));
    }
    // Each becomes one line of a text, which a comment or a continuation would break out of.
    if value.contains(['\n', '\r', '\0']) || value.contains("/*") || value.ends_with('\\') {
        return Err(format!("the value of the macro {} is not one line without a comment", super::short(name)));
    }
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_names_with_a_value_of_one_line() {
        let define = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        let defines = [define("A_1", None), define("_b", Some("")), define("C", Some("float4(1, 2, 3, 4)"))];
        assert_eq!(checked(&defines).unwrap(), [("A_1", "1"), ("_b", ""), ("C", "float4(1, 2, 3, 4)")]);
        for (name, value) in
            [("", ""), ("1A", ""), ("A B", ""), ("A=", ""), ("ä", ""), ("A", "1\n2"), ("A", "1\\"), ("A", "/* 1")]
        {
            assert!(checked(&[define(name, Some(value))]).is_err(), "{name} {value}");
        }
    }
}
