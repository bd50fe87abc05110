//! Parses the command line of a compiler: one that is known by name, or words with placeholders. No shell reads it, so
//! no character in a file's name is special.

use std::ffi::OsString;
use std::path::Path;

use brolga::document::Source;

use super::child::no_option;
use super::defines::{self, Define};
use super::program;
use super::vkd3d::{self, Vkd3d};

/// The default arguments for a command without placeholders: those of fxc.
const USUAL: &str = "-T {profile} -E {entry} {defines} -Fo {output} {input}";
/// The placeholder that stands for as many words as the macros need.
const DEFINES: &str = "{defines}";

/// The compiler to call.
pub(super) enum Command {
    /// vkd3d-compiler, with the arguments that suit it.
    Vkd3d(Vkd3d),
    /// A command line.
    Line(CommandLine),
}

/// A command line.
pub(super) struct CommandLine {
    words: Vec<String>,
}

impl Command {
    /// Reads a command line. Quotes of either kind hold a word together; nothing else is special, so that paths of
    /// every system can be written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = split(text)?;
        match words.as_slice() {
            [word] if word == program::VKD3D.0 || vkd3d::is_program(word) => Vkd3d::named(word).map(Command::Vkd3d),
            _ => CommandLine::new(words).map(Command::Line),
        }
    }

    /// `true` if the compiler is known to be vkd3d-compiler.
    pub fn is_vkd3d(&self) -> bool {
        match self {
            Command::Vkd3d(_) => true,
            Command::Line(line) => line.words.iter().any(|word| vkd3d::is_program(word)),
        }
    }
}

impl CommandLine {
    fn new(mut words: Vec<String>) -> Result<Self, String> {
        if words.is_empty() {
            return Err("the compiler's command is empty".into());
        }
        if let Some(word) = words.iter().find(|word| word.contains(DEFINES) && *word != DEFINES) {
            return Err(format!(
                "the compiler's command has `{word}`: {DEFINES} becomes several words, and must be one itself"
            ));
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
    pub fn fill(&self, source: &Source, defines: &[Define], output: &Path) -> Result<Vec<OsString>, String> {
        let defines = defines::checked(defines)?;
        if !defines.is_empty() && !self.words.iter().any(|word| word == DEFINES) {
            return Err(format!("there are macros to define, and the compiler's command has no {DEFINES} for them"));
        }
        let values = [
            ("{input}", no_option(&source.path).into_os_string()),
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
        let mut filled = Vec::new();
        for word in &self.words {
            match word == DEFINES {
                true => filled
                    .extend(defines.iter().flat_map(|(name, value)| ["-D".into(), format!("{name}={value}").into()])),
                false => filled.push(fill(word)),
            }
        }
        Ok(filled)
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

    fn filled(command: &str, defines: &[Define]) -> Result<Vec<String>, String> {
        let source = Source::new("a b.hlsl".into(), "cs_5_0", "main");
        let words = CommandLine::new(split(command)?)?.fill(&source, defines, Path::new("/t/o.cso"))?;
        Ok(words.into_iter().map(|word| word.into_string().unwrap()).collect())
    }

    #[test]
    fn a_bare_command_gets_the_arguments_of_fxc() {
        let expected = ["wine", "C:\\kit\\fxc.exe", "-T", "cs_5_0", "-E", "main", "-Fo", "/t/o.cso", "a b.hlsl"];
        assert_eq!(filled("wine C:\\kit\\fxc.exe", &[]).unwrap(), expected);
    }

    #[test]
    fn macros_become_arguments() {
        let defines = [("SIZE".to_owned(), Some("8 * 8".to_owned())), ("FAST".to_owned(), None)];
        let expected =
            ["fxc", "-T", "cs_5_0", "-E", "main", "-D", "SIZE=8 * 8", "-D", "FAST=1", "-Fo", "/t/o.cso", "a b.hlsl"];
        assert_eq!(filled("fxc", &defines).unwrap(), expected);
        assert_eq!(filled("c {input} {defines} {output}", &[]).unwrap(), ["c", "a b.hlsl", "/t/o.cso"]);
        // They are not lost, and stay single arguments.
        assert!(filled("c {input} {output}", &defines).unwrap_err().contains("no {defines}"));
        assert!(filled("c /D{defines} {input} {output}", &[]).unwrap_err().contains("`/D{defines}`"));
        assert!(filled("fxc", &[("A B".to_owned(), None)]).unwrap_err().contains("`A B`"));
    }

    #[test]
    fn quotes_hold_words_together_and_names_of_files_are_never_split() {
        let expected = ["my fxc", "--to=/t/o.cso", "a b.hlsl:main", "", "{other}", "it's"];
        assert_eq!(filled("'my fxc' --to={output} {input}:{entry} \"\" {other} it\"'\"s", &[]).unwrap(), expected);
    }

    #[test]
    fn a_command_that_cannot_be_is_told_why() {
        for (command, part) in
            [("", "empty"), ("x {input}", "no {output}"), ("x {output}", "no {input}"), ("x 'y", "'")]
        {
            assert!(filled(command, &[]).unwrap_err().contains(part), "{command}");
        }
    }

    #[test]
    fn vkd3d_is_known_by_name_and_by_path_and_where_it_has_its_own_arguments() {
        let parsed = |text: &str| Command::parse(text).unwrap();
        assert!(matches!(parsed(" /opt/bin/vkd3d-compiler "), Command::Vkd3d(_)));
        assert!(matches!(parsed("'/my tools/vkd3d-compiler'"), Command::Vkd3d(_)));
        for (text, expected) in [
            ("vkd3d-compiler -x hlsl -p {profile} -e {entry} -o {output} {input}", true),
            ("env A=1 /opt/bin/vkd3d-compiler {input} {output}", true),
            ("fxc", false),
            ("vkd3d {input} {output}", false),
        ] {
            let command = parsed(text);
            assert!(matches!(command, Command::Line(_)) && command.is_vkd3d() == expected, "{text}");
        }
    }

    #[test]
    fn a_file_whose_name_begins_like_an_option_is_none() {
        let source = Source::new("-x.hlsl".into(), "cs_5_0", "main");
        let words =
            CommandLine::new(split("c {input} {output}").unwrap()).unwrap().fill(&source, &[], Path::new("o")).unwrap();
        assert_eq!(words[1], Path::new(".").join("-x.hlsl").into_os_string());
    }
}
