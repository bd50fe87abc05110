//! The numeric rules of the WGSL specification, with values that were computed independently: `tests/data/rules.txt`.

use std::fmt;

use crate::run::Run;

/// What a word of a result may be.
enum Expected {
    Words(Vec<u32>),
    Floats(f64, f64),
}

struct Case {
    operands: Vec<u32>,
    expected: Vec<Expected>,
}

/// An expression with its cases.
#[derive(Default)]
struct Rule {
    name: String,
    declarations: String,
    expression: String,
    cases: Vec<Case>,
}

impl Expected {
    fn read(text: &str) -> Self {
        match text.split_once("..") {
            Some((low, high)) => Self::Floats(low.parse().unwrap(), high.parse().unwrap()),
            None => Self::Words(text.split('|').map(word).collect()),
        }
    }

    fn holds(&self, found: u32) -> bool {
        match self {
            Self::Words(words) => words.contains(&found),
            Self::Floats(low, high) => (*low..=*high).contains(&f64::from(f32::from_bits(found))),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => write!(f, "{words:x?}"),
            Self::Floats(low, high) => write!(f, "{low}..{high}"),
        }
    }
}

fn word(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap()
}

fn rules() -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let (mut name, mut declarations) = ("", "");
    for line in include_str!("../data/rules.txt").lines().filter(|line| !line.is_empty()) {
        if let Some(text) = line.strip_prefix("## ") {
            name = text;
        } else if line.starts_with('#') {
        } else if let Some(text) = line.strip_prefix("decl") {
            declarations = text;
        } else if let Some(expression) = line.strip_prefix("expr ") {
            let [name, declarations, expression] = [name, declarations, expression].map(str::to_owned);
            rules.push(Rule { name, declarations, expression, cases: Vec::new() });
        } else {
            let (operands, expected) = line.split_once(" = ").unwrap();
            let operands = operands.split(' ').map(word).collect();
            let expected = expected.split(' ').map(Expected::read).collect();
            rules.last_mut().unwrap().cases.push(Case { operands, expected });
        }
    }
    rules
}

impl Rule {
    /// Runs all cases, a thread each; those that fail.
    fn failures(&self) -> Vec<String> {
        let (count, results) = (self.cases[0].operands.len(), self.cases[0].expected.len());
        let stores: String = (0..results)
            .map(|n| {
                format!(
                    "results[id.x * {results}u + {n}u] = r{};",
                    if results == 1 { "" } else { [".x", ".y", ".z", ".w"][n] }
                )
            })
            .collect();
        let loads: String = (0..count).map(|n| format!("a[{n}] = operands[id.x * {count}u + {n}u];")).collect();
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> results: array<u32>;
             @group(0) @binding(1) var<storage> operands: array<u32>;
             {}
             @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u) {{
                 var a: array<u32, {count}>;
                 {loads}
                 let r = {};
                 {stores}
             }}",
            self.declarations, self.expression
        );
        let operands: Vec<u32> = self.cases.iter().flat_map(|case| case.operands.iter().copied()).collect();
        let room = vec![0; self.cases.len() * results];
        let run = Run::new(&text).buffer(0, &room).buffer(1, &operands).groups([self.cases.len() as u32, 1, 1]);
        let found = run.words();
        let mut failures = Vec::new();
        for (case, found) in self.cases.iter().zip(found.chunks(results)) {
            if !case.expected.iter().zip(found).all(|(expected, &found)| expected.holds(found)) {
                let expected: Vec<String> = case.expected.iter().map(ToString::to_string).collect();
                let floats: Vec<f32> = found.iter().map(|&word| f32::from_bits(word)).collect();
                failures.push(format!(
                    "{}: {} of {:x?}: {found:x?} ({floats:?}), not {}",
                    self.name,
                    self.expression,
                    case.operands,
                    expected.join(" ")
                ));
            }
        }
        failures
    }
}

#[test]
fn all_numeric_rules_hold_on_both_engines() {
    let rules = rules();
    assert_eq!((rules.len(), rules.iter().map(|rule| rule.cases.len()).sum::<usize>()), (175, 675));
    let failures: Vec<String> = rules.iter().flat_map(Rule::failures).collect();
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}
