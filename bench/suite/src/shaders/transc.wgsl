// 8: transcendental heavy
@group(1) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(0) var<storage, read_write> o: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var v = x[id.x];
    var s = 0.0;
    for (var k = 0u; k < 16u; k++) {
        let sine = sin(v);
        let ex = exp2(v * -1.4426950216293335);
        let ln = log2(v + 1.0) * 0.6931471824645996;
        let sum = sine * ex + ln;
        let power = exp2(log2(v) * 1.2999999523162842);
        s = s + (power + sum);
        v = v + 0.10999999940395355;
    }
    o[id.x] = s;
}
