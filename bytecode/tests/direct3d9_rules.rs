//! The rules of Direct3D 9, each with a program that breaks it. The verdicts beside ours are those of Direct3D's own
//! assembler.

use brolga_bytecode::{Limits, sm3};

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

/// What we answer, and the message of an error.
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
            let (message, debug) = (error.to_string(), format!("{error:?}"));
            assert!(error.at() < end && message.contains(&format!("at byte {}", error.at())), "{message}");
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
            let expected = versions == "ALL" || versions.split(' ').any(|text| text == version.text());
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
