// Shows what a shader prints, and finds the race in it: each thread reads what its neighbour wrote to shared memory,
// with no barrier between.
//
//     c++ -std=c++17 checks.cpp $(pkg-config --cflags --libs brolga_c) -o checks
//     ./checks

#include <brolga.hpp>

#include <cstdio>
#include <exception>

namespace {

const char *const listing = R"(
cs_5_0
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_tgsm_structured g0, 4, 4
dcl_thread_group 4, 1, 1
store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), vThreadIDInGroupFlattened.x
iadd r0.x, vThreadIDInGroupFlattened.x, l(1)
and r0.x, r0.x, l(3)
ld_structured r0.y, r0.x, l(0), g0.xxxx
printf "%u is beside %u", vThreadIDInGroupFlattened.x, r0.x
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.x, r0.y
ret
)";

void run() {
    const brolga::Device device;
    const brolga::Shader shader(device, brolga::assemble(listing).bytes());
    const brolga::Buffer buffer(device, 16);
    brolga::Bindings bindings;
    bindings.set("u0", brolga::View::raw(buffer));
    const brolga::Bound bound(device, shader, bindings);

    const brolga::Messages messages;
    brolga::DispatchOptions dispatch;
    dispatch.messages = messages.get();
    bound.dispatch(dispatch);
    for (const brolga::Message &message : messages.take()) {
        std::printf("%s: %s\n", message.sender_text, message.text);
    }

    const brolga::Findings findings = bound.check({});
    for (std::size_t n = 0; n < findings.size(); n++) {
        std::printf("%s\n", findings[n].text);
    }
    std::printf("%u messages lost, %u groups checked\n", static_cast<unsigned>(messages.lost()),
                static_cast<unsigned>(findings.summary().groups));
}

} // namespace

int main() {
    try {
        run();
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "checks: %s\n", error.what());
        return 1;
    }
}
