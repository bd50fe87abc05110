// Does the same as scene.c in C++: a compute shader paints the Mandelbrot set, then a triangle is drawn twice over a
// depth buffer.
//
//     c++ -std=c++17 scene.cpp $(pkg-config --cflags --libs brolga_c) -o scene
//     ./scene .../examples [jit | interpreter]

#include <brolga.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::vector<std::uint8_t> read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error(path + " cannot be read");
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

// The checksum FNV-1a of a texture's bytes.
unsigned long long checksum(const brolga::Texture &texture) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::uint8_t byte : texture.buffer().to_vector<std::uint8_t>()) {
        sum = (sum ^ byte) * 0x100000001b3;
    }
    return sum;
}

brolga::Texture texture(const brolga::Device &device, BrolgaFormat format, std::uint32_t width, std::uint32_t height) {
    brolga::TextureOptions options;
    options.format = format;
    options.width = width;
    options.height = height;
    return {device, options};
}

void paint(const brolga::Device &device, const brolga::CompileOptions &compile, const std::string &folder) {
    // examples/mandelbrot.hlsl: the variables of its constant buffer, in order.
    struct View {
        float centre[2];
        float span;
        std::uint32_t limit;
    };
    const brolga::Shader shader(device, read_file(folder + "/mandelbrot.cso"), compile);
    const auto constants = brolga::Buffer::of(device, std::array{View{{-0.65f, 0.0f}, 3.0f, 512}});
    const auto picture = texture(device, BROLGA_FORMAT_R8G8B8A8_UNORM, 256, 256);
    brolga::Bindings bindings;
    bindings.set("b0", brolga::View::constant(constants)).set(shader, "picture", brolga::View(picture));
    brolga::DispatchOptions dispatch;
    dispatch.groups[0] = dispatch.groups[1] = 256 / 8;
    const auto report = brolga::dispatch(device, shader, bindings, dispatch);
    std::printf("mandelbrot %016llx of %llu threads\n", checksum(picture), static_cast<unsigned long long>(report.threads));
}

brolga::Pipeline pipeline(const brolga::Device &device, const brolga::CompileOptions &compile, const std::string &folder) {
    const auto vertex_shader = read_file(folder + "/triangle_vs.cso");
    const auto pixel_shader = read_file(folder + "/triangle_ps.cso");
    std::array<brolga::InputElement, 2> inputs;
    inputs[0].semantic = "POSITION";
    inputs[0].format = BROLGA_FORMAT_R32G32_FLOAT;
    inputs[1].semantic = "COLOR";
    inputs[1].format = BROLGA_FORMAT_R32G32B32A32_FLOAT;
    inputs[1].offset_bytes = 8;
    brolga::TargetState target;
    target.format = BROLGA_FORMAT_R8G8B8A8_UNORM;
    target.blends = true;
    brolga::DepthState depth;
    depth.function = BROLGA_COMPARISON_LESS_EQUAL;
    brolga::PipelineOptions options;
    options.vertex_shader = vertex_shader.data();
    options.vertex_shader_bytes = vertex_shader.size();
    options.pixel_shader = pixel_shader.data();
    options.pixel_shader_bytes = pixel_shader.size();
    options.inputs = inputs.data();
    options.input_count = inputs.size();
    options.targets = &target;
    options.target_count = 1;
    options.depth_format = BROLGA_FORMAT_D32_FLOAT;
    options.depth = &depth;
    options.compile = &compile;
    return {device, options};
}

void draw(const brolga::Device &device, const brolga::CompileOptions &compile, const std::string &folder) {
    // examples/triangle.hlsl: a position and a colour for each vertex.
    using Vertex = std::array<float, 6>;
    const std::array<Vertex, 3> vertices = {Vertex{0.0f, 0.85f, 1.0f, 0.1f, 0.1f, 1.0f},
                                            Vertex{0.9f, -0.75f, 0.1f, 1.0f, 0.1f, 0.5f},
                                            Vertex{-0.8f, -0.6f, 0.15f, 0.2f, 1.0f, 1.0f}};
    const std::array<std::uint16_t, 3> indices = {0, 1, 2};
    const auto triangle = pipeline(device, compile, folder);
    const auto target = texture(device, BROLGA_FORMAT_R8G8B8A8_UNORM, 640, 480);
    const auto depth = texture(device, BROLGA_FORMAT_D32_FLOAT, 640, 480);
    const brolga::View target_view(target), depth_view(depth);
    const BrolgaView *targets[] = {target_view.get()};
    brolga::PassOptions pass_options;
    pass_options.targets = targets;
    pass_options.target_count = 1;
    pass_options.depth = depth_view.get();
    brolga::Pass pass(device, pass_options);
    pass.clear_color(0, {0.1f, 0.1f, 0.15f, 1.0f});
    pass.clear_depth(1.0f);

    const auto vertex_buffer = brolga::Buffer::of(device, vertices);
    const auto index_buffer = brolga::Buffer::of(device, indices);
    brolga::VertexBuffer stream;
    stream.buffer = vertex_buffer.get();
    stream.stride_bytes = sizeof(Vertex);
    // The second one is nearer, in the upper left quarter.
    const BrolgaViewport viewports[] = {{0, 0, 640, 480, 0.5f, 1.0f}, {0, 0, 320, 240, 0.0f, 0.5f}};
    for (const BrolgaViewport &viewport : viewports) {
        brolga::DrawOptions options;
        options.pipeline = triangle.get();
        options.vertex_buffers = &stream;
        options.vertex_buffer_count = 1;
        options.index_buffer = index_buffer.get();
        options.has_short_indices = true;
        options.count = 3;
        options.viewports = &viewport;
        options.viewport_count = 1;
        pass.draw(options);
    }
    pass.flush();
    for (unsigned n = 0; n < 2; n++) {
        std::printf("draw %u: %llu pixels\n", n, static_cast<unsigned long long>(pass.statistics(n).samples));
    }
    std::printf("triangles %016llx, depths %016llx\n", checksum(target), checksum(depth));
}

} // namespace

int main(int count, char **arguments) {
    if (count < 2) {
        std::fputs("usage: scene FOLDER [jit | interpreter]\n", stderr);
        return 2;
    }
    try {
        brolga::CompileOptions compile;
        if (count > 2) {
            const bool interprets = std::string_view(arguments[2]) == "interpreter";
            compile.engine = interprets ? BROLGA_ENGINE_INTERPRETER : BROLGA_ENGINE_JIT;
        }
        const brolga::Device device;
        paint(device, compile, arguments[1]);
        draw(device, compile, arguments[1]);
    } catch (const brolga::Error &error) {
        std::fprintf(stderr, "error (%s): %s\n", brolga_code_name(error.code()), error.what());
        return 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
