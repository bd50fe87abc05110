//! The shape of the source tree: which files import each other, and what the tables of files say.
//!
//! Imports are what `use` and paths in code name; code for tests counts as little as comments do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// Crates whose folders must not depend on each other in cycles.
const WITHOUT_CIRCLES: [&str; 4] = ["jit", "resource", "runtime", "sample"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A module: its path in the crate, and its file under `src`.
struct Module {
    path: Vec<String>,
    file: PathBuf,
    items: Vec<syn::Item>,
}

/// The modules of a crate that have files of their own, without those for tests.
fn modules(src: &Path) -> Vec<Module> {
    let mut found = Vec::new();
    let mut left = vec![(Vec::new(), src.join("lib.rs"), src.to_path_buf())];
    while let Some((path, file, folder)) = left.pop() {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let items = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display())).items;
        for item in &items {
            let syn::Item::Mod(inner) = item else { continue };
            if inner.content.is_some() || is_for_tests(&inner.attrs) {
                continue;
            }
            let name = inner.ident.to_string();
            let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
            let [beside, inside] = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
            left.push((path, if inside.exists() { inside } else { beside }, folder.join(&name)));
        }
        found.push(Module { path, file: file.strip_prefix(src).expect("in src").to_path_buf(), items });
    }
    found
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || matches!(&attribute.meta, syn::Meta::List(list)
            if list.path.is_ident("cfg") && list.tokens.to_string().starts_with("test"))
    })
}

/// Paths from the crate's root that a module names, perhaps with names of items at their ends.
struct Paths<'a> {
    module: &'a [String],
    found: BTreeSet<Vec<String>>,
}

impl Paths<'_> {
    fn add(&mut self, path: Vec<String>) {
        let mut absolute = match path.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.module.to_vec(),
            _ => return,
        };
        for part in path {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => _ = absolute.pop(),
                _ => absolute.push(part),
            }
        }
        self.found.insert(absolute);
    }

    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.add(with(&name.ident)),
            syn::UseTree::Rename(name) => self.add(with(&name.ident)),
            syn::UseTree::Glob(_) => self.add(before.to_vec()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            _ => return syn::visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // What a module hands on from those below it is no import of its own.
        if matches!(item.vis, syn::Visibility::Inherited) {
            self.add_tree(&[], &item.tree);
        }
    }

    /// Who may see something is no import.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }
}

/// For each module the numbers of those that it imports.
fn imports(modules: &[Module]) -> Vec<BTreeSet<usize>> {
    let number: BTreeMap<&[String], usize> = modules.iter().enumerate().map(|(n, m)| (&m.path[..], n)).collect();
    let of_module = |(n, module): (usize, &Module)| {
        let mut paths = Paths { module: &module.path, found: BTreeSet::new() };
        module.items.iter().for_each(|item| paths.visit_item(item));
        let longest = |path: &Vec<String>| (0..=path.len()).rev().find_map(|len| number.get(&path[..len]).copied());
        paths.found.iter().filter_map(longest).filter(|&other| other != n).collect()
    };
    modules.iter().enumerate().map(of_module).collect()
}

/// The modules that each one reaches.
fn reached(imports: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let from = |start: usize| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![start]);
        while let Some(module) = left.pop() {
            left.extend(imports[module].iter().copied().filter(|&next| seen.insert(next)));
        }
        seen
    };
    (0..imports.len()).map(from).collect()
}

/// The folder of a file, right below `src`.
fn folder(file: &Path) -> &Path {
    let mut parts = file.iter();
    match (parts.next(), parts.next()) {
        (Some(folder), Some(_)) => Path::new(folder),
        _ => Path::new(""),
    }
}

#[test]
fn no_circle_of_imports_crosses_folders() {
    let mut found = Vec::new();
    for name in WITHOUT_CIRCLES {
        let modules = modules(&root().join(name).join("src"));
        let imports = imports(&modules);
        let reached = reached(&imports);
        for (a, from_a) in imports.iter().enumerate() {
            for &b in from_a {
                let [file, other] = [&modules[a].file, &modules[b].file];
                if reached[b].contains(&a) && folder(file) != folder(other) {
                    found.push(format!("{name}: {} imports {}, which leads back", file.display(), other.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} imports close a circle:\n{}", found.len(), found.join("\n"));
}

/// The first words of the lines of a table of files.
fn listed(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).expect("a source file");
    let rows = text.lines().take_while(|line| line.starts_with("//!")).filter_map(|line| line.strip_prefix("//! | `"));
    let first_cell = |row: &str| row.split('|').next().unwrap_or_default().to_owned();
    let names = |cell: String| cell.split('`').map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    let is_file = |name: &String| {
        let stem = name.strip_suffix(".rs").or_else(|| name.strip_suffix('/')).unwrap_or_default();
        !stem.is_empty() && stem.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
    };
    rows.map(first_cell).flat_map(names).filter(is_file).collect()
}

/// A crate's `lib.rs`, the `main.rs` of test programs, and each `mod.rs` that has a table name the files and folders beside them: all, and
/// no others.
#[test]
fn tables_name_the_files_that_there_are() {
    let mut wrong = Vec::new();
    let mut tables = 0;
    let crates = [
        "bindings/c/src",
        "bindings/python/src",
        "bytecode/src",
        "fenv/src",
        "fingerprint/src",
        "ir/src",
        "jit/src",
        "json/src",
        "raster/src",
        "resource/src",
        "runtime/src",
        "sample/src",
        "tests/base/src",
    ];
    let modules = ["src/bench", "src/cli", "src/job"];
    let tests = [
        "bindings/c/tests/it",
        "bytecode/tests/it",
        "ir/tests/it",
        "jit/tests/it",
        "raster/tests/it",
        "runtime/tests/it",
        "runtime/tests/stress",
        "sample/tests/it",
        "tests/cli",
        "tests/it",
        "tests/support/tests/it",
    ];
    let mut left: Vec<PathBuf> =
        crates.iter().chain(&modules).chain(&tests).map(|folder| root().join(folder)).collect();
    while let Some(folder) = left.pop() {
        let (mut files, mut head) = (BTreeSet::new(), None);
        for entry in std::fs::read_dir(&folder).expect("a folder of sources").map(|entry| entry.expect("an entry")) {
            let name = entry.file_name().into_string().expect("ASCII");
            if entry.path().is_dir() {
                files.insert(format!("{name}/"));
                left.push(entry.path());
            } else if matches!(name.as_str(), "lib.rs" | "main.rs" | "mod.rs") {
                head = Some(entry.path());
            } else if name.ends_with(".rs") {
                files.insert(name);
            }
        }
        let Some(head) = head else { continue };
        let listed = listed(&head);
        if listed.is_empty() && head.ends_with("mod.rs") {
            continue;
        }
        tables += 1;
        // A module with a folder is named once, either way; tests do not count.
        let stem = |name: &String| name.trim_end_matches('/').trim_end_matches(".rs").to_owned();
        let is_part = |name: &&String| !matches!(name.as_str(), "tests/" | "tests.rs" | "mod.rs");
        let files: BTreeSet<String> = files.iter().filter(is_part).map(stem).collect();
        let listed: BTreeSet<String> = listed.iter().filter(is_part).map(stem).collect();
        let head = head.strip_prefix(root()).expect("in the repository").display().to_string();
        wrong.extend(files.difference(&listed).map(|name| format!("{head} does not name {name}")));
        wrong.extend(listed.difference(&files).map(|name| format!("{head} names {name}, which is not there")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tables > 10, "only {tables} tables were found");
}
