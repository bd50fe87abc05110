//! Finds names that were probably meant.

use brolga_files::SHORT;

/// The entry of `known` that `name` was probably meant to be, if any is near enough.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if name.len() > 4 * SHORT {
        return None;
    }
    let lower = name.to_lowercase();
    let distances = known.iter().map(|&known| (strsim::osa_distance(&lower, &known.to_lowercase()), known));
    // Of several that are equally near, the first: lists begin with the most common.
    let best = distances.min_by_key(|(distance, _)| *distance)?;
    let length = name.chars().count();
    (best.0 <= length.max(3) / 3 && best.0 < length).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("dispach", &["dispatch", "shader"]), Some("dispatch"));
        assert_eq!(nearest("DISPATCH", &["dispatch"]), Some("dispatch"));
        assert_eq!(nearest("zebra", &["dispatch", "shader"]), None);
        assert_eq!(nearest("Z", &["DEPTH", "W"]), None);
        assert_eq!(nearest("TRIANGLES", &["TRIANGLELIST", "TRIANGLEFAN"]), Some("TRIANGLELIST"));
        assert_eq!(nearest(&"a".repeat(10_000), &["dispatch"]), None);
    }
}
