//! Tests several render targets in one draw: what goes where, what states apply to which, and what is refused.

use serde_json::{Value, json};

use super::sketch::{PLACE, Sketch};
use crate::documents::begin_with;

/// Writes (1/8, 1/4, 1/2, 1), (1, 0, 0, 1/2), (0, 1, 0, 1/4) and (0, 0, 1, 1/8).
const FOUR: &str = "ps_2_0\ndef c0, 0.125, 0.25, 0.5, 1\ndef c1, 1, 0, 0, 0.5\ndef c2, 0, 1, 0, 0.25\ndef c3, 0, 0, 1, 0.125\n\
                    mov oC0, c0\nmov oC1, c1\nmov oC2, c2\nmov oC3, c3";
const COLORS: [[f32; 4]; 4] =
    [[0.125, 0.25, 0.5, 1.0], [1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.25], [0.0, 0.0, 1.0, 0.125]];
/// What targets are cleared to.
const BEFORE: [f32; 4] = [0.5, 0.5, 0.5, 0.5];

fn target(format: &str, side: u32) -> Value {
    json!({"kind": "texture2d", "format": format, "width": side, "height": side})
}

/// A sketch with four targets of floats, all cleared: `target`, `one`, `two`, `three`.
fn sketch(pixel: &str, targets: Value) -> Sketch {
    let mut sketch = Sketch::new(PLACE, pixel);
    for name in ["one", "two", "three"] {
        sketch.set(&format!("/resources/{name}"), target("A32B32G32R32F", 4));
    }
    sketch.draw("target", targets);
    let steps = sketch.scene["steps"].as_array_mut().unwrap();
    for name in ["three", "two", "one", "target"] {
        steps.insert(0, json!({"op": "clear", "target": name, "color": BEFORE}));
    }
    sketch
}

/// The colours of all four targets of a sketch after its draw, the fifth step.
fn colors(mut sketch: Sketch, states: Value) -> [[f32; 4]; 4] {
    sketch.set("/steps/4/render_states", states);
    ["target", "one", "two", "three"].map(|name| {
        sketch.set("/steps/5", json!({"op": "copy", "from": name, "to": "target"}));
        sketch.color()
    })
}

/// The colours with a place for the copy of one of them.
fn drawn(pixel: &str, targets: Value, states: Value) -> [[f32; 4]; 4] {
    let mut sketch = sketch(pixel, targets);
    sketch.scene["steps"].as_array_mut().unwrap().push(json!({}));
    colors(sketch, states)
}

#[test]
fn outputs_go_to_the_targets_of_their_numbers() {
    assert_eq!(drawn(FOUR, json!(["target", "one", "two", "three"]), json!({})), COLORS);
    assert_eq!(drawn(FOUR, json!(["target", "two"]), json!({})), [COLORS[0], BEFORE, COLORS[1], BEFORE]);
    assert_eq!(drawn(FOUR, json!(["one", null, null, "two"]), json!({})), [BEFORE, COLORS[0], COLORS[3], BEFORE]);
    // What has no target is ignored, and a list of one is like a name.
    for targets in [json!("target"), json!(["target"])] {
        assert_eq!(drawn(FOUR, targets, json!({})), [COLORS[0], BEFORE, BEFORE, BEFORE]);
    }
}

/// A target of an output that is not written is not touched, whatever its mask is.
#[test]
fn unwritten_outputs_leave_their_targets() {
    for pixel in ["ps_1_1\ndef c0, 0.125, 0.25, 0.5, 1\nmov r0, c0", "ps_2_0\ndef c0, 0.125, 0.25, 0.5, 1\nmov oC0, c0"]
    {
        let found = drawn(pixel, json!(["target", "one", "two", "three"]), json!({"COLORWRITEENABLE1": 15}));
        assert_eq!(found, [COLORS[0], BEFORE, BEFORE, BEFORE]);
    }
    // In model 3 outputs can be left out.
    let pixel = "ps_3_0\ndef c0, 0.125, 0.25, 0.5, 1\nmov oC0, c0\nmov oC2, c0.wzyx";
    let found = drawn(pixel, json!(["target", "one", "two"]), json!({}));
    assert_eq!(found, [COLORS[0], BEFORE, [1.0, 0.5, 0.25, 0.125], BEFORE]);
}

/// Red is the lowest bit, alpha the fourth.
#[test]
fn targets_have_masks_of_their_own() {
    let states = json!({"COLORWRITEENABLE": 2, "COLORWRITEENABLE1": 9, "D3DRS_COLORWRITEENABLE2": 0});
    let found = drawn(FOUR, json!(["target", "one", "two", "three"]), states);
    assert_eq!(found, [[0.5, 0.25, 0.5, 0.5], [1.0, 0.5, 0.5, 0.5], BEFORE, COLORS[3]]);
}

