//! Tests the language of Direct3D 9 and its rules, each with a program that breaks it, beside the verdicts of
//! Direct3D's own assembler.

use brolga_bytecode::sm5::Stage;
use brolga_bytecode::{Limits, sm3};
use std::path::Path;

struct Case<'t> {
    line: usize,
    real: &'t str,
    ours: &'t str,
    text: String,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        if let Some(verdicts) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let (real, ours) = verdicts.split_once(' ').expect("there are two verdicts");
            cases.push(Case { line: n + 1, real, ours, text: String::new() });
        } else if let Some(case) = cases.last_mut() {
            case.text += line;
            case.text += "\n";
        }
    }
    cases
}

/// Our verdict, and the message of an error.
fn answer(text: &str) -> (String, String) {
    let limits = Limits::default();
    let program = match sm3::assemble(text, &limits) {
        Ok(program) => program,
        Err(error) => return ("text".into(), error.to_string()),
    };
    let end = sm3::encode(&program).len() as u32;
    match sm3::validate(program, &limits) {
        Ok(_) => ("OK".into(), String::new()),
        Err(error) => {
            let (message, debug) = (error.to_string(), format!("{:?}", error.rule));
            assert!(error.at < end && message.contains(&format!("at byte {}", error.at)), "{message}");
            let rule = debug.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
            (rule.to_owned(), message)
        }
    }
}

#[test]
fn each_rule_is_found_broken_where_it_is() {
    let text = include_str!("direct3d9_rules.txt");
    let mut failures = Vec::new();
    let cases = cases(text);
    for case in &cases {
        let expected = if case.ours == "passes" { "OK" } else { case.ours };
        let is_consistent = match case.ours {
            "OK" => matches!(case.real, "OK" | "-"),
            _ => case.real != "OK",
        };
        assert!(is_consistent, "line {}: {} and {} cannot both be", case.line, case.real, case.ours);
        let (answer, message) = answer(&case.text);
        if answer != expected {
            failures.push(format!("line {}: {answer} ({message}), it should be {expected}", case.line));
        }
    }
    assert!(cases.len() > 150, "only {} programs were seen", cases.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn instructions_exist_where_the_real_assembler_takes_them() {
    let rows = include_str!("direct3d9_instructions.txt").lines().filter(|line| !line.starts_with('#'));
    let mut seen = 0;
    for row in rows {
        let (text, versions) = row.split_once(": ").expect("a name and its versions");
        let (name, has_comparison) = text.strip_suffix("_gt").map_or((text, false), |name| (name, true));
        for version in sm3::Version::ALL {
            // The real assembler takes one for the other.
            let version_text = if *version == sm3::Version::Vs1_0 { "vs_1_1" } else { version.text() };
            let expected = versions == "ALL" || versions.split(' ').any(|text| text == version_text);
            let mut ops = sm3::Op::ALL.iter().filter(|op| op.info().versions.contains(*version));
            let exists = ops.any(|op| op.text() == name && op.has_comparison() == has_comparison);
            assert_eq!(exists, expected, "{text} in {version}");
        }
        seen += 1;
    }
    assert!(seen > 85, "only {seen} instructions were seen");
}

/// No two rows are for the same tokens.
#[test]
fn rows_with_one_number_are_disjoint() {
    for version in sm3::Version::ALL {
        for op in sm3::Op::ALL.iter().filter(|op| op.info().versions.contains(*version)) {
            let info = op.info();
            assert_eq!(sm3::Op::find(info.code, info.control, *version), Some(*op), "{op} in {version}");
        }
    }
}

const MARK: &str =
    "<!-- generated from the table: BROLGA_BLESS=1 cargo test -p brolga-bytecode --test it direct3d9:: -->\n";

/// The versions that have an instruction: `vs_2_0 and later, ps_1_1 to ps_1_4`.
fn versions(op: sm3::Op) -> String {
    let mut texts = Vec::new();
    for stage in [Stage::Vertex, Stage::Pixel] {
        let all: Vec<_> = sm3::Version::ALL.iter().filter(|version| version.stage() == stage).collect();
        let has = |version: &&&sm3::Version| op.info().versions.contains(***version);
        let (first, last) = (all.iter().find(has), all.iter().rfind(has));
        let (Some(first), Some(last)) = (first, last) else { continue };
        texts.push(match (*first == all[0], Some(last) == all.last()) {
            (true, true) => stage.text().to_owned(),
            (_, true) => format!("{first} and later"),
            (_, false) if first == last => first.to_string(),
            (_, false) => format!("{first} to {last}"),
        });
    }
    texts.join(", ")
}

/// Slots that the listing counts, by the latest version that has the instruction.
fn slots(op: sm3::Op) -> String {
    let has = |version: &&sm3::Version| op.info().versions.contains(**version);
    let version = sm3::Version::ALL.iter().rfind(has).expect("some version has it");
    match op.info().cost.slots(*version) {
        (0, slots) => slots.to_string(),
        (texture, slots) => format!("{texture} + {slots}"),
    }
}

#[test]
fn the_documentation_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/assembly-direct3d9.md");
    let text = std::fs::read_to_string(&path).unwrap().replace('\r', "");
    let (prose, documented) = text.split_once(MARK).expect("the page has the mark");
    let mut expected = String::from("\n| instruction | versions | slots | what it does |\n|---|---|---|---|\n");
    for op in sm3::Op::ALL {
        let row = format!("| `{}` | {} | {} | {} |\n", op.example(), versions(*op), slots(*op), op.meaning());
        expected.push_str(&row);
    }
    if documented != expected && std::env::var_os("BROLGA_BLESS").is_some() {
        std::fs::write(&path, format!("{prose}{MARK}{expected}")).unwrap();
        return;
    }
    assert!(documented == expected, "docs/assembly-direct3d9.md is out of date; BROLGA_BLESS=1 writes it anew");
}

#[test]
fn the_forms_that_are_shown_are_the_languages() {
    for op in sm3::Op::ALL {
        for version in sm3::Version::ALL.iter().filter(|version| op.info().versions.contains(**version)) {
            let text = format!("{version}\n{}\n", op.example());
            let program = sm3::assemble(&text, &Limits::default()).unwrap_or_else(|error| panic!("{text}{error}"));
            let listed = sm3::list(&program, sm3::Style::Exact, &Limits::default());
            assert_eq!(listed.lines().nth(1).map(str::trim), Some(op.example().as_str()));
        }
    }
}
