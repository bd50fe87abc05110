//! `brolga cache`, and the location of a command's cache.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use brolga::{Cache, CacheEntry, CacheError, NotPrivate};
use clap::Args;
use etcetera::BaseStrategy;
use indicatif::{HumanBytes, HumanDuration};
use serde_json::{Value, json};

use super::Ending;
use super::options::Format;
use super::report::{self, harmless};
use super::style::{Style, Styles};

/// The environment variable for the folder of the cache; if it is empty there is none.
const VARIABLE: &str = "BROLGA_CACHE";

#[derive(Args)]
pub(super) struct CacheArguments {
    /// The folder; by default BROLGA_CACHE, or where the system keeps caches
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// Remove all entries
    #[arg(long)]
    clear: bool,
    /// Output format: lines for people, or one JSON document
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Options about the cache of a command.
#[derive(Args)]
pub(super) struct CacheOptions {
    /// Keep machine code in this folder; by default BROLGA_CACHE, or where the system keeps caches
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Compile every shader again, and store nothing
    #[arg(long)]
    no_cache: bool,
}

impl CacheOptions {
    /// The cache to use. If it is unusable, prints a warning and returns `None`.
    pub fn open(&self, style: Style) -> Option<Cache> {
        if self.no_cache {
            return None;
        }
        let warn = |error: &CacheError| report::warn_plain(error.to_string(), Some(help(error, "`--no-cache`")), style);
        Cache::open(location(self.cache.as_deref())?).inspect_err(warn).ok()
    }
}

/// The folder of the cache, unless it is disabled.
fn location(chosen: Option<&Path>) -> Option<PathBuf> {
    let named = || std::env::var_os(VARIABLE);
    let usual = || Some(etcetera::base_strategy::choose_native_strategy().ok()?.cache_dir().join("brolga"));
    match chosen.map(|path| path.as_os_str().to_owned()).or_else(named) {
        Some(path) => (!path.is_empty()).then(|| path.into()),
        None => usual(),
    }
}

/// Advice on a folder that is not used.
fn help(error: &CacheError, otherwise: &str) -> String {
    match error {
        CacheError::NotPrivate { path, why: NotPrivate::Writable } => {
            format!("`chmod go-w {}`, name another folder with `--cache`, or {otherwise}", path.display())
        }
        _ => format!("name another folder with `--cache`, or {otherwise}"),
    }
}

/// Shows or clears the cache. An error is one of writing to stdout.
pub(super) fn run(arguments: &CacheArguments, styles: &Styles) -> io::Result<Ending> {
    let refuse = |text: String, help: String| {
        report::print_plain(text, Some(help), styles.err);
        Ok(Ending::BadInput)
    };
    let Some(folder) = location(arguments.cache.as_deref()) else {
        let text = format!("there is no cache: {VARIABLE} is empty, or the system names no folder for caches");
        return refuse(text, "name a folder with `--cache`".into());
    };
    let cache = match Cache::open(folder) {
        Ok(cache) => cache,
        Err(error) => return refuse(error.to_string(), help(&error, "remove it")),
    };
    let entries = match if arguments.clear { cache.clear() } else { cache.entries() } {
        Ok(entries) => entries,
        Err(error) => {
            let path = cache.path().display();
            return refuse(format!("the cache in {path} cannot be read or cleared: {error}"), "is it yours?".into());
        }
    };
    let mut out = io::stdout().lock();
    match arguments.format {
        Format::Text => write_text(&mut out, &cache, &entries, arguments.clear, styles.out)?,
        Format::Json => writeln!(out, "{:#}", json(&cache, &entries, arguments.clear))?,
    }
    Ok(Ending::Fine)
}

fn write_text(
    out: &mut impl Write,
    cache: &Cache,
    entries: &[CacheEntry],
    cleared: bool,
    style: Style,
) -> io::Result<()> {
    let path = harmless(&cache.path().to_string_lossy());
    let (count, all) = (entries.len(), HumanBytes(total_bytes(entries)));
    let entry_word = if count == 1 { "entry" } else { "entries" };
    if cleared {
        return writeln!(out, "{path}: removed {count} {entry_word}, {all}");
    }
    writeln!(out, "{path}: {count} {entry_word}, {all} of at most {}", HumanBytes(cache.cap_bytes()))?;
    if !entries.is_empty() {
        writeln!(out, "{}", style.dim(&format!("{:>10}  {:>10}  shader", "size", "used")))?;
    }
    for entry in entries {
        // Saturates for a time in the future, which a wrong clock may have left.
        let used = format!("{:#} ago", HumanDuration(entry.last_used.elapsed().unwrap_or_default()));
        let name = entry.shader.as_deref().map_or_else(|| entry.name.clone(), harmless);
        let size = HumanBytes(entry.size_bytes).to_string();
        writeln!(out, "{size:>10}  {used:>10}  {}", name.replace('\n', " "))?;
    }
    Ok(())
}

fn json(cache: &Cache, entries: &[CacheEntry], cleared: bool) -> Value {
    let seconds = |entry: &CacheEntry| entry.last_used.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let list = entries.iter().map(|entry| {
        json!({
            "name": entry.name,
            "shader": entry.shader,
            "bytes": entry.size_bytes,
            "last_used_unix": seconds(entry),
        })
    });
    json!({
        "path": cache.path().to_string_lossy(),
        "cleared": cleared,
        "bytes": total_bytes(entries),
        "cap_bytes": cache.cap_bytes(),
        "entries": list.collect::<Vec<_>>(),
    })
}

/// The cache's counters for a run, as JSON.
pub(super) fn counters_json(cache: &Cache) -> Value {
    let counters = cache.counters();
    json!({
        "path": cache.path().to_string_lossy(),
        "hits": counters.hits,
        "misses": counters.misses,
        "rejected": counters.rejected,
        "stored": counters.stored,
        "failed": counters.failed,
    })
}

fn total_bytes(entries: &[CacheEntry]) -> u64 {
    entries.iter().map(|entry| entry.size_bytes).sum()
}
