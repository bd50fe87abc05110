//! Tests whole draws, from vertices to targets: random ones against a plain model, and rules one by one with pixels
//! worked out by hand.
//!
//! | file | what |
//! |---|---|
//! | `model/` | random draws against a model in doubles |
//! | `vertices.rs` | vertex assembly, and system values of vertex shaders |
//! | `coverage.rs` | the coverage of triangles, and their facing |
//! | `lines.rs` | the same for lines and points |
//! | `wide_lines.rs` | lines that are rectangles |
//! | `wireframe.rs` | edges of triangles as lines |
//! | `interpolation.rs` | attributes, positions, derivatives |
//! | `distances.rs` | clip and cull distances |
//! | `evaluation.rs` | attributes at other positions than centers, samples |
//! | `depth.rs` | depths that are tested, written, and seen by shaders |
//! | `stencil.rs` | stencils that are tested and changed |
//! | `effects.rs` | pixels that are discarded, hidden, or helpers |
//! | `masks.rs` | sample masks, alpha to coverage |
//! | `targets.rs` | colours in targets |
//! | `untargeted.rs` | passes without targets |
//! | `views.rs` | levels and layers of textures as targets, depth buffers that are read meanwhile |
//! | `history.rs` | the history of one pixel in a draw |
//! | `scenes.rs` | states of scenes |
//! | `refusals.rs` | parts that do not match |
//! | `shaders.rs` | the shaders, from assembly text |
//! | `canvas.rs` | targets, and draws into them |
//!
//! Rules that are easily broken, and the tests that then fail. Sections are those of the functional specification.
//! *Merger* is `ir/tests/it/pipeline/blend.rs`.
//!
//! | rule | section | test |
//! |---|---|---|
//! | positions snap to the nearest 256th, the even one of two | 3.2.4.1, 15.16 | `corners_snap_to_the_nearest_even_256th`, `raster/src/setup/shape/fixed.rs` |
//! | division, then the viewport's formulas, in floats and in their order | 15.6 | `the_viewport_computes_in_its_order`, `positions_are_divided_first`, `model` |
//! | centers on top and left edges are inside; a shared edge belongs to one triangle | 3.4.2 | `shared_edges_and_corners_belong_to_one_triangle`, `raster/tests/it/coverage.rs` |
//! | coverage is exact over all of 16.8 bits | 15.16 | `raster/tests/it/coverage.rs` |
//! | the viewport is a scissor whose edges round down; it clips nothing | 15.6, 15.7 | `the_viewport_is_a_scissor`, `model` |
//! | positions up to 3.4e34 stay finite; farther ones are clipped | 15.4, 15.16.1 | `far_positions_stay_finite`, `corners_may_be_as_far_away_as_floats_reach`, `lines_may_be_as_long_as_floats_reach`, `large_positions_cover_what_small_ones_do`, `raster/tests/it/clipping.rs` |
//! | w is above 0, also if depth is not clipped; one vertex with w <= 0 removes no triangle | 15.4 | `w_is_above_zero`, `edges_through_the_eye_have_no_place`, `model` |
//! | clipped primitives cover a pixel once | 3.4.2, 15.4 | `cut_triangles_cover_pixels_once`, `raster/tests/it/clipping.rs`, `model` |
//! | a vertex that is NaN drops its triangle | 15.4, 15.16.1 | `what_is_no_number_draws_nothing`, `what_becomes_no_number_draws_nothing`, `points_are_seen_or_not` |
//! | depth is clipped, or clamped in the merger alone | 15.4, 15.6, 17.10 | `depth_is_clipped_where_it_should_be`, `depths_are_clamped_to_the_viewport_and_not_for_the_shader`, `depths_of_shaders_are_clamped` |
//! | `SV_Position.z` is the tested depth, to the bit | 15.16.2, 16.3.1 | `shaders_see_the_depth_that_is_tested` |
//! | `SV_Position.w` is one over the interpolated 1/w | 16.3 | `positions_are_those_of_pixels`, `model` |
//! | evaluated inputs: sixteenths of four bits, in perspective, also where pixels diverge; constant ones unchanged | 16.5 | `inputs_are_evaluated_in_sixteenths`, `at_the_center_inputs_are_themselves` |
//! | clipping keeps attributes linear in clip space, on the screen, or as bits | 16.4 | `cuts_keep_attributes_in_their_ways`, `model` |
//! | interpolation uses snapped vertices | 15.16.2 | `attributes_are_set_up_from_snapped_corners`, `model` |
//! | clip distances of 0 and more are inside; NaN drops the triangle | 15.4.1 | `clip_distances_cut_pixels`, `clip_distances_must_be_numbers` |
//! | distances are linear in clip space, and remove only pixels: edges do not move | 15.4.1, 15.4.3 | `distances_cut_along_lines`, `distances_cut_lines_where_they_are_in_space`, `clip_and_cull_distances_do_not_mix` |
//! | a cull distance drops a triangle that is beyond it with all vertices; NaN is beyond | 15.4.2, 15.4.3 | `cull_distances_drop_whole_triangles` |
//! | faces are those of snapped triangles | 15.11, 15.12 | `faces_are_those_of_snapped_triangles`, `clockwise_triangles_show_their_front`, `model` |
//! | the first vertex leads; odd triangles of a strip have reversed winding | 8.10, 8.14 | `strips_lead_with_their_first_vertex_and_turn_every_other_triangle` |
//! | restarts: found before the base vertex is added; primitives count on, winding restarts; in lists too | 8.12, 8.13 | `restarts_begin_a_strip_anew_and_primitives_count_on`, `restarts_are_found_before_the_base_vertex_is_added`, `restarts_cut_lists_too` |
//! | numbers of vertices, primitives, instances | 8.3 to 8.6, 8.16 to 8.18 | `vertices_primitives_and_instances_are_numbered`, `indexed_vertices_have_their_indices`, `elements_of_instances_begin_at_the_first_instance` |
//! | depths become codes, nearest first, and codes are compared | 17.11 | `codes_are_compared`, `depths_are_rounded_to_the_nearest_code`, `ir/tests/it/pipeline/depth.rs`, `model` |
//! | depth bias: units of the buffer, slopes, a clamp for its own sign, the same for all vertices | 15.10 | `depth_bias_counts_in_units_of_the_buffer`, `raster/src/setup/bias.rs`, `model` |
//! | primitives dropped before their pixels are tested fail at each of them, and change no stencil | 17.10, 17.12 | `raster/tests/it/coarse.rs`, `model` |
//! | stencils: masks on both operands of the comparison, operations by the test that fails, 8 bits that wrap; without a depth test depth passes | 17.12 | `stencils_are_tested_and_changed`, `ir/tests/it/pipeline/depth.rs`, `model` |
//! | facing selects the stencil test | 17.12 | `stencils_are_tested_and_changed`, `points_lines_and_edges_have_faces`, `model` |
//! | a draw sees depths and memory as the draws before left them | 4.2 | `draws_see_what_was_written_before_them` |
//! | forced early tests come before the shader, whatever it decides | 16.12.1 | `forced_early_tests_hide_effects`, `forced_early_tests_come_before_the_shader` |
//! | without the flag a shader that changes memory runs for hidden pixels | 16.12.2 | `hidden_pixels_have_effects` |
//! | effects before a discard stay; nothing happens after it | 16.13 | `discarded_pixels_end_there`, `discarded_pixels_leave_no_depth`, `discarded_pixels_have_derivatives`, `model` |
//! | helper pixels change nothing, but load | 16.2, 16.13 | `helpers_change_nothing`, `stores_of_helpers_are_dropped`, `helpers_load`, `helpers_sample` |
//! | atomic operations of helpers give 0 | | `atomics_of_helpers_give_zeros` |
//! | derivatives belong to one triangle, with attributes beyond its edges | 16.2, 16.8 | `derivatives_belong_to_one_triangle`, `ir/tests/it/pipeline/depth.rs` |
//! | 1/w of 0 or less in helpers does no harm | 16.2 | `helpers_beyond_the_horizon_do_no_harm` |
//! | the input coverage: 0 in helpers, 1 in hidden pixels | 16.3.2 | `helpers_have_no_coverage`, `hidden_pixels_have_coverage` |
//! | the output mask's first bit is that of the sample | 16.9.4 | `masks_take_pixels_out`, `ir/tests/it/pipeline/depth.rs` |
//! | a draw's mask without its lowest bit covers nothing | 16.3.2, 17.17 | `the_lowest_bit_of_a_mask_counts` |
//! | alpha to coverage: 0, less and NaN cover nothing, 1 everything; the first output's as the shader writes it, without a target too | 17.18 | `alphas_become_coverage`, `the_first_alpha_covers_all_targets`, `coverage_leaves_blending_alone` |
//! | a shader's mask switches it off; it comes after effects and forced tests | 16.9.4, 17.18 | `masks_of_shaders_and_missing_alphas_switch_it_off`, `effects_come_before_coverage` |
//! | the inputs of a blend are clamped to its target's range; intermediate results are not | 17.5 | `blends_clamp_target_by_target`, merger |
//! | floats: NaN and -0 pass through a blend, also with weight 0 | 17.5 | merger (`float_targets_keep_what_comes`) |
//! | min and max ignore factors | 17.1 | merger |
//! | sRGB: blending is linear, alpha has no curve | 17.4 | `srgb_targets_blend_linear_numbers`, `ir/tests/it/pipeline/srgb.rs` |
//! | UNORM: clamped, rounded to nearest, NaN is 0 | 3.2.3.6 | merger (`unorm_targets_clamp_from_0_to_1`) |
//! | integers are not blended, and clamped; logic operations use the bits that the target has | 17.5, 17.7 | `integers_are_clamped`, `integers_beside_a_blended_target`, merger |
//! | the second source is the second output, and there is one target | 17.6 | `the_second_output_is_a_second_source`, merger |
//! | an output that is not declared leaves its target alone | 16.9.1 | `outputs_that_are_not_declared_leave_their_targets`, `components_that_are_missing` |
//! | without independent blending the first target's state and write mask apply to all | 17.1 | `targets_have_the_first_ones_state_or_their_own` |
//! | write masks, target by target; pixels without targets still have effects and count | 16.9.1, 17.15 | `every_target_has_its_write_mask`, `pixels_without_targets_have_effects` |
//! | without targets the viewport and the scissor rectangle determine the pixels, up to 16384 | 16.11, 3.5.6.4 | `the_viewport_says_how_large_the_picture_is`, `scissors_bound_it_and_masks_of_samples_do_not_matter`, `no_picture_is_larger_than_a_texture` |
//! | an element whose vertex buffer is not bound is zero | 8 | `elements_without_a_vertex_buffer_are_zero` |
//! | a layer that does not exist is the first; shaders see the number as it was; the leading vertex has it | 15.15 | `the_leading_vertex_chooses_the_layer`, `cuts_and_strips_keep_their_layers` |
//! | an invalid viewport is the first, with its depths and its scissor rectangle, likewise | 15.8.1 | `the_leading_vertex_chooses_the_viewport`, `viewports_have_their_depths` |
//! | read-only views turn writes off whatever the state says | 17.13 | `read_only_depths_and_stencils_stay`, `read_only_depths_may_be_read`, `ir/tests/it/pipeline/depth.rs` |
//! | a texture that is a target may be read in its other parts | 5.3 | `another_part_of_a_target_may_be_read`, `targets_may_be_parts_of_one_texture` |
//! | a triangle's depths are the same in every pipeline | 3.4.1, 16.3.1 | `depths_are_the_same_in_every_pipeline` |
//! | a line covers pixels whose diamond it leaves; corners belong to lower or right neighbours | 3.4.3 | `lines_end_before_their_last_pixel`, `raster/tests/it/thin.rs` |
//! | with `MultisampleEnable` lines are rectangles, 1.4 pixels wide; attributes are constant across, and nothing is culled | 3.4.5, 15.14.1 | `lines_are_rectangles`, `attributes_are_constant_across`, `nothing_but_lines_changes`, `raster/src/setup/shape/wide.rs` |
//! | a point is the pixel around it, the left or upper one of two | 3.4.6 | `points_are_pixels`, `raster/tests/it/thin.rs` |
//! | lines and points are never culled, and show their fronts | 15.11, 15.12 | `lines_and_points_show_their_fronts` |
//! | edges of triangles have their face, their bias and their constants; clipping makes no edges | 15.10, 15.11.1, 15.13 | `edges_have_the_triangles_face`, `edges_are_biased_and_lines_are_not`, `edges_have_the_triangles_attributes`, `cuts_are_no_edges`, `edges_end_at_both_cuts`, `what_is_cut_keeps_its_face`, `what_is_cut_is_biased_once` |
//! | without a slope factor an infinite slope is ignored | 15.10 | `edge_on_triangles_are_biased_by_units`, `raster/src/setup/bias.rs` |
//! | attributes change along lines alone, and not at all over points | 15.14.1, 15.14.2 | `attributes_change_along_lines`, `points_are_pixels` |
//! | triangles draw in their order | 4.2 | `triangles_draw_in_their_order`, `raster/src/tiles/packets.rs`, `model` |
//! | without a pixel shader depths are drawn; without a depth test either nothing is counted | 16.9.1, 20.4.6 | `depths_are_drawn_without_a_pixel_shader`, `without_shader_and_depth_test_nothing_is_counted`, `without_a_depth_buffer_every_pixel_passes` |

mod canvas;
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
mod scenes;
mod shaders;
mod stencil;
mod targets;
mod untargeted;
mod vertices;
mod views;
mod wide_lines;
mod wireframe;
