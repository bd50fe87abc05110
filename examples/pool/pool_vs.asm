vs_1_1
// The bottom of a pool: c0 to c3 are the camera, a row for each component; c4 and c5 where the waves are; c6 and c7 the water.
dcl_position v0
dcl_texcoord v1
m4x4 oPos, v0, c0
// Two trains of waves, each with its size and how far it came; then the tiles.
mad oT0.xy, v1, c4.x, c4.yzzz
mad oT1.xy, v1, c5.x, c5.yzzz
mov oT2.xy, v1
// Far away, and towards the deep end, there is more water.
mad oD0, v1.y, c6, c7
