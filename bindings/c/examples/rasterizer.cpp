// Draws with a rasterizer of its own in C++: it decides the pixels that triangles cover, and Brolga runs the vertex and
// the pixel shader. It prints the number of pixels drawn, and a checksum of the picture. docs/embedding.md explains the
// batches.
//
//     c++ -std=c++17 rasterizer.cpp $(pkg-config --cflags --libs brolga_c) -o rasterizer
//     ./rasterizer .../examples [jit | interpreter]

#include <brolga.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

constexpr std::uint32_t SIZE = 256;
/// Number of registers of a vertex: position and colour.
constexpr std::size_t ROWS = 2;

using Row = std::array<float, 4>;
/// The outputs of the vertex shader for a vertex.
using Shaded = std::array<Row, ROWS>;
/// A position on the screen and a colour: examples/triangle.hlsl.
using Vertex = std::array<float, 6>;

const std::array<Vertex, 6> VERTICES = {
    Vertex{0.0f, 0.85f, 1.0f, 0.1f, 0.1f, 1.0f},     Vertex{0.9f, -0.75f, 0.1f, 1.0f, 0.1f, 1.0f},
    Vertex{-0.8f, -0.6f, 0.15f, 0.2f, 1.0f, 1.0f},   Vertex{-0.9f, 0.9f, 1.0f, 1.0f, 0.2f, 1.0f},
    Vertex{-0.3f, 0.9f, 0.2f, 1.0f, 1.0f, 1.0f},     Vertex{-0.9f, 0.3f, 1.0f, 0.2f, 1.0f, 1.0f}};

/// A primitive as the pixel shader gets it: twelve words for each register follow its head.
struct Primitive {
    BrolgaBatchPrimitive head;
    struct {
        Row leading, second, third;
    } attributes[ROWS];
};

std::vector<std::uint8_t> read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error(path + " cannot be read");
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The register space of vertex buffers and targets, which no shader can name.
std::string place(char file, unsigned number) {
    return file + std::to_string(number) + ",space4294967295";
}

/// Compiles the vertex shader with its input layout, and runs it for all vertices.
std::vector<Shaded> shade_vertices(const brolga::Device &device, brolga::CompileOptions compile, const std::string &folder) {
    std::array<brolga::VertexElement, 2> elements;
    elements[0].format = BROLGA_FORMAT_R32G32_FLOAT;
    elements[1].row = 1;
    elements[1].format = BROLGA_FORMAT_R32G32B32A32_FLOAT;
    elements[1].offset_bytes = 8;
    brolga::VertexState state;
    state.elements = elements.data();
    state.element_count = elements.size();
    compile.vertex_state = &state;
    const brolga::Shader shader(device, read_file(folder + "/triangle_vs.cso"), compile);
    brolga::Bindings bindings;
    bindings.set(place('t', 0).c_str(), brolga::View::raw(brolga::Buffer::of(device, VERTICES)));
    brolga::Worker worker(brolga::Bound(device, shader, bindings));

    std::vector<BrolgaBatchVertex> vertices;
    for (std::uint32_t n = 0; n < VERTICES.size(); n++) {
        vertices.push_back({n, n, 0, 0});
    }
    std::array<std::uint32_t, 32> strides{};
    strides[0] = sizeof(Vertex);
    std::vector<Shaded> shaded(VERTICES.size());
    const BrolgaArray arrays[] = {brolga::read_array<BrolgaBatchVertex>(vertices), brolga::read_array<std::uint32_t>(strides),
                                  brolga::written_array<Shaded>(shaded)};
    worker.begin();
    worker.batch(static_cast<std::uint32_t>(shaded.size()), arrays);
    return shaded;
}

/// A quantity that is linear on the screen: its value at the centre of pixel (0, 0), and its steps to the right and
/// down.
struct Plane {
    float value, along_x, along_y;

    Plane(const std::array<std::array<float, 2>, 3> &at, const std::array<float, 3> &values) {
        const float bx = at[1][0] - at[0][0], by = at[1][1] - at[0][1];
        const float cx = at[2][0] - at[0][0], cy = at[2][1] - at[0][1];
        const float area = bx * cy - by * cx, b = values[1] - values[0], c = values[2] - values[0];
        along_x = (b * cy - c * by) / area;
        along_y = (c * bx - b * cx) / area;
        value = values[0] + along_x * (0.5f - at[0][0]) + along_y * (0.5f - at[0][1]);
    }

    float at(std::uint32_t x, std::uint32_t y) const {
        return value + along_x * static_cast<float>(x) + along_y * static_cast<float>(y);
    }
};

