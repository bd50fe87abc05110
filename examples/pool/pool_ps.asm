ps_1_4
// c0: how far waves bend the view; c1: where the light is from, for the glitter; c2: the colour of the glitter.
texld r0, t0
texld r1, t1
texcrd r2.xyz, t2
add r3.xyz, r0_bx2, r1_bx2
mad r2.xyz, r3, c0, r2
phase
// The tile that is seen through the waves: a place that was computed.
texld r2, r2
dp3_sat r1, r3, c1
mul r1, r1, r1
mul r1, r1, r1
mul r1, r1, r1
mul r2, r2, v0
mad_sat r0, r1, c2, r2
