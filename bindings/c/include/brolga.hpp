// Brolga for C++17: thin classes over brolga.h, whose comments document each call.
//
// Objects are move-only and destroyed with their class, in any order. A call that fails throws brolga::Error, with the
// code and the text. Options have their defaults when they are made:
//
//     brolga::DeviceOptions options;
//     options.threads = 4;
//     brolga::Device device(options);

#ifndef BROLGA_HPP
#define BROLGA_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "brolga.h"

namespace brolga {

/// A failed call.
class Error : public std::runtime_error {
public:
    explicit Error(const BrolgaError &error) : std::runtime_error(error.text), code_(error.code) {}
    Error(BrolgaCode code, const std::string &text) : std::runtime_error(text), code_(code) {}

    BrolgaCode code() const noexcept { return code_; }

private:
    BrolgaCode code_;
};

namespace detail {

/// Calls a function whose last argument is an error.
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments) {
    BrolgaError error;
    if (function(arguments..., &error) != BROLGA_CODE_OK) {
        throw Error(error);
    }
}

/// Returns the value that a function writes to its last argument but one.
template <typename Result, typename Function, typename... Arguments>
Result get(Function function, Arguments... arguments) {
    Result result{};
    call(function, arguments..., &result);
    return result;
}

} // namespace detail

/// A view of contiguous elements that belong to somebody else, like std::span in C++20.
template <typename T>
class Span {
public:
    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N>
    constexpr Span(T (&elements)[N]) noexcept : data_(elements), size_(N) {}
    /// Anything with data() and size(): std::vector, std::array, std::span, std::string_view.
    template <typename Container, typename = std::enable_if_t<std::is_convertible_v<
                                      decltype(std::declval<Container &>().data()), T *>>>
    constexpr Span(Container &&elements) noexcept : data_(elements.data()), size_(elements.size()) {}

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// A struct of options, with its defaults.
template <typename Struct, BrolgaCode (*Init)(Struct *, std::size_t)>
struct Options : Struct {
    Options() {
        if (Init(this, sizeof(Struct)) != BROLGA_CODE_OK) {
            throw Error(BROLGA_CODE_BAD_ARGUMENT, "the library is newer than the header, and knows no such options");
        }
    }
};

using DeviceOptions = Options<BrolgaDeviceOptions, brolga_device_options_init>;
using TextureOptions = Options<BrolgaTextureOptions, brolga_texture_options_init>;
using BufferViewOptions = Options<BrolgaBufferViewOptions, brolga_buffer_view_options_init>;
using TextureViewOptions = Options<BrolgaTextureViewOptions, brolga_texture_view_options_init>;
using SamplerOptions = Options<BrolgaSamplerOptions, brolga_sampler_options_init>;
using ClassInstanceOptions = Options<BrolgaClassInstanceOptions, brolga_class_instance_options_init>;
using CompileOptions = Options<BrolgaCompileOptions, brolga_compile_options_init>;
using DispatchOptions = Options<BrolgaDispatchOptions, brolga_dispatch_options_init>;
using Message = Options<BrolgaMessage, brolga_message_init>;
using CheckOptions = Options<BrolgaCheckOptions, brolga_check_options_init>;
using Finding = Options<BrolgaFinding, brolga_finding_init>;
using CheckSummary = Options<BrolgaCheckSummary, brolga_check_summary_init>;
using TargetState = Options<BrolgaTargetState, brolga_target_state_init>;
using DepthState = Options<BrolgaDepthState, brolga_depth_state_init>;
using InputElement = Options<BrolgaInputElement, brolga_input_element_init>;
using StreamOutputEntry = Options<BrolgaStreamOutputEntry, brolga_stream_output_entry_init>;
using StreamOutput = Options<BrolgaStreamOutput, brolga_stream_output_init>;
using StreamTarget = Options<BrolgaStreamTarget, brolga_stream_target_init>;
using PipelineOptions = Options<BrolgaPipelineOptions, brolga_pipeline_options_init>;
using PassOptions = Options<BrolgaPassOptions, brolga_pass_options_init>;
using VertexBuffer = Options<BrolgaVertexBuffer, brolga_vertex_buffer_init>;
using DrawOptions = Options<BrolgaDrawOptions, brolga_draw_options_init>;
using PipelineStatistics = Options<BrolgaPipelineStatistics, brolga_pipeline_statistics_init>;
using QueryData = Options<BrolgaQueryData, brolga_query_data_init>;
using VertexElement = Options<BrolgaVertexElement, brolga_vertex_element_init>;
using VertexState = Options<BrolgaVertexState, brolga_vertex_state_init>;
using PixelState = Options<BrolgaPixelState, brolga_pixel_state_init>;

// Arrays of them are arrays of C's structs.
static_assert(sizeof(InputElement) == sizeof(BrolgaInputElement), "options add nothing to a struct");

/// An object of C, destroyed with this.
template <typename T, BrolgaCode (*Destroy)(T *)>
class Object {
public:
    /// The object, for calls of C; it still belongs to this class.
    T *get() const noexcept { return object_.get(); }
    explicit operator bool() const noexcept { return object_ != nullptr; }

protected:
    Object() = default;
    explicit Object(T *object) noexcept : object_(object) {}

