//! Runs tests of `objects.rs`, `samples.rs`, `streams.rs`, `patches.rs` and `insight.rs` in the float modes of hosts: results are the
//! same, and no mode is changed.

#![cfg(target_arch = "x86_64")]

use brolga_testing_base::modes::{MODES, in_mode};

use crate::{insight, objects, patches, samples, streams};

#[test]
fn calls_give_the_same_in_any_float_mode() {
    let calls = [
        objects::memory_of_the_caller_is_used_in_place_and_released_once,
        objects::boxes_of_levels_and_layers_are_copied_with_row_pitches,
        objects::counters_count_and_views_see_parts,
        objects::a_bound_shader_takes_other_views_between_dispatches,
        objects::counts_of_draws_scissors_and_masks_count,
        objects::reflection_says_what_sources_declare,
        objects::exact_listings_become_the_same_bytes,
        samples::edges_cover_samples_and_their_mean_is_smooth,
        samples::layers_are_resolved_to_levels_of_layers,
        samples::the_format_of_a_resolve_says_what_is_averaged,
        streams::points_are_streamed_out_and_drawn_if_a_predicate_says_so,
        streams::timestamps_follow_one_another,
        patches::patches_become_squares,
        insight::threads_print_in_order_and_abort,
        insight::stages_of_a_draw_print_in_order,
        insight::races_are_found_with_their_parties,
        insight::kinds_and_groups_are_chosen,
    ];
    for host in MODES {
        calls.iter().for_each(|call| in_mode(host, call));
    }
}
