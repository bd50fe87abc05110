//! Tests mapped files, which shaders read and write, also beyond 4 GiB.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use brolga_runtime::{Access, Bindings, Device, Dispatch, Engine, Error, Format, ResourceError, Shader, View};

use crate::support::{self, ENGINES};

/// A file of zeros that is removed at the end. Zeros that are never written take no space on disk.
struct Scratch(PathBuf);

impl Scratch {
    fn new(size_bytes: u64) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("brolga-files-{process}-{count}"));
        File::create(&path).unwrap().set_len(size_bytes).unwrap();
        Self(path)
    }

    fn words<const N: usize>(&self, offset_bytes: u64) -> [u32; N] {
        let mut file = File::open(&self.0).unwrap();
        file.seek(SeekFrom::Start(offset_bytes)).unwrap();
        std::array::from_fn(|_| {
            let mut word = [0; 4];
            file.read_exact(&mut word).unwrap();
            u32::from_le_bytes(word)
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The shader of `large.hlsl`: thread n writes element `first + n * stride` of `u0` and texel of the same number of
/// `u1`.
fn shader(device: &Device, engine: Engine) -> Shader {
    support::shader(device, "large.write", engine)
}

fn run(engine: Engine, elements: u64, first: u32, stride: u32, check: impl Fn(&Scratch, &Scratch, &str)) {
    let target = Scratch::new(elements * 16);
    let texels = Scratch::new(elements * 8);
    let source = Scratch::new(32 * 16);
    let device = Device::builder().threads(2).build().unwrap();
    let map = |file: &Scratch, access| device.map_buffer(&file.0, access).unwrap();
    std::fs::write(&source.0, [9; 32 * 16]).unwrap();

    let constants = device.buffer_from(&[first, stride]).unwrap();
    let mut bindings = Bindings::new();
    bindings.set("b0".parse().unwrap(), View::constant(constants).unwrap());
    bindings.set("t0".parse().unwrap(), View::structured(map(&source, Access::Read), 16).unwrap());
    let written = [map(&target, Access::ReadWrite), map(&texels, Access::ReadWrite)];
    bindings.set("u0".parse().unwrap(), View::structured(written[0].clone(), 16).unwrap());
    bindings.set("u1".parse().unwrap(), View::typed(written[1].clone(), Format::R32G32_UINT).unwrap());
    device.dispatch(&shader(&device, engine), &bindings, &Dispatch::new([1; 3])).unwrap();
    for buffer in written {
        buffer.flush().unwrap();
    }
    check(&target, &texels, &format!("{engine}, first {first}, stride {stride}"));
}

#[test]
fn what_shaders_write_is_in_the_file() {
    for &engine in ENGINES {
        run(engine, 32, 0, 1, |target, texels, what| {
            for n in 0..32 {
                assert_eq!(target.words(u64::from(n) * 16), [n, n, 7, 0x0909_0909], "{what}");
                assert_eq!(texels.words(u64::from(n) * 8), [n, n], "{what}");
            }
        });
    }
}

#[test]
fn elements_beyond_4_gib_are_reached_and_no_others() {
    // The last element begins 16 bytes before 4 GiB + 512 bytes; half of the threads are outside.
    let elements = (1 << 28) + 32;
    let first = elements as u32 - 16;
    for &engine in ENGINES {
        for stride in [1, 3] {
            run(engine, elements, first, stride, |target, texels, what| {
                for n in 0..32u32 {
                    let at = u64::from(first) + u64::from(n * stride);
                    if at < elements {
                        assert_eq!(target.words(at * 16), [n, at as u32, 7, 0x0909_0909], "{what}");
                        assert_eq!(texels.words(at * 8), [at as u32, n], "{what}");
                    }
                    // The address that truncation to 32 bits would have given.
                    assert_eq!(target.words((at * 16) & 0xffff_ffff), [0; 4], "{what}");
                }
            });
        }
    }
}

#[test]
fn raw_views_end_at_4_gib() {
    let file = Scratch::new((1 << 32) + 4);
    let device = Device::builder().threads(1).build().unwrap();
    let buffer = device.map_buffer(&file.0, Access::Read).unwrap();
    assert!(matches!(View::raw(buffer.clone()), Err(ResourceError::RawTooLarge { .. })));
    assert!(View::structured(buffer, 4).is_ok());
}

#[test]
fn files_that_cannot_be_mapped_are_named() {
    let device = Device::builder().threads(1).build().unwrap();
    for path in [std::env::temp_dir(), std::env::temp_dir().join("brolga-no-such-file")] {
        match device.map_buffer(&path, Access::Read) {
            Err(error @ Error::Resource(ResourceError::Map { .. })) => {
                assert!(error.to_string().starts_with(&format!("{} cannot be mapped", path.display())));
            }
            other => panic!("{other:?}"),
        }
    }
}