    struct End {
        void operator()(T *object) const noexcept { Destroy(object); }
    };
    std::unique_ptr<T, End> object_;
};

class CancelToken : public Object<BrolgaCancelToken, brolga_cancel_token_destroy> {
public:
    CancelToken() : Object(detail::get<BrolgaCancelToken *>(brolga_cancel_token_create)) {}
    void cancel() const { detail::call(brolga_cancel_token_cancel, get()); }
};

class Progress : public Object<BrolgaProgress, brolga_progress_destroy> {
public:
    Progress() : Object(detail::get<BrolgaProgress *>(brolga_progress_create)) {}
    std::uint64_t done() const { return detail::get<std::uint64_t>(brolga_progress_done, get()); }
};

/// What shaders print.
class Messages : public Object<BrolgaMessages, brolga_messages_destroy> {
public:
    /// Keeps `most` messages until they are taken; 0 stands for 65,536.
    explicit Messages(std::size_t most = 0) : Object(detail::get<BrolgaMessages *>(brolga_messages_create, most)) {}
    /// The messages since the call before; their texts stay until the next one.
    std::vector<Message> take() const {
        std::vector<Message> messages(detail::get<std::size_t>(brolga_messages_take, get()));
        for (std::size_t n = 0; n < messages.size(); n++) {
            detail::call(brolga_messages_get, get(), n, static_cast<BrolgaMessage *>(&messages[n]));
        }
        return messages;
    }
    std::uint64_t lost() const { return detail::get<std::uint64_t>(brolga_messages_lost, get()); }
};

class Device : public Object<BrolgaDevice, brolga_device_destroy> {
public:
    Device() : Device(DeviceOptions()) {}
    explicit Device(const DeviceOptions &options)
        : Object(detail::get<BrolgaDevice *>(brolga_device_create, static_cast<const BrolgaDeviceOptions *>(&options))) {}
    std::uint32_t threads() const { return detail::get<std::uint32_t>(brolga_device_threads, get()); }
    BrolgaCacheCounters cache_counters() const {
        return detail::get<BrolgaCacheCounters>(brolga_device_cache_counters, get());
    }
};

class Buffer : public Object<BrolgaBuffer, brolga_buffer_destroy> {
public:
    /// A buffer of zeros.
    Buffer(const Device &device, std::uint64_t size_bytes)
        : Object(detail::get<BrolgaBuffer *>(brolga_buffer_create, device.get(), size_bytes, nullptr)) {}
    /// A buffer with a copy of elements.
    template <typename T>
    static Buffer of(const Device &device, Span<const T> elements) {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
        const void *data = elements.empty() ? nullptr : elements.data();
        return Buffer(detail::get<BrolgaBuffer *>(brolga_buffer_create, device.get(),
                                                  std::uint64_t{elements.size_bytes()}, data));
    }
    template <typename Container>
    static Buffer of(const Device &device, const Container &elements) {
        return of(device, Span<const std::remove_reference_t<decltype(*std::data(elements))>>(elements));
    }
    /// A buffer over the caller's memory, which has to stay until nothing uses the buffer any more.
    static Buffer wrap(void *data, std::size_t size_bytes, bool is_writable, BrolgaRelease release = nullptr,
                       void *context = nullptr) {
        return Buffer(detail::get<BrolgaBuffer *>(brolga_buffer_wrap, data, size_bytes, is_writable, release, context));
    }
    static Buffer map(const Device &device, const char *path, bool is_writable) {
        return Buffer(detail::get<BrolgaBuffer *>(brolga_buffer_map, device.get(), path, is_writable));
    }
    std::uint64_t size_bytes() const { return detail::get<std::uint64_t>(brolga_buffer_size, get()); }
    std::uint64_t filled_bytes() const { return detail::get<std::uint64_t>(brolga_buffer_filled_bytes, get()); }
    template <typename T>
    void read(std::uint64_t offset_bytes, Span<T> to) const {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
        detail::call(brolga_buffer_read, get(), offset_bytes, static_cast<void *>(to.data()), to.size_bytes());
    }
    template <typename T>
    void write(std::uint64_t offset_bytes, Span<const T> from) const {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
        detail::call(brolga_buffer_write, get(), offset_bytes, static_cast<const void *>(from.data()), from.size_bytes());
    }
    /// Copies all bytes that fit into whole elements.
    template <typename T>
    std::vector<T> to_vector() const {
        std::vector<T> elements(static_cast<std::size_t>(size_bytes() / sizeof(T)));
        read(0, Span<T>(elements));
        return elements;
    }
    void flush() const { detail::call(brolga_buffer_flush, get()); }

private:
    friend class Texture;
    explicit Buffer(BrolgaBuffer *buffer) noexcept : Object(buffer) {}
};

class Texture : public Object<BrolgaTexture, brolga_texture_destroy> {
public:
    /// A texture of packed texels; of zeros if there are none.
    Texture(const Device &device, const TextureOptions &options, Span<const std::uint8_t> texels = {})
        : Object(detail::get<BrolgaTexture *>(brolga_texture_create, device.get(),
                                              static_cast<const BrolgaTextureOptions *>(&options),
                                              static_cast<const void *>(texels.empty() ? nullptr : texels.data()),
                                              texels.size())) {}
    Texture(const Buffer &buffer, const TextureOptions &options)
        : Object(detail::get<BrolgaTexture *>(brolga_texture_of_buffer, buffer.get(),
                                              static_cast<const BrolgaTextureOptions *>(&options))) {}
    Buffer buffer() const { return Buffer(detail::get<BrolgaBuffer *>(brolga_texture_buffer, get())); }
    BrolgaTexelBox level(std::uint32_t mip, std::uint32_t layer) const {
        return detail::get<BrolgaTexelBox>(brolga_texture_level, get(), mip, layer);
    }
    template <typename T>
    void write(const BrolgaTexelBox &to, Span<const T> texels, std::uint64_t row_pitch_bytes = 0) const {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
        detail::call(brolga_texture_write, get(), &to, static_cast<const void *>(texels.data()), texels.size_bytes(),
                     row_pitch_bytes);
    }
    template <typename T>
    void read(const BrolgaTexelBox &from, Span<T> texels, std::uint64_t row_pitch_bytes = 0) const {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
        detail::call(brolga_texture_read, get(), &from, static_cast<void *>(texels.data()), texels.size_bytes(),
                     row_pitch_bytes);
    }
    void generate_mips() const { detail::call(brolga_texture_generate_mips, get()); }
    /// Resolves a layer to the first level of a texture, seen in its format.
    void resolve(std::uint32_t layer, const Texture &to) const {
        detail::call(brolga_texture_resolve, get(), layer, to.get(), static_cast<const BrolgaTexelBox *>(nullptr),
                     std::uint32_t{0});
    }
    /// Resolves a layer to another whole level, or in another format.
    void resolve(std::uint32_t layer, const Texture &to, const BrolgaTexelBox &level, std::uint32_t format = 0) const {
        detail::call(brolga_texture_resolve, get(), layer, to.get(), &level, format);
    }
};

class View : public Object<BrolgaView, brolga_view_destroy> {
public:
    View(const Buffer &buffer, const BufferViewOptions &options)
        : Object(detail::get<BrolgaView *>(brolga_view_of_buffer, buffer.get(),
                                           static_cast<const BrolgaBufferViewOptions *>(&options))) {}
    explicit View(const Texture &texture, const TextureViewOptions &options = {})
        : Object(detail::get<BrolgaView *>(brolga_view_of_texture, texture.get(),
                                           static_cast<const BrolgaTextureViewOptions *>(&options))) {}
    explicit View(const SamplerOptions &options)
        : Object(detail::get<BrolgaView *>(brolga_view_of_sampler,
                                           static_cast<const BrolgaSamplerOptions *>(&options))) {}
    static View raw(const Buffer &buffer) { return View(buffer, BufferViewOptions()); }
    static View constant(const Buffer &buffer) {
        BufferViewOptions options;
        options.kind = BROLGA_BUFFER_KIND_CONSTANT;
        return View(buffer, options);
    }
    static View structured(const Buffer &buffer, std::uint32_t stride_bytes) {
        BufferViewOptions options;
        options.kind = BROLGA_BUFFER_KIND_STRUCTURED;
        options.stride_bytes = stride_bytes;
        return View(buffer, options);
    }
    static View typed(const Buffer &buffer, std::uint32_t format) {
        BufferViewOptions options;
        options.kind = BROLGA_BUFFER_KIND_TYPED;
        options.format = format;
        return View(buffer, options);
    }
    std::uint32_t counter() const { return detail::get<std::uint32_t>(brolga_view_counter, get()); }
    void set_counter(std::uint32_t value) const { detail::call(brolga_view_set_counter, get(), value); }
    void clear(const std::array<float, 4> &color) const { detail::call(brolga_view_clear, get(), color.data()); }
};

class Shader : public Object<BrolgaShader, brolga_shader_destroy> {
public:
    Shader(const Device &device, Span<const std::uint8_t> container, const CompileOptions &options = {})
        : Object(detail::get<BrolgaShader *>(brolga_shader_create, device.get(),
                                             static_cast<const void *>(container.data()), container.size(),
                                             static_cast<const BrolgaCompileOptions *>(&options))) {}
    std::array<std::uint32_t, 3> group_size() const {
        std::array<std::uint32_t, 3> size{};
        detail::call(brolga_shader_group_size, get(), size.data());
        return size;
    }
    std::uint32_t engine() const { return detail::get<std::uint32_t>(brolga_shader_engine, get()); }
    bool is_cached() const { return detail::get<bool>(brolga_shader_is_cached, get()); }

private:
    friend class Pipeline;
    explicit Shader(BrolgaShader *shader) noexcept : Object(shader) {}
};

class Bindings : public Object<BrolgaBindings, brolga_bindings_destroy> {
public:
    /// `allowed` is 0 or a sum of BROLGA_ALLOW_UNBOUND and the like.
    explicit Bindings(std::uint32_t allowed = 0)
        : Object(detail::get<BrolgaBindings *>(brolga_bindings_create, allowed)) {}
    /// Binds to a register: "t0".
    Bindings &set(const char *place, const View &view) {
        detail::call(brolga_bindings_set, get(), nullptr, place, view.get());
        return *this;
    }
    /// Binds to a name in the shader's source.
    Bindings &set(const Shader &shader, const char *name, const View &view) {
        detail::call(brolga_bindings_set, get(), shader.get(), name, view.get());
        return *this;
    }
    void remove(const char *place) { detail::call(brolga_bindings_remove, get(), nullptr, place); }
};

inline BrolgaReport dispatch(const Device &device, const Shader &shader, const Bindings &bindings,
                             const DispatchOptions &options) {
    return detail::get<BrolgaReport>(brolga_dispatch, device.get(), shader.get(), bindings.get(),
                                     static_cast<const BrolgaDispatchOptions *>(&options));
}

/// What Bound::check found.
class Findings : public Object<BrolgaFindings, brolga_findings_destroy> {
public:
    std::size_t size() const { return detail::get<std::size_t>(brolga_findings_count, get()); }
    Finding operator[](std::size_t number) const {
        Finding finding;
        detail::call(brolga_findings_get, get(), number, static_cast<BrolgaFinding *>(&finding));
        return finding;
    }
    CheckSummary summary() const {
        CheckSummary summary;
        detail::call(brolga_findings_summary, get(), static_cast<BrolgaCheckSummary *>(&summary));
        return summary;
    }

private:
    friend class Bound;
    explicit Findings(BrolgaFindings *findings) noexcept : Object(findings) {}
};

class Bound : public Object<BrolgaBound, brolga_bound_destroy> {
public:
    Bound(const Device &device, const Shader &shader, const Bindings &bindings)
        : Object(detail::get<BrolgaBound *>(brolga_bound_create, device.get(), shader.get(), bindings.get())) {}
    void set(const char *place, const View &view) { detail::call(brolga_bound_set, get(), place, view.get()); }
    void prepare(const std::array<std::uint32_t, 3> &groups) const {
        detail::call(brolga_bound_prepare, get(), groups.data());
    }
    BrolgaReport dispatch(const DispatchOptions &options) const {
        return detail::get<BrolgaReport>(brolga_bound_dispatch, get(),
                                         static_cast<const BrolgaDispatchOptions *>(&options));
    }
    Findings check(const DispatchOptions &options, const CheckOptions &checks = {}) const {
        return Findings(detail::get<BrolgaFindings *>(brolga_bound_check, get(),
                                                      static_cast<const BrolgaDispatchOptions *>(&options),
                                                      static_cast<const BrolgaCheckOptions *>(&checks)));
    }
};

/// An array of a batch that the shader reads, of structs of words.
template <typename T>
BrolgaArray read_array(Span<const T> elements) {
    static_assert(sizeof(T) % 4 == 0 && std::is_trivially_copyable_v<T>, "it consists of words");
    auto *words = const_cast<std::uint32_t *>(reinterpret_cast<const std::uint32_t *>(elements.data()));
    return {words, elements.size_bytes() / 4, false};
}

/// An array of a batch that the shader writes.
template <typename T>
BrolgaArray written_array(Span<T> elements) {
    static_assert(sizeof(T) % 4 == 0 && std::is_trivially_copyable_v<T>, "it consists of words");
    return {reinterpret_cast<std::uint32_t *>(elements.data()), elements.size_bytes() / 4, true};
}

class Worker : public Object<BrolgaWorker, brolga_worker_destroy> {
public:
    explicit Worker(const Bound &bound) : Object(detail::get<BrolgaWorker *>(brolga_worker_create, bound.get())) {}
    void begin(const DispatchOptions &options = {}) {
        detail::call(brolga_worker_begin, get(), static_cast<const BrolgaDispatchOptions *>(&options));
    }
    void run(std::uint64_t first, std::uint64_t end) { detail::call(brolga_worker_run, get(), first, end); }
    std::uint64_t quantum() { return detail::get<std::uint64_t>(brolga_worker_quantum, get()); }
    void batch(std::uint32_t invocations, Span<const BrolgaArray> arrays) {
        detail::call(brolga_worker_batch, get(), invocations, arrays.data(), arrays.size());
    }
};

class Pipeline : public Object<BrolgaPipeline, brolga_pipeline_destroy> {
public:
    Pipeline(const Device &device, const PipelineOptions &options)
        : Object(detail::get<BrolgaPipeline *>(brolga_pipeline_create, device.get(),
                                               static_cast<const BrolgaPipelineOptions *>(&options))) {}
    Shader vertex_shader() const { return Shader(detail::get<BrolgaShader *>(brolga_pipeline_vertex_shader, get())); }
    Shader hull_shader() const { return Shader(detail::get<BrolgaShader *>(brolga_pipeline_hull_shader, get())); }
    Shader domain_shader() const { return Shader(detail::get<BrolgaShader *>(brolga_pipeline_domain_shader, get())); }
    Shader geometry_shader() const {
        return Shader(detail::get<BrolgaShader *>(brolga_pipeline_geometry_shader, get()));
    }
    Shader pixel_shader() const { return Shader(detail::get<BrolgaShader *>(brolga_pipeline_pixel_shader, get())); }
};

/// A query of a pass, which Pass::begin_query makes.
class Query : public Object<BrolgaQuery, brolga_query_destroy> {
private:
    friend class Pass;
    explicit Query(BrolgaQuery *query) noexcept : Object(query) {}
};

class Pass : public Object<BrolgaPass, brolga_pass_destroy> {
public:
    Pass(const Device &device, const PassOptions &options)
        : Object(detail::get<BrolgaPass *>(brolga_pass_create, device.get(),
                                           static_cast<const BrolgaPassOptions *>(&options))) {}
    /// The number of the draw.
    std::uint64_t draw(const DrawOptions &options) {
        return detail::get<std::uint64_t>(brolga_pass_draw, get(), static_cast<const BrolgaDrawOptions *>(&options));
    }
    std::uint64_t draw_indirect(const DrawOptions &options, const Buffer &arguments, std::uint64_t offset_bytes) {
        return detail::get<std::uint64_t>(brolga_pass_draw_indirect, get(),
                                          static_cast<const BrolgaDrawOptions *>(&options), arguments.get(), offset_bytes);
    }
    std::uint64_t draw_auto(const DrawOptions &options) {
        return detail::get<std::uint64_t>(brolga_pass_draw_auto, get(),
                                          static_cast<const BrolgaDrawOptions *>(&options));
    }
    void clear_color(std::size_t target, const std::array<float, 4> &color) {
        detail::call(brolga_pass_clear_color, get(), target, color.data());
    }
    void clear_depth(float depth) { detail::call(brolga_pass_clear_depth, get(), depth); }
    void clear_stencil(std::uint8_t stencil) { detail::call(brolga_pass_clear_stencil, get(), stencil); }
    template <typename T>
    void update_buffer(const Buffer &buffer, std::uint64_t offset_bytes, Span<const T> from) {
        detail::call(brolga_pass_update_buffer, get(), buffer.get(), offset_bytes,
                     static_cast<const void *>(from.data()), from.size_bytes());
    }
    template <typename T>
    void update_texture(const Texture &texture, const BrolgaTexelBox &to, Span<const T> from,
                        std::uint64_t row_pitch_bytes = 0) {
        detail::call(brolga_pass_update_texture, get(), texture.get(), &to, static_cast<const void *>(from.data()),
                     from.size_bytes(), row_pitch_bytes);
    }
    void flush() { detail::call(brolga_pass_flush, get()); }
    BrolgaStatistics statistics(std::uint64_t number) const {
        return detail::get<BrolgaStatistics>(brolga_pass_statistics, get(), number);
    }
    PipelineStatistics pipeline_statistics(std::uint64_t number) const {
        PipelineStatistics statistics;
        detail::call(brolga_pass_pipeline_statistics, get(), number, static_cast<BrolgaPipelineStatistics *>(&statistics));
        return statistics;
    }
    Query begin_query(BrolgaQueryKind kind) {
        return Query(detail::get<BrolgaQuery *>(brolga_pass_begin_query, get(), kind));
    }
    void end_query(const Query &query) { detail::call(brolga_pass_end_query, get(), query.get()); }
    QueryData query_data(const Query &query) {
        QueryData data;
        detail::call(brolga_pass_query_data, get(), query.get(), static_cast<BrolgaQueryData *>(&data));
        return data;
    }
    PipelineStatistics query_statistics(const Query &query) {
        PipelineStatistics statistics;
        detail::call(brolga_pass_query_statistics, get(), query.get(),
                     static_cast<BrolgaPipelineStatistics *>(&statistics));
        return statistics;
    }
    void set_predication(bool result, bool value) { detail::call(brolga_pass_set_predication, get(), result, value); }
    void clear_predication() { detail::call(brolga_pass_clear_predication, get()); }
};

/// Bytes that a call made.
class Blob : public Object<BrolgaBlob, brolga_blob_destroy> {
public:
    explicit Blob(BrolgaBlob *blob) noexcept : Object(blob) {}
    std::string_view text() const {
        const char *data = nullptr;
        std::size_t size = 0;
        detail::call(brolga_blob_bytes, get(), &data, &size);
        return {data, size};
    }
    Span<const std::uint8_t> bytes() const {
        return {reinterpret_cast<const std::uint8_t *>(text().data()), text().size()};
    }
};

inline Blob disassemble(Span<const std::uint8_t> container, bool is_exact = false) {
    return Blob(detail::get<BrolgaBlob *>(brolga_disassemble, static_cast<const void *>(container.data()),
                                          container.size(), is_exact));
}

inline Blob describe(Span<const std::uint8_t> container) {
    return Blob(detail::get<BrolgaBlob *>(brolga_describe, static_cast<const void *>(container.data()), container.size()));
}

inline Blob assemble(const char *listing) { return Blob(detail::get<BrolgaBlob *>(brolga_assemble, listing)); }

class Reflection : public Object<BrolgaReflection, brolga_reflection_destroy> {
public:
    explicit Reflection(Span<const std::uint8_t> container)
        : Object(detail::get<BrolgaReflection *>(brolga_reflection_create, static_cast<const void *>(container.data()),
                                                 container.size())) {}
    BrolgaReflectedShader shader() const { return detail::get<BrolgaReflectedShader>(brolga_reflection_shader, get()); }
    BrolgaReflectedBinding binding(std::uint32_t number) const {
        return detail::get<BrolgaReflectedBinding>(brolga_reflection_binding, get(), number);
    }
    BrolgaReflectedElement input(std::uint32_t number) const {
        return detail::get<BrolgaReflectedElement>(brolga_reflection_input, get(), number);
    }
    BrolgaReflectedElement output(std::uint32_t number) const {
        return detail::get<BrolgaReflectedElement>(brolga_reflection_output, get(), number);
    }
    BrolgaReflectedVariable variable(std::uint32_t number) const {
        return detail::get<BrolgaReflectedVariable>(brolga_reflection_variable, get(), number);
    }
};

} // namespace brolga

#endif // BROLGA_HPP
