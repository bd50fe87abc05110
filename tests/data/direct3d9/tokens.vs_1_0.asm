    vs_1_0
    dcl_position v0
    dcl_blendweight1 v1
    dcl_blendindices2 v2
    dcl_normal3 v3
    dcl_psize4 v4
    dcl_texcoord5 v5
    dcl_tangent6 v6
    dcl_binormal7 v7
    dcl_tessfactor8 v8
    dcl_positiont9 v9
    dcl_color10 v10
    dcl_fog11 v11
    dcl_depth12 v12
    dcl_sample13 v13
    dcl_position_pp_centroid v14.xyz
    dcl_position oT0
    dcl_blendweight1 oT1
    dcl_blendindices2 oT2
    dcl_normal3 oT3
    dcl_psize4 oT4
    dcl_texcoord5 oT5
    dcl_tangent6 oT6
    dcl_binormal7 oT7
    dcl_tessfactor8 oT8
    dcl_positiont9 oT9
    dcl_color10 oT10
    dcl_fog11 oT11
    dcl_depth12 oT12
    dcl_sample13 oT13
    dcl_position_pp_centroid oT14.xyz
    dcl_position s0
    dcl_unknown s1
    dcl_2d s2
    dcl_cube s3
    dcl_volume s4
    dcl_unknown s5
    def c0, 0, -0, 0.100000001, 1e+010
    def c4, 3.39999995e+038, 1.40129846e-045, 1.#INF, -1.#INF
    def c8, 1.#QNAN, -1.#IND, 1.#QNAN, -1.#QNAN
    def c12, 999999.875, 123456792, 9.99999997e-007, -123.456001
    mov r0, r1
    mov_sat r0, r1
    mov_pp r0, r1
    mov_sat_pp r0, r1
    mov_centroid r0, r1
    mov_sat_centroid r0, r1
    mov_pp_centroid r0, r1
    mov_sat_pp_centroid r0, r1
    sub_d8_sat_centroid r0, r1, r2
    sub_d4_sat_centroid r0, r1, r2
    sub_d2_sat_centroid r0, r1, r2
    sub_sat_centroid r0, r1, r2
    sub_x2_sat_centroid r0, r1, r2
    sub_x4_sat_centroid r0, r1, r2
    sub_x8_sat_centroid r0, r1, r2
    mov r0., r1
    mov r0.x, r1
    mov r0.y, r1
    mov r0.xy, r1
    mov r0.z, r1
    mov r0.xz, r1
    mov r0.yz, r1
    mov r0.xyz, r1
    mov r0.w, r1
    mov r0.xw, r1
    mov r0.yw, r1
    mov r0.xyw, r1
    mov r0.zw, r1
    mov r0.xzw, r1
    mov r0.yzw, r1
    mov r0, r1
    mov r0, r1.x
    mov r0, -r1.y
    mov r0, r1_bias.z
    mov r0, -r1_bias.w
    mov r0, r1_bx2.x
    mov r0, -r1_bx2.y
    mov r0, 1-r1.z
    mov r0, r1_x2.w
    mov r0, -r1_x2.x
    mov r0, r1_dz.y
    mov r0, r1_dw.z
    mov r0, r1_abs.w
    mov r0, -r1_abs.x
    mov r0, !r1.y
    mov r0, r1
    mov r0, r1.wzyx
    mov r0, r1.xyzz
    mov r0, r1.xyyy
    mov r0, r1.xwww
    mov r0, r1.xxzw
    mov r0, r1.yzxw
    mov r0, r1.zxyw
    mov r0, r1.x
    mov r0, r1.w
    mov r0, r0
    mov r1, r1
    mov r2, r2
    mov v0, v0
    mov v1, v1
    mov v2, v2
    mov c0, c0
    mov c1, c1
    mov c2, c2
    mov a0, a0
    mov a1, a1
    mov a2, a2
    mov oPos, oPos
    mov oFog, oFog
    mov oPts, oPts
    mov oD0, oD0
    mov oD1, oD1
    mov oD2, oD2
    mov oT0, oT0
    mov oT1, oT1
    mov oT2, oT2
    mov i0, i0
    mov i1, i1
    mov i2, i2
    mov oC0, oC0
    mov oC1, oC1
    mov oC2, oC2
    mov oDepth, oDepth
    mov s0, s0
    mov s1, s1
    mov s2, s2
    mov c2048, c2048
    mov c2049, c2049
    mov c2050, c2050
    mov c4096, c4096
    mov c4097, c4097
    mov c4098, c4098
    mov c6144, c6144
    mov c6145, c6145
    mov c6146, c6146
    mov b0, b0
    mov b1, b1
    mov b2, b2
    mov aL, aL
    mov vPos, vPos
    mov vFace, vFace
    mov m2, m2
    mov l0, l0
    mov l1, l1
    mov l2, l2
    mov p0, p0
    mov p1, p1
    mov p2, p2
    mov r0, c9[a0.x]
    exp r0, r1
    log r0, r1

// approximately 111 instruction slots used
