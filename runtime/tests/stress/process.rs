//! Measures the resources of this process, on Linux. Elsewhere all numbers are 0.

use std::fmt;

/// Prefix of the names of pool threads.
pub const POOL_THREAD: &str = "brolga-";

/// Numbers of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Memory in use.
    pub resident_kib: u64,
    /// Executable memory that belongs to no file: machine code.
    pub code_kib: u64,
    /// Open files.
    pub files: usize,
    /// Threads of pools.
    pub threads: usize,
}

impl Usage {
    /// The numbers now.
    pub fn of_this_process() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let number = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
            line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        // Address range, permissions, offset, device, inode; then the file, if there is one. Neighbours may be one
        // line.
        let code_bytes = |line: &str| {
            let mut columns = line.split_whitespace();
            let (start, end) = columns.next()?.split_once('-')?;
            let [start, end] = [start, end].map(|address| u64::from_str_radix(address, 16).unwrap_or(0));
            let is_code = columns.next()?.contains('x') && columns.nth(3).is_none();
            is_code.then_some(end - start)
        };
        let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        Self {
            resident_kib: number("VmRSS"),
            code_kib: maps.lines().filter_map(code_bytes).sum::<u64>() >> 10,
            files: std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count),
            threads: names.filter(|name| name.starts_with(POOL_THREAD)).count(),
        }
    }

    /// The numbers once no pool has threads any more: they end a little after the pool was dropped.
    pub fn once_threads_ended() -> Self {
        loop {
            let now = Self::of_this_process();
            if now.threads == 0 {
                return now;
            }
            std::thread::yield_now();
        }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resident_kib, code_kib, files, threads } = self;
        write!(
            f,
            "{resident_kib:7} KiB resident, {code_kib:5} KiB of code, {files:2} files, {threads:2} threads of pools"
        )
    }
}
