//! Tests packet operations that are not in the operation table: masks, lanes, memory.
//!
//! Each is compared with a plain model over arrays, in every shape and at every feature level. Memory that a row,
//! gather or scatter must not touch is either checked afterwards or not there at all.

use brolga_ir::Type;
use brolga_jit::FloatMode;
use brolga_jit::packet::{Emit, Packet, is_wide, scalar_type, vector_type};
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::support::{Cliff, Code, FLAGS, MAX_LANES, Random, Record, Variant, load_lanes, store_lanes};

/// Compiles a body, runs it for one packet in every variant on fresh copies of the buffers, and hands them to a check.
fn each_variant(
    buffers: [Vec<u8>; 4],
    mut body: impl FnMut(&mut Emit<'_, '_>, &[Value]),
    mut check: impl FnMut(usize, [Vec<u8>; 4], &Record),
) {
    for variant in Variant::all() {
        let mut code = Code::new(variant);
        let function = code.function(|emit, _, pointers| body(emit, pointers));
        let mut copies = buffers.clone();
        let mut record = Record::new();
        let [a, b, c, d] = &mut copies;
        code.finish().run(function, FloatMode::Default, &mut record, [a, b, c, d], 1);
        check(variant.shape.lanes() as usize, copies, &record);
    }
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

fn random_words(count: usize, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    (0..count).map(|_| random.bits() as u32).collect()
}

/// Masks of a packet's lanes worth trying: none, all, each single one, all but each, alternating.
fn masks() -> Vec<[u32; MAX_LANES]> {
    let mut masks = vec![[0; MAX_LANES], [u32::MAX; MAX_LANES]];
    for lane in 0..MAX_LANES {
        masks.push(std::array::from_fn(|n| if n == lane { u32::MAX } else { 0 }));
        masks.push(std::array::from_fn(|n| if n == lane { 0 } else { u32::MAX }));
    }
    masks.push(std::array::from_fn(|n| if n % 2 == 0 { u32::MAX } else { 0 }));
    masks
}

#[test]
fn branches_see_any_all_and_none() {
    for mask in masks() {
        let buffers = [bytes(mask), vec![9; 3], Vec::new(), Vec::new()];
        each_variant(
            buffers,
            |emit, pointers| {
                let mask = emit.load(Type::Bool, pointers[0], 0, FLAGS);
                let tests = [emit.any(&mask), emit.all(&mask), emit.none(&mask)];
                for (n, test) in tests.into_iter().enumerate() {
                    emit.builder.ins().store(FLAGS, test, pointers[1], n as i32);
                }
            },
            |lanes, [_, results, ..], _| {
                let mut lanes = mask[..lanes].iter();
                let any = u8::from(lanes.clone().any(|&lane| lane != 0));
                let all = u8::from(lanes.all(|&lane| lane != 0));
                assert_eq!(results, [any, all, 1 - any], "{mask:x?}");
            },
        );
    }
}

#[test]
fn masks_combine() {
    let patterns = [0x0f0f_3355u32, 0x00ff_5a5a]
        .map(|pattern| bytes((0..MAX_LANES as u32).map(|lane| if pattern >> lane & 1 != 0 { u32::MAX } else { 0 })));
    let [a, b] = patterns;
    each_variant(
        [a, b, vec![0; 6 * MAX_LANES * 4], Vec::new()],
        |emit, pointers| {
            let [a, b] = [0, 1].map(|n| emit.load(Type::Bool, pointers[n], 0, FLAGS));
            let results = [
                emit.mask_and(&a, &b),
                emit.mask_or(&a, &b),
                emit.mask_and_not(&a, &b),
                emit.mask_not(&a),
                emit.mask_constant(true),
                emit.mask_constant(false),
            ];
            for (n, result) in results.iter().enumerate() {
                emit.store(result, pointers[2], (n * MAX_LANES * 4) as i32, FLAGS);
            }
        },
        |lanes, [a, b, results, _], _| {
            let (a, b, results) = (words(&a), words(&b), words(&results));
            for lane in 0..lanes {
                let got: Vec<u32> = (0..6).map(|n| results[n * MAX_LANES + lane]).collect();
                let (a, b) = (a[lane], b[lane]);
                assert_eq!(got, [a & b, a | b, a & !b, !a, u32::MAX, 0], "lane {lane}");
            }
        },
    );
}

#[test]
fn lanes_leave_and_enter_packets_in_order() {
    for ty in Type::ALL {
        let size = if is_wide(ty) { 8 } else { 4 };
        let values = bytes(random_words(MAX_LANES * 2, 7));
        each_variant(
            [values, vec![0; MAX_LANES * size], vec![0; MAX_LANES * size], Vec::new()],
            |emit, pointers| {
                let packet = load_lanes(emit, ty, pointers[0]);
                assert_eq!(emit.builder.func.dfg.value_type(packet.vectors[0]), vector_type(ty));
                let lanes = emit.lanes(&packet);
                for (n, &lane) in lanes.iter().enumerate() {
                    let expected = if ty == Type::Bool { types::I32 } else { scalar_type(ty) };
                    assert_eq!(emit.builder.func.dfg.value_type(lane), expected);
                    emit.builder.ins().store(FLAGS, lane, pointers[1], (n * size) as i32);
                }
                let back = emit.from_lanes(ty, &lanes);
                store_lanes(emit, &back, pointers[2]);
            },
            |lanes, [values, scalars, packet, _], _| {
                assert_eq!(values[..lanes * size], scalars[..lanes * size], "{ty}");
                assert_eq!(values[..lanes * size], packet[..lanes * size], "{ty}");
            },
        );
    }
}

#[test]
fn lanes_know_their_numbers() {
    each_variant(
        [vec![0; MAX_LANES * 4], Vec::new(), Vec::new(), Vec::new()],
        |emit, pointers| {
            let index = emit.lane_index();
            emit.store(&index, pointers[0], 0, FLAGS);
        },
        |lanes, [index, ..], _| assert!(words(&index)[..lanes].iter().copied().eq(0..lanes as u32)),
    );
}

#[test]
fn uniform_values_spread_over_all_lanes() {
    for ty in Type::ALL {
        let size = if is_wide(ty) { 8 } else { 4 };
        let value: Vec<u8> = if ty == Type::Bool { vec![1; 8] } else { bytes(random_words(2, 3)) };
        each_variant(
            [value.clone(), vec![0; MAX_LANES * size], Vec::new(), Vec::new()],
            |emit, pointers| {
                let uniform = emit.load_uniform(ty, pointers[0], 0, FLAGS);
                let packet = emit.splat(uniform);
                emit.store(&packet, pointers[1], 0, FLAGS);
            },
            |lanes, [_, packet, ..], _| {
                let expected = if ty == Type::Bool { &[0xff; 4] } else { &value[..size] };
                assert!(packet[..lanes * size].chunks(size).all(|lane| lane == expected), "{ty}");
            },
        );
    }
}

#[test]
fn private_stores_leave_other_lanes_alone() {
    for mask in masks() {
        each_variant(
            [bytes(mask), bytes(random_words(MAX_LANES, 1)), bytes(random_words(MAX_LANES, 2)), Vec::new()],
            |emit, pointers| {
                let mask = emit.load(Type::Bool, pointers[0], 0, FLAGS);
                let value = emit.load(Type::F32, pointers[1], 0, FLAGS);
                emit.store_private(&value, &mask, pointers[2], 0, FLAGS);
            },
            |lanes, [_, new, memory, _], _| {
                let old = random_words(MAX_LANES, 2);
                for (lane, word) in words(&memory).into_iter().enumerate() {
                    let stored = lane < lanes && mask[lane] != 0;
                    assert_eq!(word, if stored { words(&new)[lane] } else { old[lane] }, "lane {lane} of {mask:x?}");
                }
            },
        );
    }
}

/// Strides with as many words as fit, and some that do not fill or that overlap.
fn row_shapes() -> Vec<(u32, usize)> {
    let strides = [0, 4, 8, 12, 16, 20, 32, 48];
    strides.into_iter().flat_map(|stride| (1..=4).map(move |words| (stride, words))).collect()
}

#[test]
fn rows_are_read_as_columns_and_nothing_beyond_them() {
    for (stride, count) in row_shapes() {
        for variant in Variant::all() {
            let lanes = variant.shape.lanes() as usize;
            let content = bytes(random_words((stride as usize * (lanes - 1)) / 4 + count, 11));
            let mut cliff = Cliff::new(&content);
            let mut code = Code::new(variant);
            let function = code.function(|emit, _, pointers| {
                let columns = emit.load_rows(pointers[0], 0, stride, count, FLAGS);
                for (n, column) in columns.iter().enumerate() {
                    emit.store(column, pointers[1], (n * lanes * 4) as i32, FLAGS);
                }
            });
            let mut columns = vec![0; count * lanes * 4];
            let [mut none, mut nothing] = [[], []];
            let buffers = [cliff.content(), &mut columns, &mut none[..], &mut nothing[..]];
            code.finish().run(function, FloatMode::Default, &mut Record::new(), buffers, 1);
            let (content, columns) = (words(&content), words(&columns));
            for (n, word) in columns.into_iter().enumerate() {
                let (lane, column) = (n % lanes, n / lanes);
                assert_eq!(word, content[lane * stride as usize / 4 + column], "stride {stride}, {count}, lane {lane}");
            }
        }
    }
}

#[test]
fn rows_are_written_from_columns_and_nothing_beyond_them() {
    for (stride, count) in row_shapes().into_iter().filter(|&(stride, count)| stride as usize >= count * 4) {
        const GUARD: usize = 64;
        let size = stride as usize * MAX_LANES + 2 * GUARD;
        each_variant(
            [bytes(random_words(4 * MAX_LANES, 5)), vec![0xee; size], Vec::new(), Vec::new()],
            |emit, pointers| {
                let columns: Vec<Packet> =
                    (0..count).map(|n| emit.load(Type::I32, pointers[0], (n * MAX_LANES * 4) as i32, FLAGS)).collect();
                emit.store_rows(&columns, pointers[1], GUARD as i32, stride, FLAGS);
            },
            |lanes, [columns, memory, ..], _| {
                let mut expected = vec![0xee; size];
                for lane in 0..lanes {
                    for word in 0..count {
                        let from = (word * MAX_LANES + lane) * 4;
                        let to = GUARD + lane * stride as usize + word * 4;
                        expected[to..to + 4].copy_from_slice(&columns[from..from + 4]);
                    }
                }
                assert_eq!(memory, expected, "stride {stride}, {count} words");
            },
        );
    }
}

/// Offsets of lanes into a table of `size` bytes; masked-off lanes point anywhere.
fn offsets(mask: &[u32; MAX_LANES], size: u32, count: usize) -> Vec<u32> {
    let mut random = Random(u64::from(size));
    let last = size / 4 - count as u32;
    mask.iter().map(|&on| if on != 0 { random.bits() as u32 % (last + 1) * 4 } else { random.bits() as u32 }).collect()
}

#[test]
fn gathers_read_what_lanes_point_at_and_zero_where_masked_off() {
    const SIZE: u32 = 256;
    let table = random_words(SIZE as usize / 4, 21);
    for count in 1..=4 {
        for mask in masks() {
            let at = offsets(&mask, SIZE, count);
            each_variant(
                [bytes(table.clone()), bytes(at.clone()), bytes(mask), vec![0; 4 * MAX_LANES * 4]],
                |emit, pointers| {
                    let at = emit.load(Type::I32, pointers[1], 0, FLAGS);
                    let mask = emit.load(Type::Bool, pointers[2], 0, FLAGS);
                    let columns = emit.gather(pointers[0], 0, &at, count, Some(&mask), FLAGS);
                    for (n, column) in columns.iter().enumerate() {
                        emit.store(column, pointers[3], (n * MAX_LANES * 4) as i32, FLAGS);
                    }
                },
                |lanes, [.., results], _| {
                    let results = words(&results);
                    for lane in 0..lanes {
                        for word in 0..count {
                            let expected = if mask[lane] != 0 { table[at[lane] as usize / 4 + word] } else { 0 };
                            assert_eq!(results[word * MAX_LANES + lane], expected, "lane {lane}, word {word}");
                        }
                    }
                },
            );
        }
    }
}

#[test]
fn gathers_without_a_mask_read_in_every_lane() {
    const SIZE: u32 = 64;
    let table = random_words(SIZE as usize / 4, 23);
    let at = offsets(&[u32::MAX; MAX_LANES], SIZE, 1);
    each_variant(
        [bytes(table.clone()), bytes(at.clone()), vec![0; MAX_LANES * 4], Vec::new()],
        |emit, pointers| {
            let at = emit.load(Type::I32, pointers[1], 0, FLAGS);
            let column = &emit.gather(pointers[0], 0, &at, 1, None, FLAGS)[0];
            emit.store(column, pointers[2], 0, FLAGS);
        },
        |lanes, [.., results, _], _| {
            let expected = at[..lanes].iter().map(|&at| table[at as usize / 4]);
            assert!(words(&results)[..lanes].iter().copied().eq(expected));
        },
    );
}

#[test]
fn scatters_write_lane_after_lane_and_only_where_the_mask_holds() {
    const SIZE: u32 = 128;
    const GUARD: usize = 64;
    for count in 1..=4 {
        for mask in masks() {
            // So few offsets that lanes collide: the last one must win.
            let at = offsets(&mask, SIZE, count);
            let memory = vec![0xee; SIZE as usize + 2 * GUARD];
            let everywhere = mask[0] != 0 && mask.iter().all(|&lane| lane == mask[0]);
            each_variant(
                [memory.clone(), bytes(at.clone()), bytes(mask), bytes(random_words(4 * MAX_LANES, 9))],
                |emit, pointers| {
                    let at = emit.load(Type::I32, pointers[1], 0, FLAGS);
                    let mask = emit.load(Type::Bool, pointers[2], 0, FLAGS);
                    let columns: Vec<Packet> = (0..count)
                        .map(|n| emit.load(Type::I32, pointers[3], (n * MAX_LANES * 4) as i32, FLAGS))
                        .collect();
                    let base = emit.builder.ins().iadd_imm_s(pointers[0], GUARD as i64);
                    let mask = if everywhere { None } else { Some(&mask) };
                    emit.scatter(&columns, base, &at, mask, FLAGS);
                },
                |lanes, [result, _, _, columns], _| {
                    let mut expected = memory.clone();
                    for lane in (0..lanes).filter(|&lane| mask[lane] != 0) {
                        for word in 0..count {
                            let from = (word * MAX_LANES + lane) * 4;
                            let to = GUARD + at[lane] as usize + word * 4;
                            expected[to..to + 4].copy_from_slice(&columns[from..from + 4]);
                        }
                    }
                    assert_eq!(result, expected, "{count} words, {mask:x?}");
                },
            );
        }
    }
}

#[test]
fn parts_join_to_the_packet_they_came_from() {
    for ty in Type::ALL {
        let values = bytes(random_words(MAX_LANES * 2, 11));
        each_variant(
            [values, vec![0; MAX_LANES * 8], Vec::new(), Vec::new()],
            |emit, pointers| {
                let packet = load_lanes(emit, ty, pointers[0]);
                let parts: Vec<_> = (0..emit.shape.parts_of(ty)).map(|n| emit.part(&packet, n)).collect();
                let joined = emit.join(ty, &parts);
                store_lanes(emit, &joined, pointers[1]);
            },
            |lanes, [values, joined, ..], _| {
                let size = if is_wide(ty) { 8 } else { 4 };
                assert_eq!(values[..lanes * size], joined[..lanes * size], "{ty}");
            },
        );
    }
}
