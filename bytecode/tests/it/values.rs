//! Tests constants of Direct3D 9 by name: the registers that they are in, as fxc's listing of `values.hlsl` says.

use brolga_bytecode::sm3::{self, ConstantTable, ConstantValues};
use brolga_bytecode::{Limits, sm3::constants::RegisterSet};

fn table() -> ConstantTable {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/direct3d9/values.main.vs_3_0.cso");
    let program = sm3::decode(&std::fs::read(path).unwrap(), 0, &Limits::default()).unwrap();
    program.constants(&Limits::default()).unwrap().unwrap()
}

/// The registers that are not 0, with their numbers.
fn floats(values: &ConstantValues) -> Vec<(usize, [f32; 4])> {
    let registers = values.floats.iter().map(|words| words.map(f32::from_bits)).enumerate();
    registers.filter(|(_, numbers)| *numbers != [0.0; 4]).collect()
}

#[test]
fn constants_are_where_the_listing_says() {
    let count = |count: usize| (1..=count).map(|n| n as f64).collect::<Vec<_>>();
    /// The name, how many values, counted up from 1, it gets, and the registers that hold them.
    type Row<'a> = (&'a str, usize, &'a [(usize, [f32; 4])]);
    let rows: &[Row<'_>] = &[
        ("scale", 1, &[(24, [1.0, 0.0, 0.0, 0.0])]),
        ("whole", 2, &[(25, [1.0, 2.0, 0.0, 0.0])]),
        // A register for each column: each component of the result is a dot product with one.
        (
            "world",
            16,
            &[
                (14, [1.0, 5.0, 9.0, 13.0]),
                (15, [2.0, 6.0, 10.0, 14.0]),
                (16, [3.0, 7.0, 11.0, 15.0]),
                (17, [4.0, 8.0, 12.0, 16.0]),
            ],
        ),
        ("view", 12, &[(18, [1.0, 2.0, 3.0, 4.0]), (19, [5.0, 6.0, 7.0, 8.0]), (20, [9.0, 10.0, 11.0, 12.0])]),
        ("tints", 3, &[(21, [1.0, 2.0, 3.0, 0.0])]),
        ("tints[2]", 3, &[(23, [1.0, 2.0, 3.0, 0.0])]),
        ("lights[1].weights[1]", 1, &[(13, [1.0, 0.0, 0.0, 0.0])]),
        ("lights[1].range", 2, &[(8, [1.0, 2.0, 0.0, 0.0])]),
        ("lights[0].place", 12, &[(2, [1.0, 4.0, 7.0, 10.0]), (3, [2.0, 5.0, 8.0, 11.0]), (4, [3.0, 6.0, 9.0, 12.0])]),
        (
            "lights",
            19,
            &[
                (0, [1.0, 2.0, 3.0, 0.0]),
                (1, [4.0, 5.0, 0.0, 0.0]),
                (2, [6.0, 9.0, 12.0, 15.0]),
                (3, [7.0, 10.0, 13.0, 16.0]),
                (4, [8.0, 11.0, 14.0, 17.0]),
                (5, [18.0, 0.0, 0.0, 0.0]),
                (6, [19.0, 0.0, 0.0, 0.0]),
            ],
        ),
    ];
    for &(name, numbers, expected) in rows {
        let mut values = ConstantValues::default();
        table().set(&mut values, name, &count(numbers)).unwrap();
        assert_eq!(
            (floats(&values), values.integers.len(), values.booleans.len()),
            (expected.to_vec(), 0, 0),
            "{name}"
        );
    }
    let mut values = ConstantValues::default();
    table().set(&mut values, "rounds", &[7.0]).unwrap();
    table().set(&mut values, "flags[1]", &[-2.0]).unwrap();
    assert_eq!(values, ConstantValues { floats: vec![], integers: vec![[7, 0, 0, 0]], booleans: vec![0, 1] });
    table().set(&mut values, "flags", &[1.0, 0.0]).unwrap();
    assert_eq!(values.booleans, [1, 0]);
}

#[test]
fn default_values_are_those_of_the_source() {
    let values = table().defaults();
    let expected = [
        // `view` row by row, then `tints`, `scale` and `whole`.
        (18, [1.0, 2.0, 3.0, 4.0]),
        (19, [5.0, 6.0, 7.0, 8.0]),
        (20, [9.0, 10.0, 11.0, 12.0]),
        (21, [0.25, 0.5, 0.75, 0.0]),
        (22, [1.0, 2.0, 3.0, 0.0]),
        (23, [4.0, 5.0, 6.0, 0.0]),
        (24, [1.5, 0.0, 0.0, 0.0]),
        (25, [-7.0, 9.0, 0.0, 0.0]),
    ];
    assert_eq!(floats(&values), expected);
    let flags: Vec<_> = values.booleans.iter().map(|word| *word != 0).collect();
    assert_eq!((values.integers[0][0], flags), (3, vec![false, true]));
}

#[test]
fn what_cannot_be_set_is_said() {
    let mut values = ConstantValues::default();
    let mut complaint = |name: &str, numbers: &[f64]| table().set(&mut values, name, numbers).unwrap_err().to_string();
    let known = "only flags, lights, rounds, scale, tints, view, whole, world";
    assert_eq!(
        complaint("wrold", &[1.0]),
        format!("the shader has no constant `wrold`, {known}; did you mean `world`?")
    );
    for name in ["tints[3]", "tints[x]", "tints.x", "lights.color", "lights[0].colour", "scale.", "", "lights[0]color"]
    {
        let complaint = complaint(name, &[1.0]);
        assert!(complaint.starts_with(&format!("the shader has no constant `{name}`, {known}")), "{complaint}");
    }
    assert_eq!(complaint("world", &[1.0; 15]), "15 numbers for `world`, which has 16");
    assert_eq!(complaint("tints", &[1.0; 12]), "12 numbers for `tints`, which has 9, 3 for each element");
    assert_eq!(complaint("tints", &[1.0; 4]), "4 numbers for `tints`, which has 9, 3 for each element");
    assert_eq!(values, ConstantValues::default());
    let mut none = table();
    none.constants.clear();
    let error = none.set(&mut values, "world", &[1.0]).unwrap_err();
    assert_eq!(error.to_string(), "the shader has no constant `world`, as its file has no names");
}

/// A type is bounded by the registers of its row.
#[test]
fn hostile_types_stay_in_their_registers() {
    let mut table = table();
    let row = table.constants.iter_mut().find(|row| row.name == "lights").unwrap();
    row.count = 2;
    row.type_info.members[0].type_info.columns = 9;
    row.type_info.members[3].type_info.elements = u16::MAX;
    row.type_info.elements = u16::MAX;
    let mut values = ConstantValues::default();
    table.set(&mut values, "lights[65534]", &vec![2.0; 9 + 2 + 12 + 65535]).unwrap();
    table.set(&mut values, "lights[0].color", &[3.0; 9]).unwrap();
    assert_eq!(values.floats, [[3f32.to_bits(); 4]]);
    assert!(table.constants.iter().all(|row| row.set != RegisterSet::Sampler));
}
