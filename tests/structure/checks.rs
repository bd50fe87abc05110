//! Checks the structure of the source tree: imports between files, the number of files in a folder, and the tables of
//! files.
//!
//! Imports are the paths that `use` and code name, wherever the item is defined. Imports by a crate's root do not
//! count, nor re-exports by a module from those below it: they are interfaces. Code for tests is ignored, as are
//! comments; the arguments of macros are not read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::visit::Visit;

/// The folders of the crates' sources, without tests.
const SOURCES: [&str; 18] = [
    "bench/src",
    "bench/suite/src",
    "bindings/c/src",
    "bindings/python/src",
    "bytecode/src",
    "document/src",
    "fenv/src",
    "files/src",
    "fingerprint/src",
    "ir/src",
    "jit/src",
    "json/src",
    "raster/src",
    "resource/src",
    "runtime/src",
    "sample/src",
    "src",
    "wgsl/src",
];

/// Limit on import cycles between files: no file of a cycle can be understood before the others.
const CIRCLES: usize = 6;

/// Limit on the modules of a folder beside the one that names them.
const MODULES: usize = 12;

/// Folders with more modules, their number, and the nature of each.
const LARGER: [(&str, usize, &str); 14] = [
    ("bindings/c/src", 24, "a kind of handle or of structure"),
    ("bindings/python/src", 17, "a kind of object"),
    ("bytecode/src/sm3", 14, "a kind of token, and a direction that it is converted in"),
    ("bytecode/src/sm5", 15, "a kind of token, and a direction that it is converted in"),
    ("files/src", 14, "a file format"),
    ("ir/src", 34, "an analysis"),
    ("ir/src/passes", 17, "a pass"),
    ("ir/src/translate/sm3", 14, "a family of instructions"),
    ("ir/src/translate/sm5", 16, "a family of instructions"),
    ("jit/src", 13, "a stage"),
    ("jit/src/lower", 20, "a part of the lowering's state"),
    ("resource/src", 14, "a kind of resource"),
    ("runtime/src", 13, "a part of the device"),
    ("src/cli", 25, "a command"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A module that has a file of its own.
struct Module {
    /// In the crate.
    path: Vec<String>,
    /// Under `src`.
    file: PathBuf,
    children: Vec<String>,
    /// Paths from the crate's root that it names, perhaps with names of items at their ends.
    named: BTreeSet<Vec<String>>,
    /// The names by which its imports call such paths.
    names: BTreeMap<String, Vec<String>>,
}

/// The modules of a crate that have files of their own, without those for tests. A program's are those of the library
/// beside it.
fn modules(src: &Path) -> Vec<Module> {
    let items = |file: &Path| {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display())).items
    };
    let mut found = Vec::new();
    let mut left = vec![(Vec::new(), src.join("lib.rs"), src.to_path_buf())];
    while let Some((path, file, folder)) = left.pop() {
        let mut all = items(&file);
        let program = src.join("main.rs");
        if path.is_empty() && program.exists() {
            all.extend(items(&program));
        }
        let file = file.strip_prefix(src).expect("in src").to_path_buf();
        let mut module = Module { path, file, children: Vec::new(), named: BTreeSet::new(), names: BTreeMap::new() };
        for item in &all {
            let syn::Item::Mod(inner) = item else { continue };
            if inner.content.is_some() || is_for_tests(&inner.attrs) {
                continue;
            }
            let name = inner.ident.to_string();
            module.children.push(name.clone());
            let path: Vec<String> = module.path.iter().cloned().chain([name.clone()]).collect();
            let [beside, inside] = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
            left.push((path, if inside.exists() { inside } else { beside }, folder.join(&name)));
        }
        all.iter().for_each(|item| module.visit_item(item));
        found.push(module);
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

impl Module {
    /// A path from the crate's root; none if it leads to another crate, or is that of an item here.
    fn absolute(&self, path: Vec<String>) -> Option<Vec<String>> {
        let mut absolute = match path[0].as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.path.clone(),
            _ if self.children.contains(&path[0]) => self.path.clone(),
            _ => return None,
        };
        for part in path {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => _ = absolute.pop(),
                _ => absolute.push(part),
            }
        }
        Some(absolute)
    }

    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree, is_handed_on: bool) {
        let with = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        let (path, name) = match tree {
            syn::UseTree::Path(path) => return self.add_tree(&with(&path.ident), &path.tree, is_handed_on),
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add_tree(before, tree, is_handed_on));
            }
            syn::UseTree::Name(name) => (with(&name.ident), name.ident.to_string()),
            syn::UseTree::Rename(name) => (with(&name.ident), name.rename.to_string()),
            syn::UseTree::Glob(_) => (before.to_vec(), String::new()),
        };
        let Some(path) = self.absolute(path) else { return };
        if !(is_handed_on && path.starts_with(&self.path)) {
            self.named.insert(path.clone());
        }
        self.names.insert(name, path);
    }
}

impl<'ast> Visit<'ast> for Module {
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
        self.add_tree(&[], &item.tree, !matches!(item.vis, syn::Visibility::Inherited));
    }

    /// Visibility is not an import.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.named.extend(self.absolute(parts));
        syn::visit::visit_path(self, path);
    }
}

