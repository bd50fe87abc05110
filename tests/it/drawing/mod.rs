//! Tests whole draws, from vertices to targets: random ones against a plain model, and rules one by one with pixels
//! worked out by hand.
//!
//! | file | contents |
//! |---|---|
//! | `model/` | random draws against a model in doubles |
//! | `vertices.rs` | the assembly of vertices into triangles, and their numbers |
//! | `coverage.rs` | the pixels that a triangle covers, and its facing |
//! | `lines.rs` | the same of lines and points |
//! | `wide_lines.rs` | lines that are rectangles |
//! | `wireframe.rs` | edges of triangles as lines |
//! | `interpolation.rs` | attributes, positions, derivatives |
//! | `distances.rs` | clip and cull distances |
//! | `evaluation.rs` | attributes away from centers, samples |
//! | `depth.rs` | depths that are tested, written, and seen by shaders |
//! | `stencil.rs` | stencils that are tested and changed |
//! | `effects.rs` | pixels that are discarded, hidden, or helpers of their neighbours |
//! | `samples.rs` | pixels of several samples |
//! | `conservative.rs` | conservative rasterization |
//! | `masks.rs` | sample masks, alpha as coverage |
//! | `targets.rs` | colours in targets |
//! | `untargeted.rs` | passes without targets |
//! | `views.rs` | levels and layers of textures as targets, depth buffers that are read meanwhile |
//! | `history.rs` | the fragments of one pixel in a draw |
//! | `scenes.rs` | states that scenes name |
//! | `refusals.rs` | parts that do not fit each other |
//! | `shaders.rs` | the shaders, from assembly text |
//! | `canvas.rs` | targets, and draws into them |
//!
//! Rules that are easily broken, with their sections of the functional specification, and the tests that fail then.
//! *Merger* is `ir/tests/it/pipeline/blend.rs`.
//!
//! * Positions snap to the nearest 256th, the even one of two (3.2.4.1, 15.16):
//!   `vertices_snap_to_the_nearest_even_256th`, `raster/src/setup/shape/fixed.rs`
//! * Division, then the viewport transform, in floats and in its order (15.6): `the_viewport_computes_in_its_order`,
//!   `positions_are_divided_first`, `model`
//! * Centers on top and left edges are inside; a shared edge belongs to one triangle (3.4.2):
//!   `shared_edges_and_vertices_belong_to_one_triangle`, `raster/tests/it/coverage.rs`
//! * Coverage is exact over all of 16.8 bits (15.16): `raster/tests/it/coverage.rs`
//! * The viewport is a scissor whose edges round down; it clips nothing (15.6, 15.7): `the_viewport_is_a_scissor`,
//!   `model`
//! * Positions up to 3.4e34 stay finite; farther ones are clipped (15.4, 15.16.1): `far_positions_stay_finite`,
//!   `vertices_may_be_as_far_away_as_floats_reach`, `lines_may_be_as_long_as_floats_reach`,
//!   `large_positions_cover_what_small_ones_do`, `raster/tests/it/clipping.rs`
//! * Clipping keeps w > 0, even without depth clipping; one vertex with w <= 0 drops no triangle (15.4):
//!   `w_is_above_zero`, `edges_through_the_eye_project_to_a_point`, `model`
//! * A clipped triangle covers a pixel once (3.4.2, 15.4): `clipped_triangles_cover_pixels_once`,
//!   `raster/tests/it/clipping.rs`, `model`
//! * A NaN in a vertex drops its triangle (15.4, 15.16.1): `triangles_with_nan_draw_nothing`,
//!   `triangles_that_become_nan_draw_nothing`, `points_are_in_the_view_volume_or_not`
//! * Depth is clipped, or clamped in the output merger alone (15.4, 15.6, 17.10):
//!   `depth_is_clipped_where_it_should_be`, `depths_are_clamped_to_the_viewport_and_not_for_the_shader`,
//!   `depths_of_shaders_are_clamped`
//! * `SV_Position.z` is the tested depth, to the bit (15.16.2, 16.3.1): `shaders_see_the_depth_that_is_tested`
//! * `SV_Position.w` is one over the interpolated 1/w (16.3): `positions_are_those_of_pixels`, `model`
//! * Evaluated inputs: sixteenths of four bits, in perspective, even where pixels diverge; constant ones are unchanged
//!   (16.5): `inputs_are_evaluated_in_sixteenths`, `at_the_center_inputs_are_themselves`
//! * Clipping keeps attributes linear in clip space, on the screen, or as bits (16.4):
//!   `clipping_keeps_attributes_by_their_modes`, `model`
//! * Interpolation begins at snapped vertices (15.16.2): `attributes_are_set_up_from_snapped_vertices`, `model`
//! * Clip distances of 0 and more are inside; NaN drops the triangle (15.4.1): `clip_distances_clip_pixels`,
//!   `nan_clip_distances_drop_the_triangle`
//! * Distances are linear in clip space, and clip pixels alone: edges stay unchanged (15.4.1, 15.4.3):
//!   `distances_clip_along_lines`, `distances_clip_lines_in_space`, `clip_and_cull_distances_do_not_mix`
//! * A cull distance drops a triangle that is beyond it with all vertices; NaN is beyond (15.4.2, 15.4.3):
//!   `cull_distances_drop_whole_triangles`
//! * Facing is that of snapped triangles (15.11, 15.12): `facing_is_that_of_snapped_triangles`,
//!   `clockwise_triangles_are_front_facing`, `model`
//! * The first vertex is the provoking one; odd triangles of a strip have their winding reversed (8.10, 8.14):
//!   `strips_lead_with_their_first_vertex_and_turn_every_other_triangle`
//! * Primitive restart: found before the base vertex is added; primitives count on, windings begin anew; in lists too
//!   (8.12, 8.13): `restarts_begin_a_new_strip_and_primitives_count_on`,
//!   `restarts_are_found_before_the_base_vertex_is_added`, `restarts_cut_lists_too`
//! * Numbers of vertices, primitives, instances (8.3 to 8.6, 8.16 to 8.18):
//!   `vertices_primitives_and_instances_are_numbered`, `indexed_vertices_have_their_indices`,
//!   `elements_of_instances_begin_at_the_first_instance`
//! * Depths become codes, nearest first, and codes are compared (17.11): `codes_are_compared`,
//!   `depths_are_rounded_to_the_nearest_code`, `ir/tests/it/pipeline/depth.rs`, `model`
//! * Depth bias: units of the buffer, slopes, a clamp for its own sign, the same for all vertices (15.10):
//!   `depth_bias_counts_in_units_of_the_buffer`, `raster/src/setup/bias.rs`, `model`
//! * A primitive dropped before its pixels are tested fails at each of them, and changes no stencil (17.10, 17.12):
//!   `raster/tests/it/coarse.rs`, `model`
//! * Stencils: masks on both operands of the comparison, operations by the test that fails, 8 bits that wrap; without a
//!   depth test depth passes (17.12): `stencils_are_tested_and_changed`, `ir/tests/it/pipeline/depth.rs`, `model`
//! * Facing selects the stencil test (17.12): `stencils_are_tested_and_changed`, `points_lines_and_edges_have_facing`,
//!   `model`
//! * A draw sees depths and memory as the draws before left them (4.2): `draws_see_what_was_written_before_them`
//! * Forced early tests come before the shader, whatever it decides (16.12.1): `forced_early_tests_hide_effects`,
//!   `forced_early_tests_come_before_the_shader`
//! * Without the flag a shader that changes memory runs for hidden pixels (16.12.2): `hidden_pixels_have_effects`
//! * Effects before a discard stay; there are none after it (16.13): `discarded_pixels_end_there`,
//!   `discarded_pixels_leave_no_depth`, `discarded_pixels_have_derivatives`, `model`
//! * Helper pixels change nothing, but load (16.2, 16.13): `helpers_change_nothing`, `stores_of_helpers_are_dropped`,
//!   `helpers_load`, `helpers_sample`
//! * Atomic operations of helpers give 0: `atomics_of_helpers_give_zeros`
//! * Derivatives belong to one triangle, with attributes beyond its edges (16.2, 16.8):
//!   `derivatives_belong_to_one_triangle`, `ir/tests/it/pipeline/depth.rs`
//! * 1/w of 0 or less in helpers does no harm (16.2): `helpers_beyond_the_horizon_do_no_harm`
//! * The input coverage: 0 in helpers, 1 in hidden pixels (16.3.2): `helpers_have_no_coverage`,
//!   `hidden_pixels_have_coverage`
//! * The output mask's first bit is that of the sample (16.9.4): `masks_take_pixels_out`,
//!   `ir/tests/it/pipeline/depth.rs`
//! * A draw's mask without its lowest bit covers nothing (16.3.2, 17.17): `the_lowest_bit_of_a_mask_counts`
//! * Alpha becomes coverage: none of 0, less and NaN, full of 1; the first output's as the shader writes it, without a
//!   target too (17.18): `alphas_become_coverage`, `the_first_alpha_covers_all_targets`,
//!   `coverage_leaves_blending_alone`
//! * A shader's mask switches it off; it comes after effects and forced tests (16.9.4, 17.18):
//!   `masks_of_shaders_and_missing_alphas_switch_it_off`, `effects_come_before_coverage`
//! * Sources of a blend are clamped to its target's range; intermediate results are not (17.5):
//!   `blends_clamp_target_by_target`, merger
//! * Floats: NaN and -0 pass through a blend, also with weight 0 (17.5): merger (`float_targets_keep_what_comes`)
//! * Minimum and maximum ignore factors (17.1): merger
//! * SRGB: blends are of linear numbers, alpha has no curve (17.4): `srgb_targets_blend_linear_numbers`,
//!   `ir/tests/it/pipeline/srgb.rs`
//! * UNORM: clamped, rounded to nearest, NaN is 0 (3.2.3.6): merger (`unorm_targets_clamp_from_0_to_1`)
//! * Integers are not blended, and clamped; logic operations take the bits that the target has (17.5, 17.7):
//!   `integers_are_clamped`, `integers_beside_a_blended_target`, merger
//! * The second source is the second output, and there is one target (17.6): `the_second_output_is_a_second_source`,
//!   merger
//! * An output that is not declared leaves its target alone (16.9.1):
//!   `outputs_that_are_not_declared_leave_their_targets`, `components_that_are_missing`
//! * Without independent blending the first target's state and write mask are those of all (17.1):
//!   `targets_have_the_first_ones_state_or_their_own`
//! * Write masks, target by target; pixels without targets still have effects and count (16.9.1, 17.15):
//!   `every_target_has_its_write_mask`, `pixels_without_targets_have_effects`
//! * Without targets the viewport and the scissor rectangle bound the pixels, up to 16384 (16.11, 3.5.6.4):
//!   `the_viewport_says_how_large_the_picture_is`, `scissors_bound_it_and_masks_of_samples_do_not_matter`,
//!   `no_picture_is_larger_than_a_texture`
//! * Samples may be forced: coverage, centroid without the mask, occlusion counts of the rasterizer's (3.5.6.2, 20.4.6):
//!   `samples_are_forced_over_targets_of_one`, `one_sample_is_forced_over_targets_of_several`, `samples_may_be_forced`
//! * All samples may lie at the center (19.2.4.1): `samples_may_all_lie_at_the_center`, `model`
//! * The centroid is the first sample that is covered and in the mask, the center where all are covered (3.5.5): `model`,
//!   `inputs_are_evaluated_where_they_are_asked_for`
//! * Conservative rasterization: every pixel that is touched, all samples, triangles without area, what lies inside:
//!   `drawing/conservative.rs`, `raster/tests/it/conservative.rs`
//! * An element whose vertex buffer is not bound is zero (8): `elements_without_a_vertex_buffer_are_zero`
//! * A layer that does not exist is the first; shaders see the index as it was; the leading vertex has it (15.15):
//!   `the_leading_vertex_chooses_the_layer`, `clipping_and_strips_keep_their_layers`
//! * A viewport index out of range selects the first, with its depths and its scissor rectangle, likewise (15.8.1):
//!   `the_leading_vertex_chooses_the_viewport`, `viewports_have_their_depths`
//! * Read-only views disable writes whatever the state says (17.13): `read_only_depths_and_stencils_stay`,
//!   `read_only_depths_may_be_read`, `ir/tests/it/pipeline/depth.rs`
//! * Other subresources of a texture that is drawn to may be read (5.3): `another_part_of_a_target_may_be_read`,
//!   `targets_may_be_parts_of_one_texture`
//! * A triangle's depths are the same in every pipeline (3.4.1, 16.3.1): `depths_are_the_same_in_every_pipeline`
//! * A line covers the pixels whose diamonds it exits; corners belong to lower or right neighbours (3.4.3):
//!   `lines_end_before_their_last_pixel`, `raster/tests/it/thin.rs`
//! * With `MultisampleEnable` lines are rectangles, 1.4 pixels wide; attributes are constant across, and nothing is
//!   culled (3.4.5, 15.14.1): `lines_are_rectangles`, `attributes_are_constant_across`, `nothing_but_lines_changes`,
//!   `raster/src/setup/shape/wide.rs`
//! * A point is the pixel around it, the left or upper one of two (3.4.6): `points_are_pixels`,
//!   `raster/tests/it/thin.rs`
//! * Lines and points are never culled, and are front-facing (15.11, 15.12): `lines_and_points_are_front_facing`
//! * Edges of triangles have their facing, bias and constants; clipping makes no edges (15.10, 15.11.1, 15.13):
//!   `edges_have_the_triangles_facing`, `edges_are_biased_and_lines_are_not`, `edges_have_the_triangles_attributes`,
//!   `clipping_makes_no_edges`, `edges_end_at_both_planes`, `clipped_triangles_keep_their_facing`,
//!   `clipped_triangles_are_biased_once`
//! * Without a slope factor an infinite slope is ignored (15.10): `edge_on_triangles_are_biased_by_units`,
//!   `raster/src/setup/bias.rs`
//! * Attributes change along lines alone, and not at all over points (15.14.1, 15.14.2):
//!   `attributes_change_along_lines`, `points_are_pixels`
//! * Triangles draw in their order (4.2): `triangles_draw_in_their_order`, `raster/src/tiles/packets.rs`, `model`
//! * Without a pixel shader depths are drawn; without a depth test either nothing is counted (16.9.1, 20.4.6):
//!   `depths_are_drawn_without_a_pixel_shader`, `without_shader_and_depth_test_nothing_is_counted`,
//!   `without_a_depth_buffer_every_pixel_passes`

pub mod canvas;
mod conservative;
mod coverage;
mod depth;
mod distances;
mod effects;
mod evaluation;
mod history;
mod interpolation;
mod lines;
mod masks;
mod model;
mod refusals;
mod samples;
mod scenes;
pub mod shaders;
mod stencil;
mod targets;
mod untargeted;
mod vertices;
mod views;
mod wide_lines;
mod wireframe;
