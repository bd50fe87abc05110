// Uses Brolga from C: a compute shader paints the Mandelbrot set, then a triangle is drawn twice over a depth buffer.
// For each picture the program prints a checksum of its bytes.
//
//     cc scene.c $(pkg-config --cflags --libs brolga_c) -o scene
//     ./scene .../examples [jit | interpreter]

#include <brolga.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static BrolgaError error;

// Ends the program if a call failed. Programs that go on after an error release what they have first.
static void check(BrolgaCode code) {
    if (code != BROLGA_CODE_OK) {
        fprintf(stderr, "error (%s): %s\n", brolga_code_name(code), error.text);
        exit(1);
    }
}

typedef struct Bytes {
    unsigned char *data;
    size_t size;
} Bytes;

// Reads a file, and a little more than its size says to find its end.
static Bytes read_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    Bytes bytes = {malloc(1 << 16), 0};
    if (file == NULL || bytes.data == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    bytes.size = fread(bytes.data, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

// The checksum FNV-1a of a texture's bytes.
static unsigned long long checksum(const BrolgaTexture *texture) {
    BrolgaBuffer *buffer;
    uint64_t size;
    check(brolga_texture_buffer(texture, &buffer, &error));
    check(brolga_buffer_size(buffer, &size, &error));
    unsigned char *bytes = malloc(size);
    check(brolga_buffer_read(buffer, 0, bytes, size, &error));
    unsigned long long sum = 0xcbf29ce484222325;
    for (uint64_t n = 0; n < size; n++) {
        sum = (sum ^ bytes[n]) * 0x100000001b3;
    }
    free(bytes);
    brolga_buffer_destroy(buffer);
    return sum;
}

static BrolgaTexture *texture(const BrolgaDevice *device, uint32_t format, uint32_t width, uint32_t height) {
    BrolgaTextureOptions options;
    BrolgaTexture *texture;
    brolga_texture_options_init(&options, sizeof options);
    options.format = format;
    options.width = width;
    options.height = height;
    check(brolga_texture_create(device, &options, NULL, 0, &texture, &error));
    return texture;
}

// examples/mandelbrot.hlsl: the variables of its constant buffer, in order.
typedef struct View {
    float centre[2];
    float span;
    uint32_t limit;
} View;

static void paint(const BrolgaDevice *device, const BrolgaCompileOptions *compile, const char *folder) {
    Bytes container = read_file(folder, "mandelbrot.cso");
    BrolgaShader *shader;
    check(brolga_shader_create(device, container.data, container.size, compile, &shader, &error));
    free(container.data);

    const View seen = {{-0.65f, 0.0f}, 3.0f, 512};
    BrolgaBuffer *constants;
    check(brolga_buffer_create(device, sizeof seen, &seen, &constants, &error));
    BrolgaTexture *picture = texture(device, BROLGA_FORMAT_R8G8B8A8_UNORM, 256, 256);

    BrolgaView *constant_view, *picture_view;
    BrolgaBufferViewOptions constant;
    brolga_buffer_view_options_init(&constant, sizeof constant);
    constant.kind = BROLGA_BUFFER_KIND_CONSTANT;
    check(brolga_view_of_buffer(constants, &constant, &constant_view, &error));
    check(brolga_view_of_texture(picture, NULL, &picture_view, &error));

    BrolgaBindings *bindings;
    check(brolga_bindings_create(0, &bindings, &error));
    check(brolga_bindings_set(bindings, NULL, "b0", constant_view, &error));      // by its register
    check(brolga_bindings_set(bindings, shader, "picture", picture_view, &error)); // by its name

    BrolgaDispatchOptions dispatch;
    BrolgaReport report;
    brolga_dispatch_options_init(&dispatch, sizeof dispatch);
    dispatch.groups[0] = dispatch.groups[1] = 256 / 8;
    check(brolga_dispatch(device, shader, bindings, &dispatch, &report, &error));
    printf("mandelbrot %016llx of %llu threads\n", checksum(picture), (unsigned long long)report.threads);

    brolga_bindings_destroy(bindings);
    brolga_view_destroy(picture_view);
    brolga_view_destroy(constant_view);
    brolga_texture_destroy(picture);
    brolga_buffer_destroy(constants);
    brolga_shader_destroy(shader);
}

static void draw(const BrolgaDevice *device, const BrolgaCompileOptions *compile, const char *folder) {
    // examples/triangle.hlsl: a position and a colour for each vertex.
    static const float vertices[3][6] = {
        {0.0f, 0.85f, 1.0f, 0.1f, 0.1f, 1.0f}, {0.9f, -0.75f, 0.1f, 1.0f, 0.1f, 0.5f}, {-0.8f, -0.6f, 0.15f, 0.2f, 1.0f, 1.0f}};
    static const uint16_t indices[3] = {0, 1, 2};
    Bytes vertex_shader = read_file(folder, "triangle_vs.cso"), pixel_shader = read_file(folder, "triangle_ps.cso");

    BrolgaInputElement inputs[2];
    BrolgaTargetState target_state;
    BrolgaDepthState depth_state;
    BrolgaPipelineOptions options;
    BrolgaPipeline *pipeline;
    brolga_input_element_init(&inputs[0], sizeof inputs[0]);
    brolga_input_element_init(&inputs[1], sizeof inputs[1]);
    inputs[0].semantic = "POSITION";
    inputs[0].format = BROLGA_FORMAT_R32G32_FLOAT;
    inputs[1].semantic = "COLOR";
    inputs[1].format = BROLGA_FORMAT_R32G32B32A32_FLOAT;
    inputs[1].offset_bytes = 8;
    brolga_target_state_init(&target_state, sizeof target_state);
    target_state.format = BROLGA_FORMAT_R8G8B8A8_UNORM;
    target_state.blends = true;
    brolga_depth_state_init(&depth_state, sizeof depth_state);
    depth_state.function = BROLGA_COMPARISON_LESS_EQUAL;
    brolga_pipeline_options_init(&options, sizeof options);
    options.vertex_shader = vertex_shader.data;
    options.vertex_shader_bytes = vertex_shader.size;
    options.pixel_shader = pixel_shader.data;
    options.pixel_shader_bytes = pixel_shader.size;
    options.inputs = inputs;
    options.input_count = 2;
    options.targets = &target_state;
    options.target_count = 1;
    options.depth_format = BROLGA_FORMAT_D32_FLOAT;
    options.depth = &depth_state;
    options.compile = compile;
    check(brolga_pipeline_create(device, &options, &pipeline, &error));
    free(vertex_shader.data);
    free(pixel_shader.data);

    BrolgaTexture *target = texture(device, BROLGA_FORMAT_R8G8B8A8_UNORM, 640, 480);
    BrolgaTexture *depth = texture(device, BROLGA_FORMAT_D32_FLOAT, 640, 480);
    BrolgaView *target_view, *depth_view;
    check(brolga_view_of_texture(target, NULL, &target_view, &error));
    check(brolga_view_of_texture(depth, NULL, &depth_view, &error));
    BrolgaPassOptions pass_options;
    BrolgaPass *pass;
    brolga_pass_options_init(&pass_options, sizeof pass_options);
    const BrolgaView *targets[1] = {target_view};
    pass_options.targets = targets;
    pass_options.target_count = 1;
    pass_options.depth = depth_view;
    check(brolga_pass_create(device, &pass_options, &pass, &error));

    static const float background[4] = {0.1f, 0.1f, 0.15f, 1.0f};
    check(brolga_pass_clear_color(pass, 0, background, &error));
    check(brolga_pass_clear_depth(pass, 1.0f, &error));

    BrolgaBuffer *vertex_buffer, *index_buffer;
    check(brolga_buffer_create(device, sizeof vertices, vertices, &vertex_buffer, &error));
    check(brolga_buffer_create(device, sizeof indices, indices, &index_buffer, &error));
    BrolgaVertexBuffer stream;
    brolga_vertex_buffer_init(&stream, sizeof stream);
    stream.buffer = vertex_buffer;
    stream.stride_bytes = sizeof vertices[0];
    // The second one is nearer, in the upper left quarter.
    const BrolgaViewport viewports[2] = {{0, 0, 640, 480, 0.5f, 1.0f}, {0, 0, 320, 240, 0.0f, 0.5f}};
    for (int n = 0; n < 2; n++) {
        BrolgaDrawOptions draw;
        brolga_draw_options_init(&draw, sizeof draw);
        draw.pipeline = pipeline;
        draw.vertex_buffers = &stream;
        draw.vertex_buffer_count = 1;
        draw.index_buffer = index_buffer;
        draw.has_short_indices = true;
        draw.count = 3;
        draw.viewports = &viewports[n];
        draw.viewport_count = 1;
        check(brolga_pass_draw(pass, &draw, NULL, &error));
    }
    check(brolga_pass_flush(pass, &error));
    for (uint64_t n = 0; n < 2; n++) {
        BrolgaStatistics statistics;
        check(brolga_pass_statistics(pass, n, &statistics, &error));
        printf("draw %llu: %llu pixels\n", (unsigned long long)n, (unsigned long long)statistics.samples);
    }
    printf("triangles %016llx, depths %016llx\n", checksum(target), checksum(depth));

    brolga_buffer_destroy(index_buffer);
    brolga_buffer_destroy(vertex_buffer);
    brolga_pass_destroy(pass);
    brolga_view_destroy(depth_view);
    brolga_view_destroy(target_view);
    brolga_texture_destroy(depth);
    brolga_texture_destroy(target);
    brolga_pipeline_destroy(pipeline);
}

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: scene FOLDER [jit | interpreter]\n");
        return 2;
    }
    BrolgaCompileOptions compile;
    brolga_compile_options_init(&compile, sizeof compile);
    if (count > 2) {
        compile.engine = strcmp(arguments[2], "interpreter") == 0 ? BROLGA_ENGINE_INTERPRETER : BROLGA_ENGINE_JIT;
    }
    BrolgaDevice *device;
    check(brolga_device_create(NULL, &device, &error));
    paint(device, &compile, arguments[1]);
    draw(device, &compile, arguments[1]);
    brolga_device_destroy(device);
    return 0;
}
