//! Compares outputs as `tests/data/exec` describes it.

use serde_json::Value;

/// Type of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Integer(usize),
    Float,
    Double,
}

impl Word {
    fn parse(name: &str) -> Self {
        match name {
            "u32" | "i32" => Word::Integer(4),
            "u16" => Word::Integer(2),
            "u8" => Word::Integer(1),
            "f32" => Word::Float,
            "f64" => Word::Double,
            other => panic!("unknown type {other}"),
        }
    }

    fn size(self) -> usize {
        match self {
            Word::Integer(size) => size,
            Word::Float => 4,
            Word::Double => 8,
        }
    }
}

/// Tolerances of a float; satisfying any one is enough.
#[derive(Clone, Copy, Debug, Default)]
struct Tolerance {
    abs: f64,
    rel: f64,
    ulp: u64,
}

impl Tolerance {
    fn parse(value: &Value) -> Self {
        if value == "exact" {
            return Self::default();
        }
        let object = value.as_object().unwrap();
        assert!(object.keys().all(|key| ["abs", "rel", "ulp"].contains(&key.as_str())), "{value}");
        let number = |key| object.get(key).map_or(0.0, |n| n.as_f64().unwrap());
        Self { abs: number("abs"), rel: number("rel"), ulp: number("ulp") as u64 }
    }

    fn allows(self, actual: f64, expected: f64, ulps: u64) -> bool {
        let difference = (actual - expected).abs();
        (actual.is_nan() && expected.is_nan())
            || actual == expected
            || difference <= self.abs
            || difference <= self.rel * expected.abs()
            || ulps <= self.ulp
    }
}

/// Distance in representable numbers.
fn ulps(a: i64, b: i64, sign: i64) -> u64 {
    let order = |bits: i64| if bits & sign != 0 { sign.wrapping_sub(bits) } else { bits };
    order(a).abs_diff(order(b))
}

/// Compares the content of a view with one entry of `expect`; reports the difference.
pub fn compare(actual: &[u8], expected: &[u8], expect: &Value) -> Result<(), String> {
    if actual.len() != expected.len() {
        return Err(format!("{} bytes, expected {}", actual.len(), expected.len()));
    }
    if let Some(order) = expect.get("order") {
        assert_eq!(order, "any");
        return multiset(actual, expected, expect);
    }
    let names: Vec<&str> = match expect.get("words") {
        Some(words) => words.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect(),
        None => vec![expect["type"].as_str().unwrap()],
    };
    let words: Vec<Word> = names.iter().map(|name| Word::parse(name)).collect();
    let tolerance = Tolerance::parse(&expect["tolerance"]);
    let element = expect.get("element").map(|n| n.as_u64().unwrap() as usize);
    let skipped: Vec<usize> = match expect.get("skip_elements") {
        Some(list) => list.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect(),
        None => Vec::new(),
    };
    let mut at = 0;
    for word in words.iter().cycle() {
        let end = at + word.size();
        if end > actual.len() {
            break;
        }
        let skip = element.is_some_and(|element| skipped.contains(&(at / element)));
        if !skip && !word_agrees(*word, &actual[at..end], &expected[at..end], tolerance) {
            return Err(format!(
                "{word:?} at byte {at}: {:02x?}, expected {:02x?}",
                &actual[at..end],
                &expected[at..end]
            ));
        }
        at = end;
    }
    Ok(())
}

fn word_agrees(word: Word, actual: &[u8], expected: &[u8], tolerance: Tolerance) -> bool {
    match word {
        Word::Integer(_) => actual == expected,
        Word::Float => {
            let [a, b] = [actual, expected].map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
            let distance = ulps(a.to_bits().into(), b.to_bits().into(), 1 << 31);
            tolerance.allows(a.into(), b.into(), distance)
        }
        Word::Double => {
            let [a, b] = [actual, expected].map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()));
            tolerance.allows(a, b, ulps(a.to_bits() as i64, b.to_bits() as i64, i64::MIN))
        }
    }
}

/// Compares elements without their order.
fn multiset(actual: &[u8], expected: &[u8], expect: &Value) -> Result<(), String> {
    let element = expect["element"].as_u64().unwrap() as usize;
    let count = expect.get("elements").map_or(actual.len() / element, |n| n.as_u64().unwrap() as usize);
    let sorted = |bytes: &[u8]| {
        let mut elements: Vec<Vec<u8>> = bytes.chunks(element).take(count).map(<[u8]>::to_vec).collect();
        elements.sort();
        elements
    };
    if sorted(actual) == sorted(expected) { Ok(()) } else { Err(format!("the first {count} elements differ")) }
}
