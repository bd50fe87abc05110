//! Tests pixels of several samples: multisampled render targets, `D3DRS_MULTISAMPLEANTIALIAS`, `D3DRS_MULTISAMPLEMASK`, and
//! resolves as `StretchRect` makes them.

use serde_json::{Value, json};

use super::sketch::{PLACE, Sketch};

/// The red of the first row after a draw of white to the left of a column, resolved.
fn resolved(samples: u32, states: &Value) -> [u8; 4] {
    let mut sketch = Sketch::new(PLACE, "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0");
    let shape = json!({"kind": "texture2d", "format": "A8R8G8B8", "width": 4, "height": 4});
    sketch.set("/resources/target", shape.clone());
    let mut several = shape;
    several["samples"] = json!(samples);
    sketch.set("/resources/drawn", several);
    // Pixel centers are at integers: the edge at 1.09375 is to the right of that of the second pixel.
    let x = 1.09375 / 2.0 - 1.0;
    sketch.set("/resources/corners/f32", json!([x, 9, 0.5, 1, x, -9, 0.5, 1, -20, 0, 0.5, 1]));
    sketch.draw("target", json!(if samples > 1 { "drawn" } else { "target" })).draw("render_states", states.clone());
    if samples > 1 {
        let steps = sketch.scene["steps"].as_array_mut().unwrap();
        steps.insert(0, json!({"op": "clear", "target": "drawn", "color": [0, 0, 0, 0]}));
        steps.push(json!({"op": "resolve", "from": "drawn", "to": "target"}));
    }
    sketch.set("/expect/0/file", json!("small.bin"));
    let bytes = sketch.bytes();
    assert!(bytes.chunks_exact(16).all(|row| row == &bytes[..16]), "all rows are the same");
    [0, 1, 2, 3].map(|pixel| bytes[4 * pixel + 2])
}

/// Of four samples two of the second pixel are to the left of the edge: those at -2 and at -6 sixteenths.
#[test]
fn samples_are_taken_where_they_are() {
    assert_eq!(resolved(1, &json!({})), [255, 255, 0, 0]);
    assert_eq!(resolved(4, &json!({})), [255, 128, 0, 0]);
    // One of two, at -4; and of eight those at 1, -1, -3, -5, -7.
    assert_eq!(resolved(2, &json!({})), [255, 128, 0, 0]);
    assert_eq!(resolved(8, &json!({})), [255, 159, 0, 0]);
}

#[test]
fn without_antialiasing_all_are_at_the_center() {
    for samples in [1, 2, 4, 8] {
        assert_eq!(resolved(samples, &json!({"MULTISAMPLEANTIALIAS": false})), [255, 255, 0, 0], "{samples}");
    }
}

/// The mask counts for targets of several samples alone.
#[test]
fn masks_choose_samples() {
    assert_eq!(resolved(1, &json!({"MULTISAMPLEMASK": 0})), [255, 255, 0, 0]);
    assert_eq!(resolved(4, &json!({"MULTISAMPLEMASK": 1})), [64, 64, 0, 0]);
    assert_eq!(resolved(4, &json!({"MULTISAMPLEMASK": 2})), [64, 0, 0, 0]);
    assert_eq!(resolved(4, &json!({"MULTISAMPLEMASK": 10, "MULTISAMPLEANTIALIAS": 0})), [128, 128, 0, 0]);
    assert_eq!(resolved(8, &json!({"MULTISAMPLEMASK": 0x100})), [0; 4]);
}