/// Sets up one triangle, which is not clipped: its primitive, and the quads that it covers.
void set_up(const Shaded *corners, std::vector<Primitive> &primitives, std::vector<BrolgaBatchQuad> &quads) {
    std::array<std::array<float, 2>, 3> at;
    std::array<float, 3> depth, rcp_w;
    for (std::size_t n = 0; n < 3; n++) {
        const Row &position = corners[n][0];
        rcp_w[n] = 1.0f / position[3];
        at[n] = {(position[0] * rcp_w[n] + 1.0f) * 0.5f * SIZE, (1.0f - position[1] * rcp_w[n]) * 0.5f * SIZE};
        depth[n] = position[2] * rcp_w[n];
    }
    // Depth, 1/w, and the weights of the second and the third vertex over their w.
    const Plane planes[] = {Plane(at, depth), Plane(at, rcp_w), Plane(at, {0, rcp_w[1], 0}), Plane(at, {0, 0, rcp_w[2]})};
    Primitive primitive{};
    primitive.head.is_front = 1;
    primitive.head.id = static_cast<std::uint32_t>(primitives.size());
    for (std::size_t n = 0; n < 4; n++) {
        primitive.head.values[n] = planes[n].value;
        primitive.head.along_x[n] = planes[n].along_x;
        primitive.head.along_y[n] = planes[n].along_y;
    }
    primitive.head.w[0] = corners[1][0][3];
    primitive.head.w[1] = corners[2][0][3];
    for (std::size_t row = 0; row < ROWS; row++) {
        auto &attributes = primitive.attributes[row];
        attributes.leading = corners[0][row];
        for (std::size_t n = 0; n < 4; n++) {
            attributes.second[n] = corners[1][row][n] - corners[0][row][n];
            attributes.third[n] = corners[2][row][n] - corners[0][row][n];
        }
    }

    const Plane weights[] = {Plane(at, {1, 0, 0}), Plane(at, {0, 1, 0}), Plane(at, {0, 0, 1})};
    const auto is_inside = [&](std::uint32_t x, std::uint32_t y) {
        return std::all_of(std::begin(weights), std::end(weights), [&](const Plane &weight) { return weight.at(x, y) >= 0; });
    };
    for (std::uint32_t y = 0; y < SIZE; y += 2) {
        for (std::uint32_t x = 0; x < SIZE; x += 2) {
            std::uint32_t coverage = 0;
            for (std::uint32_t n = 0; n < 4; n++) {
                coverage |= static_cast<std::uint32_t>(is_inside(x + n % 2, y + n / 2)) << n;
            }
            if (coverage != 0) {
                quads.push_back({{x, y}, primitive.head.id, coverage});
            }
        }
    }
    primitives.push_back(primitive);
}

/// Compiles the pixel shader with the state of its target, and runs it for quads.
void shade_pixels(const brolga::Device &device, brolga::CompileOptions compile, const std::string &folder,
                  const brolga::Texture &target, const std::vector<Primitive> &primitives,
                  const std::vector<BrolgaBatchQuad> &quads) {
    brolga::TargetState target_state;
    target_state.format = BROLGA_FORMAT_R8G8B8A8_UNORM;
    brolga::PixelState state;
    state.vertex_rows = ROWS;
    state.targets = &target_state;
    state.target_count = 1;
    compile.pixel_state = &state;
    const brolga::Shader shader(device, read_file(folder + "/triangle_ps.cso"), compile);
    brolga::Bindings bindings;
    bindings.set(place('u', 0).c_str(), brolga::View(target));
    brolga::Worker worker(brolga::Bound(device, shader, bindings));
    worker.begin();

    // Quads at one position must not be in one packet. Here a batch has one triangle, with each position once.
    for (auto first = quads.begin(); first != quads.end();) {
        const std::uint32_t primitive = first->primitive;
        const auto last = std::find_if(first, quads.end(), [&](const BrolgaBatchQuad &quad) { return quad.primitive != primitive; });
        const std::vector<BrolgaBatchQuad> own(first, last);
        BrolgaBatchState words{};
        std::fill(std::begin(words.blend_factor), std::end(words.blend_factor), 1.0f);
        words.depths[1] = 1.0f;
        words.primitive = primitive + 1;
        const BrolgaArray arrays[] = {brolga::read_array<BrolgaBatchQuad>(own), brolga::read_array<Primitive>(primitives),
                                      brolga::read_array<BrolgaBatchState>({&words, 1})};
        worker.batch(static_cast<std::uint32_t>(4 * own.size()), arrays);
        first = last;
    }
}

void run(const std::string &folder, const brolga::CompileOptions &compile) {
    brolga::DeviceOptions device_options;
    device_options.threads = 1;
    const brolga::Device device(device_options);
    brolga::TextureOptions target_options;
    target_options.format = BROLGA_FORMAT_R8G8B8A8_UNORM;
    target_options.width = target_options.height = SIZE;
    const brolga::Texture target(device, target_options);

    const auto shaded = shade_vertices(device, compile, folder);
    std::vector<Primitive> primitives;
    std::vector<BrolgaBatchQuad> quads;
    for (std::size_t first = 0; first < shaded.size(); first += 3) {
        set_up(&shaded[first], primitives, quads);
    }
    shade_pixels(device, compile, folder, target, primitives, quads);

    std::uint64_t sum = 0xcbf29ce484222325, drawn = 0;
    const auto texels = target.buffer().to_vector<std::array<std::uint8_t, 4>>();
    for (const auto &texel : texels) {
        drawn += texel[3] == 255;
        for (std::uint8_t byte : texel) {
            sum = (sum ^ byte) * 0x100000001b3;
        }
    }
    std::printf("%llu of %u pixels are inside, %016llx\n", static_cast<unsigned long long>(drawn), SIZE * SIZE,
                static_cast<unsigned long long>(sum));
}

} // namespace

int main(int count, char **arguments) {
    if (count < 2) {
        std::fputs("usage: rasterizer FOLDER [jit | interpreter]\n", stderr);
        return 2;
    }
    try {
        brolga::CompileOptions compile;
        if (count > 2) {
            const bool interprets = std::string_view(arguments[2]) == "interpreter";
            compile.engine = interprets ? BROLGA_ENGINE_INTERPRETER : BROLGA_ENGINE_JIT;
        }
        run(arguments[1], compile);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
