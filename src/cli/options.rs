//! Defines options that several commands have.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use brolga::{Cache, Device, PerfMap, Pool, VectorBytes};
use clap::{Args, ValueEnum};

use super::compiler::SourceOptions;
use super::{Ending, report};

/// The output on stdout.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people
    Text,
    /// One document
    Json,
}

/// The arguments of commands about shaders.
#[derive(Args)]
pub(super) struct Shaders {
    /// Compiled shaders (.cso, .dxbc) or WGSL (.wgsl), or HLSL if a compiler is named; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output format: text for people, or one JSON document
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub source: SourceOptions,
}

/// The range of thread counts; 0 means one for each processor.
pub(super) const THREADS: RangeInclusive<i64> = 0..=Pool::MOST_THREADS as i64;

/// Some thirty years.
const MOST_SECONDS: f64 = 1e9;

/// Reads a time in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time in seconds greater than 0");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if seconds > MOST_SECONDS {
        return Err(format!("`{text}` is over the limit of {MOST_SECONDS:e} seconds: leave the option out"));
    }
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if time.is_zero() { Err(wrong()) } else { Ok(time) }
}

/// Options about the devices of a command.
#[derive(Args, Clone, Copy)]
pub(super) struct DeviceOptions {
    /// Name the machine code for Linux profilers, in /tmp/perf-PID.map
    #[arg(long)]
    perf_map: bool,
    /// Use vectors of at most so many bytes in machine code, if the processor has them [default: 32, and 64 where a
    /// shader gains]
    #[arg(long, value_name = "BYTES", value_parser = vector_bytes)]
    vector_bytes: Option<VectorBytes>,
    /// Let copies of compressed textures, which make sampling faster, take at most so many bytes [default: 268435456];
    /// 0 makes none
    #[arg(long, value_name = "BYTES", value_parser = copy_bytes, allow_hyphen_values = true)]
    copy_bytes: Option<u64>,
}

/// Reads a size of vectors.
fn vector_bytes(text: &str) -> Result<VectorBytes, String> {
    let found = VectorBytes::ALL.into_iter().find(|size| size.count().to_string() == text);
    found.ok_or_else(|| {
        let sizes: Vec<String> = VectorBytes::ALL.iter().map(|size| size.count().to_string()).collect();
        format!("`{text}` is not a size of vectors: {}", sizes.join(" or "))
    })
}

/// Reads a limit of copies.
fn copy_bytes(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a count of bytes: give it in digits, as 268435456 for 256 MiB"))
}

/// A device with this many threads. Reports an error if there is none.
pub(super) fn device(threads: u16, options: DeviceOptions, cache: Option<Cache>) -> Result<Device, Ending> {
    let mut builder = Device::builder().threads(threads.into());
    if let Some(cache) = cache {
        builder = builder.cache(cache);
    }
    if let Some(vector_bytes) = options.vector_bytes {
        builder = builder.vector_bytes(vector_bytes);
    }
    if let Some(copy_bytes) = options.copy_bytes {
        builder = builder.copy_bytes(copy_bytes);
    }
    if options.perf_map {
        let map = PerfMap::of_process().map_err(|error| {
            report::say(&format!("error: the perf map of this process cannot be written: {error}\n"));
            Ending::BadInput
        })?;
        builder = builder.perf_map(map);
    }
    builder.build().map_err(|error| {
        report::say(&format!("error: {error}\n"));
        Ending::Stopped
    })
}
