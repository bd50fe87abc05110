//! `--junit` of `brolga run`: writes the results as XML in the form of JUnit, for continuous integration.

use std::fmt::Write;

use brolga::files::Claim;
use serde_json::Value;

/// Writes a test suite with a test case for each run, and one for each document that could not run.
pub(super) fn write(claim: Claim, entries: &[Value]) -> std::io::Result<()> {
    claim.commit(xml(entries).as_bytes())
}

fn xml(entries: &[Value]) -> String {
    let (mut cases, mut count, mut failures, mut errors, mut time) = (String::new(), 0, 0, 0, 0.0);
    for entry in entries {
        let class = text(&entry["document"]);
        let runs = entry["runs"].as_array().map_or(&[][..], Vec::as_slice);
        for run in runs {
            let parts = [&entry["name"], &run["shader"], &run["engine"]].map(text);
            let name = parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" ");
            let seconds =
                ["compile_ms", "plan_ms", "run_ms"].iter().filter_map(|key| run[*key].as_f64()).sum::<f64>() / 1e3;
            count += 1;
            time += seconds;
            let _ = write!(
                cases,
                "  <testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.6}\"",
                escaped(&class),
                escaped(&name)
            );
            if run["verdict"] == "fail" {
                failures += 1;
                let said = wrong(run);
                let _ = writeln!(cases, ">\n    <failure message=\"{}\"/>\n  </testcase>", escaped(&said));
            } else {
                cases.push_str("/>\n");
            }
        }
        if let Some(message) = entry["error"]["message"].as_str() {
            (count, errors) = (count + 1, errors + 1);
            let _ = writeln!(
                cases,
                "  <testcase classname=\"{0}\" name=\"{0}\">\n    <error message=\"{1}\"/>\n  </testcase>",
                escaped(&class),
                escaped(message)
            );
        }
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"brolga\" tests=\"{count}\" failures=\"{failures}\" \
         errors=\"{errors}\" time=\"{time:.6}\">\n{cases}</testsuite>\n"
    )
}

/// The mismatches of a run.
fn wrong(run: &Value) -> String {
    let checks = run["expectations"].as_array().map_or(&[][..], Vec::as_slice);
    let failed = checks.iter().filter(|check| check["holds"] == false);
    let said = failed.map(|check| {
        let findings = check["findings"].as_array().into_iter().flatten().map(|finding| text(&finding["headline"]));
        let said = [format!("{}: {}", text(&check["id"]), text(&check["summary"]))];
        said.into_iter().chain(findings).collect::<Vec<_>>().join("; ")
    });
    let mut said: Vec<String> = said.collect();
    if let Some(resource) = run["engines_disagree_in"].as_str() {
        said.push(format!("{resource}: the engines give different bits"));
    }
    said.join("; ")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A text as an attribute's value; letters that XML does not allow are left out.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn runs_are_test_cases_and_names_are_escaped() {
        let run = |verdict: &str| json!({"engine": "jit", "verdict": verdict, "compile_ms": 1.0, "run_ms": 2.0, "expectations": [{"id": "u0", "holds": false, "summary": "3 of 4 differ"}]});
        let entries = [
            json!({"document": "a<b>.toml", "name": "a & b", "runs": [run("pass"), run("fail")]}),
            json!({"document": "c.toml", "runs": [], "error": {"message": "no \"shader\""}}),
        ];
        let xml = xml(&entries);
        assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{xml}");
        assert!(xml.contains("classname=\"a&lt;b&gt;.toml\" name=\"a &amp; b jit\" time=\"0.003000\"/>"), "{xml}");
        assert!(xml.contains("<failure message=\"u0: 3 of 4 differ\"/>"), "{xml}");
        assert!(xml.contains("<error message=\"no &quot;shader&quot;\"/>"), "{xml}");
    }
}
