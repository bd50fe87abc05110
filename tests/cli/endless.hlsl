// Runs until byte 4 is not zero, which it never is.
//
//     fxc -T cs_5_0 -E main endless.hlsl -Fo endless.cso
//     fxc -T cs_5_0 -E main endless.hlsl -Fo endless.zi.cso -Zi
RWByteAddressBuffer bytes : register(u0);

[numthreads(8, 1, 1)]
void main() {
    [loop]
    while (bytes.Load(4) == 0)
        bytes.InterlockedAdd(0, 1);
}