/// Source times its alpha plus half of what is there: (a c + 1/4) for each.
#[test]
fn all_are_blended_alike_with_their_own_colours() {
    let states = json!({"ALPHABLENDENABLE": true, "SRCBLEND": "SRCALPHA", "DESTBLEND": "INVDESTALPHA"});
    let found = drawn(FOUR, json!(["target", "one", "two", "three"]), states);
    let expected = COLORS.map(|color| color.map(|value| color[3] * value + 0.25));
    assert_eq!(found, expected);
}

/// oC0 decides for all: its alpha is 1, those of the others are less than a half.
#[test]
fn the_alpha_test_goes_by_the_first_output() {
    let test = |function: &str| json!({"ALPHATESTENABLE": true, "ALPHAREF": 200, "ALPHAFUNC": function});
    let all = json!(["target", "one", "two", "three"]);
    assert_eq!(drawn(FOUR, all.clone(), test("GREATER")), COLORS);
    assert_eq!(drawn(FOUR, all, test("LESS")), [BEFORE; 4]);
}

/// Fog of all targets, with the distance of every pixel in the fog.
#[test]
fn all_are_fogged() {
    let states =
        json!({"FOGENABLE": true, "FOGTABLEMODE": "LINEAR", "FOGSTART": 0, "FOGEND": 1, "FOGCOLOR": 0xffff_ffff_u32});
    let found = drawn(FOUR, json!(["target", "one", "two", "three"]), states);
    // Depth is a half, and so is the factor. Alpha stays.
    let fogged = |[r, g, b, a]: [f32; 4]| [0.5 * r + 0.5, 0.5 * g + 0.5, 0.5 * b + 0.5, a];
    assert_eq!(found, COLORS.map(fogged));
}

/// Only the first is written along the curve: a code of 188 there is 128 in the second.
#[test]
fn the_first_target_alone_is_along_the_srgb_curve() {
    let pixel = "ps_2_0\ndef c0, 0.5, 0.5, 0.5, 0.5\nmov oC0, c0\nmov oC1, c0";
    for (name, expected) in [("target", [188, 188, 188, 128]), ("one", [128; 4])] {
        let mut sketch = Sketch::new(PLACE, pixel);
        for name in ["target", "one"] {
            sketch.set(&format!("/resources/{name}"), target("A8R8G8B8", 4));
        }
        sketch.draw("target", json!(["target", "one"])).draw("render_states", json!({"SRGBWRITEENABLE": true}));
        let copy = json!({"op": "copy", "from": name, "to": "target"});
        sketch.scene["steps"].as_array_mut().unwrap().push(copy);
        sketch.set("/expect/0/file", json!("small.bin"));
        assert_eq!(sketch.pixel(), expected, "{name}");
    }
}

/// Formats may differ, even their sizes.
#[test]
fn targets_have_formats_of_their_own() {
    let mut sketch = sketch(FOUR, json!(["one", "target"]));
    sketch.set("/resources/target", target("G16R16", 4));
    sketch.set("/expect/0/file", json!("small.bin"));
    assert_eq!(sketch.pixel(), [255, 255, 0, 0]);
}

#[test]
fn draws_without_a_valid_list_of_targets_are_refused() {
    let said = |targets: Value, change: Option<(&str, Value)>| {
        let mut sketch = sketch(FOUR, targets);
        sketch.set("/expect", json!([]));
        if let Some((path, value)) = change {
            sketch.set(path, value);
        }
        sketch.complaint()
    };
    let mut several = target("A32B32G32R32F", 4);
    several["samples"] = json!(4);
    begin_with([
        (
            "none".to_owned(),
            said(json!([]), None),
            "steps[4].target: `target` takes an array of 1 to 4 values, not an array of 0",
        ),
        (
            "five".to_owned(),
            said(json!(["target", "one", "two", "three", "one"]), None),
            "steps[4].target: `target` takes an array of 1 to 4 values, not an array of 5",
        ),
        (
            "no first".to_owned(),
            said(json!([null, "one"]), None),
            "steps[4].target[0]: a draw has a first render target: only the others can be left out with `null`",
        ),
        (
            "sizes".to_owned(),
            said(json!(["target", "one"]), Some(("/resources/one", target("A8R8G8B8", 2)))),
            "steps[4].target[1]: `one` has 2 x 2 pixels, and `target` 4 x 4: all render targets of a draw have the same size",
        ),
        (
            "samples".to_owned(),
            said(json!(["target", "one"]), Some(("/resources/one", several))),
            "steps[4].target[1]: `one` has 4 samples, but several render targets of a draw have one each",
        ),
        (
            "twice".to_owned(),
            said(json!(["target", "target"]), None),
            "steps[4]: targets 0 and 1 share texels: let them be other levels or layers",
        ),
        (
            "a depth".to_owned(),
            said(json!(["target", "one"]), Some(("/resources/one", target("D24S8", 4)))),
            "steps[1].target: `one` has format D24S8, which a render target cannot have: it has one of A8R8G8B8, ",
        ),
        (
            "a name".to_owned(),
            said(json!(["target", "oen"]), None),
            "steps[4].target[1]: there is no resource `oen` [did you mean `one`?]",
        ),
    ]);
}