/// The indices of the modules that each imports.
fn imports(modules: &[Module]) -> Vec<BTreeSet<usize>> {
    let number: BTreeMap<&[String], usize> = modules.iter().enumerate().map(|(n, m)| (&m.path[..], n)).collect();
    let definer = |path: &Vec<String>| {
        let mut path = path.clone();
        loop {
            let longest = (0..=path.len()).rev().find_map(|len| Some((len, *number.get(&path[..len])?)));
            let (len, module) = longest.expect("the crate's root");
            match path.get(len).and_then(|name| modules[module].names.get(name)) {
                Some(handed_on) => path = handed_on.iter().chain(&path[len + 1..]).cloned().collect(),
                None => return module,
            }
        }
    };
    let of_module = |module: &Module| {
        let named = module.named.iter().filter(|_| !module.path.is_empty()).map(definer);
        named.filter(|&other| modules[other].path != module.path).collect()
    };
    modules.iter().map(of_module).collect()
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

/// The folder of a crate's sources, its modules, and the imports of each.
type Crate = (&'static str, Vec<Module>, Vec<BTreeSet<usize>>);

static CRATES: LazyLock<Vec<Crate>> = LazyLock::new(|| {
    let of_crate = |src| {
        let modules = modules(&root().join(src));
        let imports = imports(&modules);
        (src, modules, imports)
    };
    SOURCES.into_iter().map(of_crate).collect()
});

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
    for (src, modules, imports) in CRATES.iter() {
        let reached = reached(imports);
        for (a, from_a) in imports.iter().enumerate() {
            for &b in from_a {
                let [file, other] = [&modules[a].file, &modules[b].file];
                if reached[b].contains(&a) && folder(file) != folder(other) {
                    found.push(format!("{src}: {} imports {}, which leads back", file.display(), other.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} imports close a circle:\n{}", found.len(), found.join("\n"));
}

/// A cycle is a set of files of which each leads to each other. Imports of a module from those below it do not count:
/// it is made of them.
#[test]
fn there_are_few_circles_of_imports() {
    let mut circles = Vec::new();
    for (src, modules, imports) in CRATES.iter() {
        let is_part = |a: usize, b: usize| modules[b].path.starts_with(&modules[a].path);
        let apart =
            |(a, from_a): (usize, &BTreeSet<usize>)| from_a.iter().copied().filter(|&b| !is_part(a, b)).collect();
        let imports: Vec<BTreeSet<usize>> = imports.iter().enumerate().map(apart).collect();
        let reached = reached(&imports);
        let circle =
            |a: usize| -> BTreeSet<usize> { reached[a].iter().copied().filter(|&b| reached[b].contains(&a)).collect() };
        for circle in (0..modules.len()).map(circle).filter(|circle| !circle.is_empty()).collect::<BTreeSet<_>>() {
            circles.push(format!("{src}: {} files", circle.len()));
            for &a in &circle {
                let names: Vec<_> =
                    imports[a].intersection(&circle).map(|&b| modules[b].file.display().to_string()).collect();
                circles.push(format!("  {} imports {}", modules[a].file.display(), names.join(", ")));
            }
        }
    }
    let count = circles.iter().filter(|line| !line.starts_with(' ')).count();
    assert!(count <= CIRCLES, "{count} circles of imports, where {CIRCLES} are allowed:\n{}", circles.join("\n"));
}

#[test]
fn folders_have_few_modules() {
    let mut wrong = Vec::new();
    let mut left: Vec<PathBuf> = SOURCES.iter().map(PathBuf::from).collect();
    while let Some(folder) = left.pop() {
        let mut modules = BTreeSet::new();
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder of sources") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("ASCII");
            if entry.path().is_dir() {
                left.push(folder.join(&name));
                modules.insert(name);
            } else if let Some(stem) = name.strip_suffix(".rs") {
                modules.insert(stem.to_owned());
            }
        }
        let count = modules.iter().filter(|name| !matches!(name.as_str(), "lib" | "main" | "mod" | "tests")).count();
        let larger = LARGER.iter().find(|(larger, ..)| Path::new(larger) == folder);
        let most = larger.map_or(MODULES, |&(_, most, _)| most);
        if count > most {
            wrong.push(format!("{} has {count} modules, where {most} are allowed", folder.display()));
        } else if larger.is_some() && count < most {
            wrong.push(format!("{} has {count} modules, and is listed with {most}", folder.display()));
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

/// A crate's `lib.rs`, the `main.rs` of test programs, and each `mod.rs` that has a table name the files and folders
/// beside them: all, and no others.
#[test]
fn tables_name_the_files_that_there_are() {
    let mut wrong = Vec::new();
    let mut tables = 0;
    let crates = SOURCES.into_iter().filter(|&folder| folder != "src");
    let modules = ["src/cli"];
    let tests = [
        "tests/base/src",
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
        "wgsl/tests/it",
    ];
    let mut left: Vec<PathBuf> = crates.chain(modules).chain(tests).map(|folder| root().join(folder)).collect();
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
