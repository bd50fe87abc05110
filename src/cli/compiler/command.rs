//! The command line of a compiler: words with placeholders. No shell reads it, so no character in a file's name is special.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use brolga::job::Source;

/// What follows a command without placeholders: the arguments of fxc.
const USUAL: &str = "-T {profile} -E {entry} -Fo {output} {input}";

/// A command line.
pub(super) struct Command {
    words: Vec<String>,
}

impl Command {
    /// Reads a command line. Quotes of either kind hold a word together; nothing else is special, so that paths of every
    /// system can be written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = split(text)?;
        if words.is_empty() {
            return Err("the compiler's command is empty".into());
        }
        let has = |name: &str| words.iter().any(|word| word.contains(name));
        match (has("{input}"), has("{output}")) {
            (true, true) => {}
            (false, false) => words.extend(USUAL.split(' ').map(str::to_owned)),
            (true, false) => {
                return Err("the compiler's command has {input} and no {output}: name both, or none".into());
            }
            (false, true) => {
                return Err("the compiler's command has {output} and no {input}: name both, or none".into());
            }
        }
        Ok(Self { words })
    }

    /// The program and its arguments for a source.
    pub fn fill(&self, source: &Source, output: &Path) -> Vec<OsString> {
        let input = match source.path.to_str() {
            // It must not be taken for an option.
            Some(path) if path.starts_with('-') => Path::new(".").join(&source.path),
            _ => PathBuf::from(&source.path),
        };
        let values = [
            ("{input}", input.as_os_str().to_owned()),
            ("{output}", output.as_os_str().to_owned()),
            ("{profile}", source.profile.clone().into()),
            ("{entry}", source.entry.clone().into()),
        ];
        let fill = |word: &String| {
            let (mut filled, mut rest) = (OsString::new(), word.as_str());
            while let Some(at) = rest.find('{') {
                filled.push(&rest[..at]);
                rest = &rest[at..];
                match values.iter().find(|(name, _)| rest.starts_with(name)) {
                    Some((name, value)) => {
                        filled.push(value);
                        rest = &rest[name.len()..];
                    }
                    None => {
                        filled.push("{");
                        rest = &rest[1..];
                    }
                }
            }
            filled.push(rest);
            filled
        };
        self.words.iter().map(fill).collect()
    }
}

fn split(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) = (Vec::new(), None, None);
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("the compiler's command has an unclosed {quote}"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(command: &str) -> Vec<String> {
        let source = Source::new("a b.hlsl".into(), "cs_5_0", "main");
        let words = Command::parse(command).unwrap().fill(&source, Path::new("/t/o.cso"));
        words.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn a_bare_command_gets_the_arguments_of_fxc() {
        let expected = ["wine", "C:\\kit\\fxc.exe", "-T", "cs_5_0", "-E", "main", "-Fo", "/t/o.cso", "a b.hlsl"];
        assert_eq!(filled("wine C:\\kit\\fxc.exe"), expected);
    }

    #[test]
    fn quotes_hold_words_together_and_names_of_files_are_never_split() {
        let expected = ["my fxc", "--to=/t/o.cso", "a b.hlsl:main", "", "{other}", "it's"];
        assert_eq!(filled("'my fxc' --to={output} {input}:{entry} \"\" {other} it\"'\"s"), expected);
    }

    #[test]
    fn a_command_that_cannot_be_is_told_why() {
        for (command, part) in
            [("", "empty"), ("x {input}", "no {output}"), ("x {output}", "no {input}"), ("x 'y", "'")]
        {
            assert!(Command::parse(command).err().unwrap().contains(part), "{command}");
        }
    }

    #[test]
    fn a_file_whose_name_begins_like_an_option_is_none() {
        let source = Source::new("-x.hlsl".into(), "cs_5_0", "main");
        let words = Command::parse("c {input} {output}").unwrap().fill(&source, Path::new("o"));
        assert_eq!(words[1], Path::new(".").join("-x.hlsl").into_os_string());
    }
}
