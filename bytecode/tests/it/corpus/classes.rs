//! Compares class linkage with the listing's tables of class types, class instances and interface slots.

use super::data;
use brolga_bytecode::container::ClassLinkage;
use brolga_bytecode::{LoadOptions, Shader};

/// The rows that the listing would have, each as its words.
fn rows(linkage: &ClassLinkage) -> Vec<Vec<String>> {
    let or_dash = |number: Option<u16>| number.map_or("-".to_owned(), |number| number.to_string());
    let mut rows = Vec::new();
    for (n, class) in linkage.classes.iter().enumerate() {
        let numbers = [n, class.vectors.into(), class.textures.into(), class.samplers.into()];
        rows.push([class.name.clone()].into_iter().chain(numbers.map(|n| n.to_string())).collect());
    }
    for instance in &linkage.instances {
        let name = match instance.count {
            1 => instance.name.clone(),
            count => format!("{}[{count}]", instance.name),
        };
        let vector = instance.constant_buffer.map(|_| instance.vector);
        let numbers = [instance.constant_buffer, vector, instance.texture, instance.sampler].map(or_dash);
        rows.push([name, instance.class.to_string()].into_iter().chain(numbers).collect());
    }
    for slots in &linkage.slots {
        let range = match slots.count {
            1 => slots.first.to_string(),
            count => format!("{}-{}", slots.first, slots.first + count - 1),
        };
        let classes = slots.choices.iter().map(|choice| choice.class.to_string());
        rows.push(["Type", "ID", &range].map(str::to_owned).into_iter().chain(classes).collect());
        let tables = slots.choices.iter().map(|choice| choice.table.to_string());
        rows.push(["Table", "ID"].map(str::to_owned).into_iter().chain(tables).collect());
    }
    rows
}

/// The rows of the listing's tables.
fn listed(listing: &str) -> Vec<Vec<String>> {
    let tables = listing.lines().skip_while(|line| !line.starts_with("// Available Class Types"));
    let comments = tables.take_while(|line| line.starts_with("//"));
    let words =
        |line: &str| -> Vec<String> { line[2..].replace('|', " ").split_whitespace().map(String::from).collect() };
    let is_row = |row: &Vec<String>| match row.first().map(String::as_str) {
        // Headings and rules.
        None | Some("Available" | "Name" | "Interface" | "Slots") => false,
        Some(first) => !first.starts_with(['-', '+']),
    };
    comments.map(words).filter(is_row).collect()
}

#[test]
fn class_linkage_is_that_of_the_listing() {
    let mut seen = 0;
    for (name, bytes, listing) in data::interfaces() {
        let linkage = Shader::load(&bytes, &LoadOptions::default()).unwrap().classes;
        assert_eq!(rows(&linkage.clone().unwrap_or_default()), listed(&listing), "{name}");
        seen += usize::from(linkage.is_some());
    }
    assert!(seen >= 7, "only {seen} shaders have classes");
}
