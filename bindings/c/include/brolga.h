// Brolga for C: Direct3D shader bytecode on the CPU. Made of bindings/c/src by cbindgen; changes belong there.
//
// A call returns a code, BROLGA_CODE_OK on success, and takes a pointer to a BrolgaError as its last argument. That
// struct is the caller's and needs no initialisation; afterwards it has the code and one sentence about it. It may be
// NULL.
//
// Objects are made by calls, which write a pointer to them, or NULL after an error, and are freed by their own
// `destroy`, which takes NULL. An object keeps others that it needs alive: these may be destroyed before it, in any
// order. NULL, and pointers to objects of another kind, are errors (BROLGA_CODE_NULL_HANDLE, BROLGA_CODE_WRONG_HANDLE).
// An object that was destroyed must not be used again: usually that is BROLGA_CODE_WRONG_HANDLE too, but its memory may
// belong to something else by then, as with free().
//
// Options are structs whose first field is their size. Their `init` function sets it and fills in the defaults, so that
// a program that was built with an older header works with a newer library:
//
//     BrolgaDeviceOptions options;
//     brolga_device_options_init(&options, sizeof options);
//     options.threads = 4;
//
// Callers promise that a pointer points to as much memory as the call documents, or is NULL, which is an error where an
// object or memory is required; that no other thread changes that memory during the call, and it is not also memory of
// an object of the call; and that objects are not destroyed while a call uses them. All else is checked.
//
// Objects may be used by any threads at once, except workers and passes, which say so. There is no global state. Texts
// are UTF-8. A message on the standard error output comes only with a panic, which is a bug in Brolga and becomes
// BROLGA_CODE_PANIC.

#ifndef BROLGA_H
#define BROLGA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Formats of texels, with the numbers of DXGI_FORMAT.
typedef enum BrolgaFormat {
  BROLGA_FORMAT_R32G32B32A32_FLOAT = 2,
  BROLGA_FORMAT_R32G32B32A32_UINT = 3,
  BROLGA_FORMAT_R32G32B32A32_SINT = 4,
  BROLGA_FORMAT_R32G32B32_FLOAT = 6,
  BROLGA_FORMAT_R32G32B32_UINT = 7,
  BROLGA_FORMAT_R32G32B32_SINT = 8,
  BROLGA_FORMAT_R32G32_FLOAT = 16,
  BROLGA_FORMAT_R32G32_UINT = 17,
  BROLGA_FORMAT_R32G32_SINT = 18,
  BROLGA_FORMAT_R32_FLOAT = 41,
  BROLGA_FORMAT_R32_UINT = 42,
  BROLGA_FORMAT_R32_SINT = 43,
  BROLGA_FORMAT_R16G16B16A16_FLOAT = 10,
  BROLGA_FORMAT_R16G16B16A16_UNORM = 11,
  BROLGA_FORMAT_R16G16B16A16_SNORM = 13,
  BROLGA_FORMAT_R16G16B16A16_UINT = 12,
  BROLGA_FORMAT_R16G16B16A16_SINT = 14,
  BROLGA_FORMAT_R16G16_FLOAT = 34,
  BROLGA_FORMAT_R16G16_UNORM = 35,
  BROLGA_FORMAT_R16G16_SNORM = 37,
  BROLGA_FORMAT_R16G16_UINT = 36,
  BROLGA_FORMAT_R16G16_SINT = 38,
  BROLGA_FORMAT_R16_FLOAT = 54,
  BROLGA_FORMAT_R16_UNORM = 56,
  BROLGA_FORMAT_R16_SNORM = 58,
  BROLGA_FORMAT_R16_UINT = 57,
  BROLGA_FORMAT_R16_SINT = 59,
  BROLGA_FORMAT_R8G8B8A8_UNORM = 28,
  BROLGA_FORMAT_R8G8B8A8_UNORM_SRGB = 29,
  BROLGA_FORMAT_R8G8B8A8_SNORM = 31,
  BROLGA_FORMAT_R8G8B8A8_UINT = 30,
  BROLGA_FORMAT_R8G8B8A8_SINT = 32,
  BROLGA_FORMAT_B8G8R8A8_UNORM = 87,
  BROLGA_FORMAT_B8G8R8A8_UNORM_SRGB = 91,
  BROLGA_FORMAT_B8G8R8X8_UNORM = 88,
  BROLGA_FORMAT_B8G8R8X8_UNORM_SRGB = 93,
  BROLGA_FORMAT_R8G8_UNORM = 49,
  BROLGA_FORMAT_R8G8_SNORM = 51,
  BROLGA_FORMAT_R8G8_UINT = 50,
  BROLGA_FORMAT_R8G8_SINT = 52,
  BROLGA_FORMAT_R8_UNORM = 61,
  BROLGA_FORMAT_R8_SNORM = 63,
  BROLGA_FORMAT_R8_UINT = 62,
  BROLGA_FORMAT_R8_SINT = 64,
  BROLGA_FORMAT_A8_UNORM = 65,
  BROLGA_FORMAT_R10G10B10A2_UNORM = 24,
  BROLGA_FORMAT_R10G10B10A2_UINT = 25,
  BROLGA_FORMAT_R11G11B10_FLOAT = 26,
  BROLGA_FORMAT_R9G9B9E5_SHAREDEXP = 67,
  BROLGA_FORMAT_B5G6R5_UNORM = 85,
  BROLGA_FORMAT_B5G5R5A1_UNORM = 86,
  BROLGA_FORMAT_B4G4R4A4_UNORM = 115,
  BROLGA_FORMAT_R8G8_B8G8_UNORM = 68,
  BROLGA_FORMAT_G8R8_G8B8_UNORM = 69,
  BROLGA_FORMAT_D32_FLOAT = 40,
  BROLGA_FORMAT_D32_FLOAT_S8X24_UINT = 20,
  BROLGA_FORMAT_R32_FLOAT_X8X24_TYPELESS = 21,
  BROLGA_FORMAT_X32_TYPELESS_G8X24_UINT = 22,
  BROLGA_FORMAT_D24_UNORM_S8_UINT = 45,
  BROLGA_FORMAT_R24_UNORM_X8_TYPELESS = 46,
  BROLGA_FORMAT_X24_TYPELESS_G8_UINT = 47,
  BROLGA_FORMAT_D16_UNORM = 55,
  BROLGA_FORMAT_BC1_UNORM = 71,
  BROLGA_FORMAT_BC1_UNORM_SRGB = 72,
  BROLGA_FORMAT_BC2_UNORM = 74,
  BROLGA_FORMAT_BC2_UNORM_SRGB = 75,
  BROLGA_FORMAT_BC3_UNORM = 77,
  BROLGA_FORMAT_BC3_UNORM_SRGB = 78,
  BROLGA_FORMAT_BC4_UNORM = 80,
  BROLGA_FORMAT_BC4_SNORM = 81,
  BROLGA_FORMAT_BC5_UNORM = 83,
  BROLGA_FORMAT_BC5_SNORM = 84,
  BROLGA_FORMAT_BC6H_UF16 = 95,
  BROLGA_FORMAT_BC6H_SF16 = 96,
  BROLGA_FORMAT_BC7_UNORM = 98,
  BROLGA_FORMAT_BC7_UNORM_SRGB = 99,
} BrolgaFormat;

// The outcome of a call. The numbers never change; later versions may have more of them.
enum BrolgaCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Success.
  BROLGA_CODE_OK = 0,
  // The bytes are not a valid shader.
  BROLGA_CODE_FILE = 1,
  // The shader is valid, but cannot run, or not on this processor.
  BROLGA_CODE_UNSUPPORTED = 2,
  // An interface variable has no class instance, or one that does not fit: see BrolgaCompileOptions.instances.
  BROLGA_CODE_INSTANCE = 3,
  // A register or name does not exist, or the view bound to it does not fit.
  BROLGA_CODE_BINDING = 4,
  // A buffer, texture, view or sampler is not possible, or has no such part.
  BROLGA_CODE_RESOURCE = 5,
  // A shader of this stage cannot run in this way, or not on this batch or these groups.
  BROLGA_CODE_CALL = 6,
  // The shader or the call exceeds a limit of the device.
  BROLGA_CODE_LIMIT = 7,
  // A cancel token, a time limit or fuel ended the work.
  BROLGA_CODE_STOPPED = 8,
  // Threads of a group met different barriers.
  BROLGA_CODE_DIVERGENT_BARRIER = 9,
  // The operating system refused memory, a thread or a file.
  BROLGA_CODE_SYSTEM = 10,
  // A bug in Brolga: please report it.
  BROLGA_CODE_INTERNAL = 11,
  // The shader ended the run by `abort`. What it printed before is in BrolgaMessages.
  BROLGA_CODE_ABORTED = 12,
  // A pointer to an object is NULL where there must be one.
  BROLGA_CODE_NULL_HANDLE = 32,
  // A pointer to an object points to one of another kind, or to none (any more).
  BROLGA_CODE_WRONG_HANDLE = 33,
  // An argument is invalid: a NULL pointer to memory, a size, a number of an enumeration, a text.
  BROLGA_CODE_BAD_ARGUMENT = 34,
  // A call came before the one that it needs, or while another thread uses the object.
  BROLGA_CODE_OUT_OF_ORDER = 35,
  // A panic, which is a bug in Brolga, was stopped. The objects of the call may only be destroyed, not used
  // otherwise.
  BROLGA_CODE_PANIC = 36,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaCode BrolgaCode;
#else
typedef uint32_t BrolgaCode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The kind of invocation that sent a message.
enum BrolgaSenderKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // A thread of a compute shader: `group` and `thread`.
  BROLGA_SENDER_KIND_THREAD = 0,
  // A vertex: `vertex` and `instance`.
  BROLGA_SENDER_KIND_VERTEX = 1,
  // A patch in a hull shader: `primitive`, and in `instance` the control point, or the instance of a phase.
  BROLGA_SENDER_KIND_PATCH = 2,
  // A point of a patch in a domain shader: `primitive` and `location`.
  BROLGA_SENDER_KIND_POINT = 3,
  // A primitive in a geometry shader: `primitive` and `instance`.
  BROLGA_SENDER_KIND_PRIMITIVE = 4,
  // A pixel: `pixel`.
  BROLGA_SENDER_KIND_PIXEL = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaSenderKind BrolgaSenderKind;
#else
typedef uint32_t BrolgaSenderKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kinds of textures and views, as D3D11_SRV_DIMENSION.
enum BrolgaDimension
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // A typed buffer.
  BROLGA_DIMENSION_BUFFER = 1,
  // One row of texels.
  BROLGA_DIMENSION_TEXTURE1D = 2,
  // Rows of texels, in layers.
  BROLGA_DIMENSION_TEXTURE1D_ARRAY = 3,
  // A rectangle.
  BROLGA_DIMENSION_TEXTURE2D = 4,
  // Rectangles in layers.
  BROLGA_DIMENSION_TEXTURE2D_ARRAY = 5,
  // A rectangle with several samples per texel.
  BROLGA_DIMENSION_TEXTURE2D_MS = 6,
  // The same in layers.
  BROLGA_DIMENSION_TEXTURE2D_MS_ARRAY = 7,
  // A box.
  BROLGA_DIMENSION_TEXTURE3D = 8,
  // Six faces.
  BROLGA_DIMENSION_TEXTURE_CUBE = 9,
  // Six faces each, in layers.
  BROLGA_DIMENSION_TEXTURE_CUBE_ARRAY = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaDimension BrolgaDimension;
#else
typedef uint32_t BrolgaDimension;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The addressing of a buffer's bytes.
enum BrolgaBufferKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Bytes, read and written as words: ByteAddressBuffer. At most 4 GiB.
  BROLGA_BUFFER_KIND_RAW = 0,
  // Elements of a stride: StructuredBuffer. A partial element at the end is ignored.
  BROLGA_BUFFER_KIND_STRUCTURED = 1,
  // Texels of a format in one row: Buffer.
  BROLGA_BUFFER_KIND_TYPED = 2,
  // A constant buffer: cbuffer. Reads beyond its end return zero.
  BROLGA_BUFFER_KIND_CONSTANT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaBufferKind BrolgaBufferKind;
#else
typedef uint32_t BrolgaBufferKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The resolution of coordinates outside a texture, as D3D11_TEXTURE_ADDRESS_MODE.
enum BrolgaAddressMode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The texture repeated.
  BROLGA_ADDRESS_MODE_WRAP = 1,
  // The texture repeated, every other time mirrored.
  BROLGA_ADDRESS_MODE_MIRROR = 2,
  // The texels at its edge.
  BROLGA_ADDRESS_MODE_CLAMP = 3,
  // The border colour.
  BROLGA_ADDRESS_MODE_BORDER = 4,
  // The texture mirrored once, then the texels at its edge.
  BROLGA_ADDRESS_MODE_MIRROR_ONCE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaAddressMode BrolgaAddressMode;
#else
typedef uint32_t BrolgaAddressMode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Comparisons, as D3D11_COMPARISON_FUNC: of a new depth with the one in the buffer, or of a reference with a
// texel: `new < old` and so on.
enum BrolgaComparison
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Never true.
  BROLGA_COMPARISON_NEVER = 1,
  // Less.
  BROLGA_COMPARISON_LESS = 2,
  // Equal.
  BROLGA_COMPARISON_EQUAL = 3,
  // Less or equal.
  BROLGA_COMPARISON_LESS_EQUAL = 4,
  // Greater.
  BROLGA_COMPARISON_GREATER = 5,
  // Not equal.
  BROLGA_COMPARISON_NOT_EQUAL = 6,
  // Greater or equal.
  BROLGA_COMPARISON_GREATER_EQUAL = 7,
  // Always true.
  BROLGA_COMPARISON_ALWAYS = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaComparison BrolgaComparison;
#else
typedef uint32_t BrolgaComparison;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The engine that runs a shader.
enum BrolgaEngine
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The fastest that this processor can run. Results are the same.
  BROLGA_ENGINE_BEST = 0,
  // Machine code.
  BROLGA_ENGINE_JIT = 1,
  // The interpreter, which defines the results and runs on every processor.
  BROLGA_ENGINE_INTERPRETER = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaEngine BrolgaEngine;
#else
typedef uint32_t BrolgaEngine;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Stencil operations, as D3D11_STENCIL_OP.
enum BrolgaStencilOp
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Keeps the stencil.
  BROLGA_STENCIL_OP_KEEP = 1,
  // Sets it to 0.
  BROLGA_STENCIL_OP_ZERO = 2,
  // Sets it to the reference.
  BROLGA_STENCIL_OP_REPLACE = 3,
  // Adds 1, up to 255.
  BROLGA_STENCIL_OP_INCREMENT_SATURATED = 4,
  // Subtracts 1, down to 0.
  BROLGA_STENCIL_OP_DECREMENT_SATURATED = 5,
  // Inverts all bits.
  BROLGA_STENCIL_OP_INVERT = 6,
  // Adds 1; 255 wraps to 0.
  BROLGA_STENCIL_OP_INCREMENT = 7,
  // Subtracts 1; 0 wraps to 255.
  BROLGA_STENCIL_OP_DECREMENT = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaStencilOp BrolgaStencilOp;
#else
typedef uint32_t BrolgaStencilOp;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Bitwise operations on source and destination, as D3D11_LOGIC_OP.
enum BrolgaLogicOp
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // 0.
  BROLGA_LOGIC_OP_CLEAR = 0,
  // 1.
  BROLGA_LOGIC_OP_SET = 1,
  // The source.
  BROLGA_LOGIC_OP_COPY = 2,
  // Not the source.
  BROLGA_LOGIC_OP_COPY_INVERTED = 3,
  // The destination.
  BROLGA_LOGIC_OP_NOOP = 4,
  // Not the destination.
  BROLGA_LOGIC_OP_INVERT = 5,
  // Both.
  BROLGA_LOGIC_OP_AND = 6,
  // Not both.
  BROLGA_LOGIC_OP_NAND = 7,
  // Either.
  BROLGA_LOGIC_OP_OR = 8,
  // Neither.
  BROLGA_LOGIC_OP_NOR = 9,
  // One of them.
  BROLGA_LOGIC_OP_XOR = 10,
  // Both or neither.
  BROLGA_LOGIC_OP_EQUIVALENT = 11,
  // The source, but not the destination.
  BROLGA_LOGIC_OP_AND_REVERSE = 12,
  // The destination, but not the source.
  BROLGA_LOGIC_OP_AND_INVERTED = 13,
  // The source, or not the destination.
  BROLGA_LOGIC_OP_OR_REVERSE = 14,
  // The destination, or not the source.
  BROLGA_LOGIC_OP_OR_INVERTED = 15,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaLogicOp BrolgaLogicOp;
#else
typedef uint32_t BrolgaLogicOp;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The factor of a term of a blend, as D3D11_BLEND. In the equation of alpha, colours stand for their alpha.
enum BrolgaFactor
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // 0.
  BROLGA_FACTOR_ZERO = 1,
  // 1.
  BROLGA_FACTOR_ONE = 2,
  // The source's colour.
  BROLGA_FACTOR_SOURCE_COLOR = 3,
  // 1 less that.
  BROLGA_FACTOR_INVERSE_SOURCE_COLOR = 4,
  // The source's alpha.
  BROLGA_FACTOR_SOURCE_ALPHA = 5,
  // 1 less that.
  BROLGA_FACTOR_INVERSE_SOURCE_ALPHA = 6,
  // The destination's alpha.
  BROLGA_FACTOR_DESTINATION_ALPHA = 7,
  // 1 less that.
  BROLGA_FACTOR_INVERSE_DESTINATION_ALPHA = 8,
  // The destination's colour.
  BROLGA_FACTOR_DESTINATION_COLOR = 9,
  // 1 less that.
  BROLGA_FACTOR_INVERSE_DESTINATION_COLOR = 10,
  // The lesser of the source's alpha and 1 less the destination's; 1 for alpha.
  BROLGA_FACTOR_SOURCE_ALPHA_SATURATED = 11,
  // The blend factor.
  BROLGA_FACTOR_BLEND_FACTOR = 14,
  // 1 less that.
  BROLGA_FACTOR_INVERSE_BLEND_FACTOR = 15,
  // The second source's colour: the shader's second output, which no other target can take.
  BROLGA_FACTOR_SECOND_COLOR = 16,
  // 1 less that.
  BROLGA_FACTOR_INVERSE_SECOND_COLOR = 17,
  // The second source's alpha.
  BROLGA_FACTOR_SECOND_ALPHA = 18,
  // 1 less that.
  BROLGA_FACTOR_INVERSE_SECOND_ALPHA = 19,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaFactor BrolgaFactor;
#else
typedef uint32_t BrolgaFactor;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The operation on the two terms of a blend, as D3D11_BLEND_OP.
enum BrolgaBlendOp
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Their sum.
  BROLGA_BLEND_OP_ADD = 1,
  // The source's term less the destination's.
  BROLGA_BLEND_OP_SUBTRACT = 2,
  // The destination's term less the source's.
  BROLGA_BLEND_OP_REVERSE_SUBTRACT = 3,
  // The minimum of source and destination; factors are ignored.
  BROLGA_BLEND_OP_MIN = 4,
  // The maximum of source and destination; likewise.
  BROLGA_BLEND_OP_MAX = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaBlendOp BrolgaBlendOp;
#else
typedef uint32_t BrolgaBlendOp;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The kinds of findings. Their sums are sets of them.
enum BrolgaFindingKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Two accesses of one word that nothing orders.
  BROLGA_FINDING_KIND_RACE = 1,
  // An access past the end of a buffer, of shared memory or of an array.
  BROLGA_FINDING_KIND_BOUNDS = 2,
  // A word of shared memory, of an array or of a register that is read before anything wrote it.
  BROLGA_FINDING_KIND_UNINITIALISED = 4,
  // A barrier that some threads of a group go to and some do not.
  BROLGA_FINDING_KIND_BARRIER = 8,
  // A byte offset that is no multiple of 4: its low bits are ignored.
  BROLGA_FINDING_KIND_MISALIGNED = 16,
  // An access to a register to which nothing is bound.
  BROLGA_FINDING_KIND_UNBOUND = 32,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaFindingKind BrolgaFindingKind;
#else
typedef uint32_t BrolgaFindingKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The meaning of a place in what was accessed.
enum BrolgaPlaceKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // All of it, or none.
  BROLGA_PLACE_KIND_WHOLE = 0,
  // A byte from its start.
  BROLGA_PLACE_KIND_BYTE = 1,
  // An element: of a structured or typed buffer, of structured shared memory; a vector of an array.
  BROLGA_PLACE_KIND_ELEMENT = 2,
  // A texel: three coordinates, of which unused ones are 0.
  BROLGA_PLACE_KIND_TEXEL = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaPlaceKind BrolgaPlaceKind;
#else
typedef uint32_t BrolgaPlaceKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The kinds of accesses.
enum BrolgaAccessKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // A load.
  BROLGA_ACCESS_KIND_READ = 0,
  // A store.
  BROLGA_ACCESS_KIND_WRITE = 1,
  // A read-modify-write.
  BROLGA_ACCESS_KIND_ATOMIC = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaAccessKind BrolgaAccessKind;
#else
typedef uint32_t BrolgaAccessKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The topology of vertices that form primitives, as in `D3D11_PRIMITIVE_TOPOLOGY`.
enum BrolgaTopology
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // A point per vertex.
  BROLGA_TOPOLOGY_POINT_LIST = 1,
  // A line per two vertices.
  BROLGA_TOPOLOGY_LINE_LIST = 2,
  // Each vertex from the second on forms a line with the one before it.
  BROLGA_TOPOLOGY_LINE_STRIP = 3,
  // A triangle per three vertices.
  BROLGA_TOPOLOGY_TRIANGLE_LIST = 4,
  // Each vertex from the third on forms a triangle with the two before it.
  BROLGA_TOPOLOGY_TRIANGLE_STRIP = 5,
  // Each vertex from the third on forms a triangle with the one before it, which is the provoking vertex, and
  // the first one. Only Direct3D 9 has fans, without primitive restart.
  BROLGA_TOPOLOGY_TRIANGLE_FAN = 6,
  // A line per four vertices: between the second and the third, with those adjacent to it before and after.
  BROLGA_TOPOLOGY_LINE_LIST_ADJACENT = 10,
  // A line strip whose first and last vertices are adjacent ones only.
  BROLGA_TOPOLOGY_LINE_STRIP_ADJACENT = 11,
  // A triangle per six vertices: every other one, each followed by the vertex opposite to the next edge.
  BROLGA_TOPOLOGY_TRIANGLE_LIST_ADJACENT = 12,
  // A triangle strip of every other vertex, with the adjacent ones between them.
  BROLGA_TOPOLOGY_TRIANGLE_STRIP_ADJACENT = 13,
  // Patches of 1 control point.
  BROLGA_TOPOLOGY_PATCH1 = 33,
  // Patches of 2 control points.
  BROLGA_TOPOLOGY_PATCH2 = 34,
  // Patches of 3 control points.
  BROLGA_TOPOLOGY_PATCH3 = 35,
  // Patches of 4 control points.
  BROLGA_TOPOLOGY_PATCH4 = 36,
  // Patches of 5 control points.
  BROLGA_TOPOLOGY_PATCH5 = 37,
  // Patches of 6 control points.
  BROLGA_TOPOLOGY_PATCH6 = 38,
  // Patches of 7 control points.
  BROLGA_TOPOLOGY_PATCH7 = 39,
  // Patches of 8 control points.
  BROLGA_TOPOLOGY_PATCH8 = 40,
  // Patches of 9 control points.
  BROLGA_TOPOLOGY_PATCH9 = 41,
  // Patches of 10 control points.
  BROLGA_TOPOLOGY_PATCH10 = 42,
  // Patches of 11 control points.
  BROLGA_TOPOLOGY_PATCH11 = 43,
  // Patches of 12 control points.
  BROLGA_TOPOLOGY_PATCH12 = 44,
  // Patches of 13 control points.
  BROLGA_TOPOLOGY_PATCH13 = 45,
  // Patches of 14 control points.
  BROLGA_TOPOLOGY_PATCH14 = 46,
  // Patches of 15 control points.
  BROLGA_TOPOLOGY_PATCH15 = 47,
  // Patches of 16 control points.
  BROLGA_TOPOLOGY_PATCH16 = 48,
  // Patches of 17 control points.
  BROLGA_TOPOLOGY_PATCH17 = 49,
  // Patches of 18 control points.
  BROLGA_TOPOLOGY_PATCH18 = 50,
  // Patches of 19 control points.
  BROLGA_TOPOLOGY_PATCH19 = 51,
  // Patches of 20 control points.
  BROLGA_TOPOLOGY_PATCH20 = 52,
  // Patches of 21 control points.
  BROLGA_TOPOLOGY_PATCH21 = 53,
  // Patches of 22 control points.
  BROLGA_TOPOLOGY_PATCH22 = 54,
  // Patches of 23 control points.
  BROLGA_TOPOLOGY_PATCH23 = 55,
  // Patches of 24 control points.
  BROLGA_TOPOLOGY_PATCH24 = 56,
  // Patches of 25 control points.
  BROLGA_TOPOLOGY_PATCH25 = 57,
  // Patches of 26 control points.
  BROLGA_TOPOLOGY_PATCH26 = 58,
  // Patches of 27 control points.
  BROLGA_TOPOLOGY_PATCH27 = 59,
  // Patches of 28 control points.
  BROLGA_TOPOLOGY_PATCH28 = 60,
  // Patches of 29 control points.
  BROLGA_TOPOLOGY_PATCH29 = 61,
  // Patches of 30 control points.
  BROLGA_TOPOLOGY_PATCH30 = 62,
  // Patches of 31 control points.
  BROLGA_TOPOLOGY_PATCH31 = 63,
  // Patches of 32 control points.
  BROLGA_TOPOLOGY_PATCH32 = 64,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaTopology BrolgaTopology;
#else
typedef uint32_t BrolgaTopology;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The fill mode of triangles, as in `D3D11_FILL_MODE`.
enum BrolgaFill
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Their interior.
  BROLGA_FILL_SOLID = 3,
  // Their edges, as lines; not the edges that clipping adds.
  BROLGA_FILL_WIREFRAME = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaFill BrolgaFill;
#else
typedef uint32_t BrolgaFill;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The triangles to cull, as in `D3D11_CULL_MODE`.
enum BrolgaCull
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // None.
  BROLGA_CULL_NONE = 1,
  // Front-facing ones.
  BROLGA_CULL_FRONT = 2,
  // Back-facing ones.
  BROLGA_CULL_BACK = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaCull BrolgaCull;
#else
typedef uint32_t BrolgaCull;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The kind of a query, as in `D3D11_QUERY`.
enum BrolgaQueryKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Samples that passed all tests; without multisampling pixels.
  BROLGA_QUERY_KIND_OCCLUSION = 1,
  // The time at which all before the end of the query was done.
  BROLGA_QUERY_KIND_TIMESTAMP = 2,
  // Counts of each stage.
  BROLGA_QUERY_KIND_PIPELINE_STATISTICS = 4,
  // Whether any sample passed all tests.
  BROLGA_QUERY_KIND_OCCLUSION_PREDICATE = 5,
  // Primitives of stream 0, like SO_STATISTICS_STREAM0.
  BROLGA_QUERY_KIND_SO_STATISTICS = 6,
  // Whether any stream had too little room.
  BROLGA_QUERY_KIND_SO_OVERFLOW_PREDICATE = 7,
  // Primitives that stream 0 wrote, and would have written with enough room.
  BROLGA_QUERY_KIND_SO_STATISTICS_STREAM0 = 8,
  // Whether stream 0 had too little room.
  BROLGA_QUERY_KIND_SO_OVERFLOW_PREDICATE_STREAM0 = 9,
  // The same for stream 1.
  BROLGA_QUERY_KIND_SO_STATISTICS_STREAM1 = 10,
  // The same for stream 1.
  BROLGA_QUERY_KIND_SO_OVERFLOW_PREDICATE_STREAM1 = 11,
  // The same for stream 2.
  BROLGA_QUERY_KIND_SO_STATISTICS_STREAM2 = 12,
  // The same for stream 2.
  BROLGA_QUERY_KIND_SO_OVERFLOW_PREDICATE_STREAM2 = 13,
  // The same for stream 3.
  BROLGA_QUERY_KIND_SO_STATISTICS_STREAM3 = 14,
  // The same for stream 3.
  BROLGA_QUERY_KIND_SO_OVERFLOW_PREDICATE_STREAM3 = 15,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaQueryKind BrolgaQueryKind;
#else
typedef uint32_t BrolgaQueryKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Rules that bindings may relax; sums of these.
enum BrolgaAllow
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Registers that a shader declares may be left unbound: they read as zeros and drop writes, as in Direct3D.
  BROLGA_ALLOW_UNBOUND = 1,
  // Registers that a shader does not declare may be bound. For draws they always may.
  BROLGA_ALLOW_UNDECLARED = 2,
  // Texels of an unsigned format may be bound where a shader declares signed integers, and vice versa.
  BROLGA_ALLOW_OTHER_SIGN = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaAllow BrolgaAllow;
#else
typedef uint32_t BrolgaAllow;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Filters, as D3D11_FILTER. Its other numbers can be passed as well.
enum BrolgaFilterMode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  BROLGA_FILTER_MODE_MIN_MAG_MIP_POINT = 0,
  BROLGA_FILTER_MODE_MIN_MAG_POINT_MIP_LINEAR = 1,
  BROLGA_FILTER_MODE_MIN_MAG_LINEAR_MIP_POINT = 20,
  BROLGA_FILTER_MODE_MIN_MAG_MIP_LINEAR = 21,
  BROLGA_FILTER_MODE_ANISOTROPIC = 85,
  BROLGA_FILTER_MODE_COMPARISON_MIN_MAG_MIP_POINT = 128,
  BROLGA_FILTER_MODE_COMPARISON_MIN_MAG_LINEAR_MIP_POINT = 148,
  BROLGA_FILTER_MODE_COMPARISON_MIN_MAG_MIP_LINEAR = 149,
  BROLGA_FILTER_MODE_COMPARISON_ANISOTROPIC = 213,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum BrolgaFilterMode BrolgaFilterMode;
#else
typedef uint32_t BrolgaFilterMode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Views by register, for dispatches and draws. Any thread may use and change them at any time; a dispatch uses the
// views that are bound when it is called.
typedef struct BrolgaBindings BrolgaBindings;

// Bytes that a call made: a text or a container. A zero follows the last one, so that a text is a C string.
typedef struct BrolgaBlob BrolgaBlob;

// A shader with its bindings: bound once, run often. Any number of threads may dispatch it at once, and make workers
// of it.
//
// Constant buffers are read when a dispatch begins, so that writes to them between two dispatches take effect.
typedef struct BrolgaBound BrolgaBound;

// Bytes in memory, Brolga's or the caller's, or in a mapped file. Views and textures of a buffer share its bytes, and
// keep them alive.
//
// Any thread may read and write it at any time. Each 32-bit word, at a multiple of 4, is read and written whole;
// nothing else is promised about a buffer that a shader or another thread writes meanwhile.
typedef struct BrolgaBuffer BrolgaBuffer;

// A token that stops work when cancelled. Once cancelled, it stays cancelled. Any thread may use it, and it may be
// destroyed at any time.
typedef struct BrolgaCancelToken BrolgaCancelToken;

// A device, which runs shaders. It owns threads, limits and a cache, and must not outlive the folder that its options
// name. The objects that it made live on after it is destroyed.
typedef struct BrolgaDevice BrolgaDevice;

// What a checked dispatch found. Its texts stay until it is destroyed. Any thread may use it.
typedef struct BrolgaFindings BrolgaFindings;

// Collects what shaders print with printf and errorf, in all dispatches and passes that have it in their options.
// Messages are in the order of the threads that sent them, whatever the number of workers; those of earlier dispatches
// and draws come first, and of a draw those of earlier stages. Any thread may use it, and it may be destroyed at any
// time.
typedef struct BrolgaMessages BrolgaMessages;

// A sequence of draws into the same targets, in order, by all threads of a device. One thread uses it at a time
// (BROLGA_CODE_OUT_OF_ORDER otherwise).
//
// Draws may be queued until brolga_pass_flush. The resources that they read and draw to must not change before.
typedef struct BrolgaPass BrolgaPass;

// Shaders, compiled with the state around them. Any thread may use it at any time.
typedef struct BrolgaPipeline BrolgaPipeline;

// A counter of work done: groups of a dispatch, or primitives of a pass. Any thread may use it, and it may be
// destroyed at any time.
typedef struct BrolgaProgress BrolgaProgress;

// A query of a pass: what the draws between its begin and its end did. It belongs to that pass alone.
typedef struct BrolgaQuery BrolgaQuery;

// The declarations of a shader of any stage and model. Its texts stay until it is destroyed.
typedef struct BrolgaReflection BrolgaReflection;

// A compiled shader. Any thread may use it at any time.
typedef struct BrolgaShader BrolgaShader;

// A texture: a buffer with a shape. Any thread may read and write it at any time, like a buffer.
typedef struct BrolgaTexture BrolgaTexture;

// A view of a buffer or a texture, or a part of one, for a register or a target; or a sampler. A view keeps its
// resource alive, and can be bound any number of times.
typedef struct BrolgaView BrolgaView;

// A thread's share of a bound shader: it runs groups of a dispatch, or batches of vertices or pixels, on the calling
// thread, and involves no other. One thread uses it at a time (BROLGA_CODE_OUT_OF_ORDER otherwise); different threads
// use workers of their own.
typedef struct BrolgaWorker BrolgaWorker;

// The details of a call's error. The caller owns it, and may use one for any number of calls; it needs no
// initialisation.
typedef struct {
  // The code that the call returned.
  BrolgaCode code;
  // One sentence in UTF-8 that says what is wrong, where, and what would be right; empty after success. Longer texts
  // are cut, and end in "...".
  char text[2044];
} BrolgaError;

// An instruction of a shader.
typedef struct {
  // Its text in listings; empty if unknown, NULL if there is no instruction.
  const char *text;
  // Its byte offset in the container.
  uint32_t byte;
  // Its number, counted from 0 without declarations; UINT32_MAX if unknown.
  uint32_t index;
} BrolgaInstruction;

// A message of a shader. Fields of other kinds of senders are 0.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Its text in UTF-8, with the operands.
  const char *text;
  // The sender as a text: "thread (0, 0, 0) of group (1, 0, 0)".
  const char *sender_text;
  // The instruction that sent it.
  BrolgaInstruction instruction;
  // `true` if it is one of errorf.
  bool is_error;
  // The kind of sender.
  BrolgaSenderKind sender;
  // The thread's group.
  uint32_t group[3];
  // Its position in the group.
  uint32_t thread[3];
  // SV_VertexID.
  uint32_t vertex;
  // SV_PrimitiveID.
  uint32_t primitive;
  // SV_InstanceID, SV_OutputControlPointID or SV_GSInstanceID.
  uint32_t instance;
  // SV_DomainLocation.
  float location[3];
  // Column and row.
  uint32_t pixel[2];
} BrolgaMessage;

// Options of a device. Limits of 0 are the usual ones, which are Direct3D's where it has one.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Number of threads, including those that call, at most 1024; 0 means one for each processor.
  uint32_t threads;
  // Largest size of vectors in machine code, in bytes: 16, 32 or 64; 0 means the usual size. Results are the same.
  uint32_t vector_bytes;
  // A folder in which machine code is stored, so that the next process need not compile it; NULL for none. It is
  // created when something is stored. An existing one must belong to this user, and nobody else may write to it.
  const char *cache_folder;
  // Largest size of that folder in bytes; 0 means 256 MiB.
  uint64_t cache_bytes;
  // Largest size of a buffer or texture in bytes; 0 means 32 GiB.
  uint64_t buffer_bytes;
  // Largest private memory of a thread that runs a shader, in bytes; 0 means 192 MiB.
  uint64_t arena_bytes;
  // Most groups of a dispatch along an axis; 0 means 65,535.
  uint32_t dispatch_groups;
  // Most threads of a group; 0 means 1,024.
  uint32_t group_threads;
  // Largest shared memory of a group in bytes; 0 means 32 KiB.
  uint32_t shared_bytes;
  // Most instructions for which machine code is made; 0 means 900,000. Larger shaders are interpreted.
  uint32_t code_instructions;
  // Largest size of copies of compressed textures, which make sampling faster, in bytes; 0 means 256 MiB, 1 none.
  // Results are the same.
  uint64_t copy_bytes;
} BrolgaDeviceOptions;

// Counts of a device's cache.
typedef struct {
  // Code that was found.
  uint64_t hits;
  // Code that was not found.
  uint64_t misses;
  // Code that was found, but damaged, or in a file that another user could have written.
  uint64_t rejected;
  // Code that was stored.
  uint64_t stored;
  // Code that could not be stored.
  uint64_t failed;
} BrolgaCacheCounters;

// A function that is called once when nothing uses the caller's memory any more, from any thread. It must return: no
// exception may leave it.
typedef void (*BrolgaRelease)(void *context);

// The shape of a texture. Extents that its kind lacks are 1.
//
// Texels are packed: for each layer, each sample, each mip level, each slice, each row. So samples are planes, as
// layers are. In a block-compressed format this applies to blocks.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The kind; BROLGA_DIMENSION_TEXTURE2D by default.
  BrolgaDimension dimension;
  // The format: a BrolgaFormat, or a number of DXGI_FORMAT.
  uint32_t format;
  // Number of texels of a row of mip level 0; 1 by default, like all of the following.
  uint32_t width;
  // Number of rows of mip level 0.
  uint32_t height;
  // Number of slices of mip level 0 of a 3D texture.
  uint32_t depth;
  // Number of layers of an array; faces of a cube count each, so that a cube has 6.
  uint32_t layers;
  // Number of mip levels.
  uint32_t mips;
  // Number of samples of a texel of a multisampled texture: 1, 2, 4, 8 or 16.
  uint32_t samples;
  // The row pitch in bytes, of rows of blocks if there are any, for a texture of one mip level, as in memory of
  // other owners; 0, the default, where rows are packed. Slices and layers follow without further padding.
  uint64_t row_pitch_bytes;
  // `true` if all samples lie at the center of a pixel; `false` for the standard pattern, as by default.
  bool center_pattern;
} BrolgaTextureOptions;

// A box of texels of one mip level of one layer. In a block-compressed format it consists of whole blocks, up to the
// end of the level.
typedef struct {
  // The mip level.
  uint32_t mip;
  // The layer, each face of a cube and each sample counted: sample k of layer l of a texture with n samples is
  // l * n + k.
  uint32_t layer;
  // The first texel along x, y and z.
  uint32_t origin[3];
  // Extents along x, y and z.
  uint32_t extents[3];
} BrolgaTexelBox;

// The options of a view of a buffer.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The addressing of its bytes; BROLGA_BUFFER_KIND_RAW by default.
  BrolgaBufferKind kind;
  // Size of an element of a structured view in bytes, a multiple of 4 up to 2048.
  uint32_t stride_bytes;
  // The format of a typed view: a BrolgaFormat, or a number of DXGI_FORMAT.
  uint32_t format;
  // `true` if a structured view has a hidden counter.
  bool has_counter;
  // The first value of the counter.
  uint32_t counter;
  // Offset of the view in the buffer in bytes.
  uint64_t offset_bytes;
  // Size of the view in bytes; UINT64_MAX, the default, for all up to the buffer's end.
  uint64_t size_bytes;
} BrolgaBufferViewOptions;

// The options of a view of a texture: by default the whole texture, in its own kind and format.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Another format of the same family; 0 for the texture's own.
  uint32_t format;
  // Another kind, a BrolgaDimension; 0 for the texture's own.
  uint32_t dimension;
  // The first mip level. Writes and draws access this one.
  uint32_t first_mip;
  // Number of mip levels; UINT32_MAX, the default, for all up to the last one.
  uint32_t mips;
  // The first layer, each face of a cube counted; of a 3D texture, slice.
  uint32_t first_layer;
  // Number of layers; UINT32_MAX, the default, for all that the kind allows. A view of some slices of a 3D texture
  // can be written only.
  uint32_t layers;
  // The minimum level of detail, counted in the texture; 0 by default.
  float min_level;
} BrolgaTextureViewOptions;

// The state of a sampler; by default Direct3D's of an empty slot: linear, clamped.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The filter: a BrolgaFilterMode, or any number of D3D11_FILTER.
  uint32_t filter;
  // The address modes along u, v and w.
  BrolgaAddressMode address[3];
  // Added to the level of detail, -16 to 15.99.
  float level_bias;
  // The minimum level of detail. It takes precedence over the maximum.
  float min_level;
  // The maximum level of detail.
  float max_level;
  // The most samples along the line of an anisotropic filter, 1 to 16.
  uint32_t max_anisotropy;
  // The comparison of comparison instructions.
  BrolgaComparison comparison;
  // The colour of BROLGA_ADDRESS_MODE_BORDER.
  float border[4];
} BrolgaSamplerOptions;

// The binding of an interface variable: a named instance, or an instance of a class whose data the caller locates.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The variable's name in the source, or the listing's fp#. The name of an array means all of its elements that are
  // not named separately.
  const char *variable;
  // An instance that the shader declares, as in "suns[2]", or a class without data; NULL if `class_name` is given.
  const char *instance;
  // The class of an instance with data of its own.
  const char *class_name;
  // The constant buffer with its data, b#; UINT32_MAX, the default, if its class has no constants.
  uint32_t constant_buffer;
  // Index of its first vector of 16 bytes.
  uint32_t constant_vector;
  // Its first texture or buffer, t#; UINT32_MAX, the default, for none.
  uint32_t texture;
  // Its first sampler, s#; UINT32_MAX, the default, for none.
  uint32_t sampler;
} BrolgaClassInstanceOptions;

// The source of an input register of a vertex shader.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The input register: v#.
  uint32_t row;
  // The slot of the vertex buffer, 0 to 31.
  uint32_t slot;
  // Offset from the start of a vertex in bytes.
  uint32_t offset_bytes;
  // The format of its bytes: a BrolgaFormat, or a number of DXGI_FORMAT.
  uint32_t format;
  // `true` if it advances by instances, not by vertices.
  bool is_per_instance;
  // Number of instances after which it advances, if so; 0 for never.
  uint32_t instance_step;
} BrolgaVertexElement;

// The stage before a vertex shader: the fetch of its inputs from vertex buffers, which are bound as raw views to
// "t#,space4294967295", the number of the slot.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The sources of its inputs.
  const BrolgaVertexElement *elements;
  // Number of elements.
  size_t element_count;
} BrolgaVertexState;

// The stencil operations for primitives of one facing.
typedef struct {
  // The stencil test: the reference is compared with the stencil in the buffer.
  BrolgaComparison test;
  // The operation where the stencil test fails.
  BrolgaStencilOp fail;
  // The operation where the stencil test passes, but the depth test fails.
  BrolgaStencilOp depth_fail;
  // The operation where both tests pass.
  BrolgaStencilOp pass;
} BrolgaStencilFace;

// The depth and stencil tests, if there is a depth buffer; by default as in Direct3D 11: pixels with less depth are
// written.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // `true` if depths are tested.
  bool enable;
  // `true` if depths that pass are written.
  bool write;
  // `true` if stencils are tested; not by default.
  bool stencil_enable;
  // Mask of the bits of stencils that are compared.
  uint8_t stencil_read_mask;
  // Mask of the bits of stencils that are written.
  uint8_t stencil_write_mask;
  // The depth test: the depth of a pixel is compared with the one in the buffer.
  BrolgaComparison function;
  // The stencil operations for front-facing primitives.
  BrolgaStencilFace front;
  // The stencil operations for back-facing primitives.
  BrolgaStencilFace back;
} BrolgaDepthState;

// One equation of a blend.
typedef struct {
  // The factor of the source.
  BrolgaFactor source;
  // The factor of the destination.
  BrolgaFactor destination;
  // The operation on both products.
  BrolgaBlendOp op;
} BrolgaBlendEquation;

// The state of a target: blending and writes. By default colours replace those in the target.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The target's format: a BrolgaFormat, or a number of DXGI_FORMAT.
  uint32_t format;
  // Mask of the components that are written, red in the lowest bit; 15, all, by default.
  uint32_t write_mask;
  // `true` if colours are blended with those in the target.
  bool blends;
  // `true` if bits of unsigned integers are combined with those in the target.
  bool has_logic;
  // The operation on bits, if they are.
  BrolgaLogicOp logic;
  // The blending of red, green and blue, if enabled; by default by the alpha of the source.
  BrolgaBlendEquation color;
  // The blending of alpha.
  BrolgaBlendEquation alpha;
} BrolgaTargetState;

// The stages around a pixel shader: interpolation before it, the depth test and the output merger after it. Targets
// are bound as views of textures to "u#,space4294967295", the number of the output.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Number of registers of a vertex, as the stage before writes them.
  uint32_t vertex_rows;
  // The format of the depth buffer that is tested after the shader, for shaders that compute the depth; 0, the
  // default, if the caller tests depths. It is bound to "u8,space4294967295" as a view whose format is R16_UINT for
  // 16 bits, R32G32_UINT for D32_FLOAT_S8X24_UINT, and R32_UINT otherwise.
  uint32_t depth_format;
  // The depth and stencil tests; NULL for the defaults.
  const BrolgaDepthState *depth;
  // The targets: output o0 goes to the first one, and so on.
  const BrolgaTargetState *targets;
  // Number of targets, at most 8.
  size_t target_count;
  // `true` if a batch gets one more array: a word for each pixel, which becomes 1 where it was written and 0
  // elsewhere.
  bool reports_live;
  // `true` if targets and depth buffer are arrays, whose layer is in BrolgaBatchState.
  bool has_layers;
  // `true` if pixels are only written where the first output's alpha is above a half.
  bool alpha_to_coverage;
} BrolgaPixelState;

// The options of compilation.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The engine, a BrolgaEngine; BROLGA_ENGINE_BEST by default.
  BrolgaEngine engine;
  // Number of threads of a packet: 8, 16, 32 or 64; 0, the default, for the best for the shader. Only shaders with
  // data races can tell.
  uint32_t lanes;
  // `true` if a shader that is too large for machine code is an error. By default the interpreter runs it.
  bool refuses_oversize;
  // `true` if no code is made before the bindings are known. By default the code that most dispatches run is made at
  // once.
  bool defers_code;
  // A name for profilers; NULL, the default, for its checksum.
  const char *name;
  // The bindings of its interface variables. Each variable needs one.
  const BrolgaClassInstanceOptions *instances;
  // Number of those bindings.
  size_t instance_count;
  // For vertex shaders that run in batches: the source of their inputs. NULL, the default, if the caller supplies
  // them.
  const BrolgaVertexState *vertex_state;
  // For pixel shaders that run in batches: the destination of their outputs. NULL, the default, if the caller takes
  // them.
  const BrolgaPixelState *pixel_state;
  // Stops compilation when cancelled; may be NULL. The shader is then compiled in a thread of its own.
  const BrolgaCancelToken *cancel;
  // Stops compilation after this many nanoseconds; 0, the default, for no limit. Likewise.
  uint64_t time_limit_ns;
} BrolgaCompileOptions;

// The groups of a dispatch, and its limits.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Number of groups along x, y and z; 1 each by default.
  uint32_t groups[3];
  // The first group's position. Threads see the positions of the whole dispatch.
  uint32_t first_group[3];
  // A buffer with the numbers of groups, three words, which replace `groups`; NULL by default.
  const BrolgaBuffer *indirect;
  // Offset of those words in the buffer, a multiple of 4.
  uint64_t indirect_offset_bytes;
  // Stops the run when cancelled; may be NULL.
  const BrolgaCancelToken *cancel;
  // Receives the progress of the run; may be NULL.
  const BrolgaProgress *progress;
  // Stops the run after this many nanoseconds; 0, the default, for no limit.
  uint64_t time_limit_ns;
  // Number of loop iterations after which a group stops the run, counted for each packet of threads; 0, the default,
  // for no limit.
  uint64_t fuel;
  // Collects what the shader prints; may be NULL.
  const BrolgaMessages *messages;
} BrolgaDispatchOptions;

// Measurements of a dispatch.
typedef struct {
  // Number of groups that ran.
  uint64_t groups;
  // Number of threads that ran.
  uint64_t threads;
  // The most threads of this machine that took part.
  uint64_t workers;
  // Nanoseconds from the call to the end of the last group.
  uint64_t elapsed_ns;
  // Nanoseconds of that time spent on compiling code that no dispatch of the shader had needed before.
  uint64_t compile_ns;
  // Zeros.
  uint64_t reserved[3];
} BrolgaReport;

// The checks of a dispatch.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The sum of the kinds of findings (BrolgaFindingKind) that are asked for; by default of all.
  uint32_t kinds;
  // `true` to report what is defined, but hardly meant, too: writes of the same value by several threads, texels
  // outside of a texture.
  bool is_strict;
  // `true` to report only findings in which the group at `group` takes part.
  bool has_group;
  // The position of that group.
  uint32_t group[3];
  // The most words of views whose accesses are remembered. Others are not checked for races.
  size_t shadow_words;
} BrolgaCheckOptions;

// A thread that takes part in a finding.
typedef struct {
  // The instruction.
  BrolgaInstruction instruction;
  // The kind of access.
  BrolgaAccessKind access;
  // The thread's group.
  uint32_t group[3];
  // Its position in the group.
  uint32_t thread[3];
  // Its number in the group.
  uint32_t index;
} BrolgaParty;

// A finding: its first occurrence, and how many there were.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // All of it as a text of several lines, in UTF-8: what was found, by whom and where, and what would be right.
  const char *text;
  // What was accessed, as listings name it: "g0", "u2", "r3.y"; NULL for a barrier.
  const char *subject;
  // Its kind.
  BrolgaFindingKind kind;
  // The meaning of `place`.
  BrolgaPlaceKind place_kind;
  // The place in what was accessed. All but a texel have one number, the first.
  uint64_t place[3];
  // Number of elements of what was accessed, or of bytes if its place is a byte.
  uint64_t extent;
  // Words of an access past an end that are inside, and those that are not; of a barrier threads that go to it, and
  // those that do not.
  uint32_t words[2];
  // `true` for a race between groups.
  bool is_between_groups;
  // Number of `parties`: 2 of a race, 4 of a barrier, else 1.
  uint32_t party_count;
  // The accesses, in the order in which they happened; of a barrier the first and the last thread that go to it, then
  // the first and the last that do not.
  BrolgaParty parties[4];
  // The barrier; or the instruction that used what was read, if only that made it a finding. Its text is NULL if there
  // is none.
  BrolgaInstruction other;
  // Number of occurrences: of a race pairs of accesses.
  uint64_t count;
  // What the shader's source calls the subject; NULL if its file does not say so.
  const char *name;
} BrolgaFinding;

// What a checked dispatch did.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Number of groups that ran.
  uint64_t groups;
  // Words of views whose accesses were remembered.
  uint64_t watched_words;
  // Accesses to views beyond the limit, which were not checked for races.
  uint64_t unwatched;
  // Reads past an end, or of what nothing wrote, whose results nothing used.
  uint64_t unused_reads;
  // Groups that seemed to do the same as others, which were looked at: the findings of these stand for theirs.
  uint64_t alike;
} BrolgaCheckSummary;

// Components of an output that are streamed out, or a gap.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The output's semantic, in letters of either case, with its number: "TEXCOORD1"; NULL, the default, for a gap,
  // whose bytes in the buffer stay as they are.
  const char *semantic;
  // The stream, 0 to 3; 0 by default. A slot takes entries of one stream only.
  uint32_t stream;
  // The first of the output's components, 0 to 3; 0 by default.
  uint32_t start_component;
  // Number of components, of 4 bytes each.
  uint32_t component_count;
  // The slot of the buffer, 0 to 3; 0 by default.
  uint32_t slot;
} BrolgaStreamOutputEntry;

// The outputs that a pipeline streams out: those of its geometry shader, or without one of its domain or vertex shader.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Components and gaps, in the order in which they follow one another in each buffer.
  const BrolgaStreamOutputEntry *entries;
  // Number of entries, at most 512.
  size_t entry_count;
  // Distances between vertices in bytes, from slot 0 on, multiples of 4 up to 2048. In slots without one, vertices
  // are as long as their entries.
  const uint32_t *strides;
  // Number of strides, at most 4.
  size_t stride_count;
  // The stream that is rasterized, too; 0 by default, UINT32_MAX for none.
  uint32_t rasterized_stream;
} BrolgaStreamOutput;

// A buffer that a draw streams vertices out to.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The buffer; NULL, the default, for none. The streams of such a slot write nothing.
  const BrolgaBuffer *buffer;
  // The byte from which on it is written, a multiple of 4; 0 by default. UINT64_MAX to go on behind what was streamed
  // out to it before, wherever that was: see brolga_buffer_filled_bytes.
  uint64_t offset_bytes;
} BrolgaStreamTarget;

// An element of a vertex, which supplies an input of the vertex shader.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The semantic, in letters of either case, with its number: "TEXCOORD1".
  const char *semantic;
  // The format of its bytes: a BrolgaFormat, or a number of DXGI_FORMAT.
  uint32_t format;
  // The slot of the vertex buffer.
  uint32_t slot;
  // Offset from the start of a vertex in bytes.
  uint32_t offset_bytes;
  // `true` if it advances by instances, not by vertices.
  bool is_per_instance;
  // Number of instances after which it advances, if so; 0 for never.
  uint32_t instance_step;
} BrolgaInputElement;

// The shaders and the state of a pipeline. Defaults are those of Direct3D 11.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The container of the vertex shader.
  const void *vertex_shader;
  // Its size in bytes.
  size_t vertex_shader_bytes;
  // The container of the pixel shader; NULL, as by default, to draw depth only.
  const void *pixel_shader;
  // Its size in bytes.
  size_t pixel_shader_bytes;
  // The input layout of the vertex shader.
  const BrolgaInputElement *inputs;
  // Number of elements in it.
  size_t input_count;
  // The targets: output o0 goes to the first one, and so on.
  const BrolgaTargetState *targets;
  // Number of targets, at most 8.
  size_t target_count;
  // The format of the depth buffer: a BrolgaFormat, or a number of DXGI_FORMAT; 0, the default, for none.
  uint32_t depth_format;
  // The primitive topology; BROLGA_TOPOLOGY_TRIANGLE_LIST by default.
  BrolgaTopology topology;
  // The depth and stencil tests; NULL for the defaults.
  const BrolgaDepthState *depth;
  // The fill mode of triangles; BROLGA_FILL_SOLID by default.
  BrolgaFill fill;
  // The triangles that are culled; BROLGA_CULL_BACK by default.
  BrolgaCull cull;
  // Constant bias of the depth of triangles, in units of the depth buffer; 0 by default, like the next two.
  int32_t depth_bias;
  // Bias of the depth in proportion to its slope from pixel to pixel.
  float slope_scaled_depth_bias;
  // Limit of the sum of both.
  float depth_bias_clamp;
  // `true` if counter-clockwise triangles are front-facing; by default clockwise ones are.
  bool front_counter_clockwise;
  // `true` if triangles are clipped where depth leaves 0 to 1, the default. Otherwise depth is clamped.
  bool depth_clip;
  // `true` if lines are rectangles 1.4 pixels wide: MultisampleEnable.
  bool multisample;
  // `true` if the alpha of the first output says how many samples of a pixel are drawn; a single one is where it is
  // above a half.
  bool alpha_to_coverage;
  // The options of compilation; NULL for the defaults. They have no states of stages.
  const BrolgaCompileOptions *compile;
  // The options for the pixel shader, if they differ from those for the vertex shader; NULL by default.
  const BrolgaCompileOptions *pixel_compile;
  // The number of samples of the targets and the depth buffer: 1, 2, 4 or 8; 1 by default.
  uint32_t samples;
  // `true` if all of these samples lie at the center of a pixel; `false` for the standard pattern, as by default.
  bool center_pattern;
  // The number of samples of a pixel that primitives cover, whatever the targets have: 1, 4, 8 or 16; 0, the default,
  // for those of the targets. More than 1 need targets of one sample, or none. ForcedSampleCount.
  uint32_t forced_samples;
  // `true` for conservative rasterization: triangles cover every pixel that they touch.
  bool conservative;
  // The container of the geometry shader, which takes the primitives of the topology, or those that the tessellator
  // makes; NULL, as by default, for none.
  const void *geometry_shader;
  // Its size in bytes.
  size_t geometry_shader_bytes;
  // The options for the geometry shader, if they differ from those for the vertex shader; NULL by default.
  const BrolgaCompileOptions *geometry_compile;
  // What is streamed out; NULL, the default, for nothing.
  const BrolgaStreamOutput *stream_output;
  // The container of the hull shader, which takes the patches of the topology; NULL, as by default, for none. With it
  // goes a domain shader.
  const void *hull_shader;
  // Its size in bytes.
  size_t hull_shader_bytes;
  // The options for the hull shader, if they differ from those for the vertex shader; NULL by default.
  const BrolgaCompileOptions *hull_compile;
  // The container of the domain shader, which goes with a hull shader; NULL, as by default, for none.
  const void *domain_shader;
  // Its size in bytes.
  size_t domain_shader_bytes;
  // The options for the domain shader, if they differ from those for the vertex shader; NULL by default.
  const BrolgaCompileOptions *domain_compile;
} BrolgaPipelineOptions;

// The targets of a pass, and its limits.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The targets: views of textures, whose first mip level and all layers are drawn to. All have the same number of
  // samples.
  const BrolgaView *const *targets;
  // Number of targets, at most 8.
  size_t target_count;
  // The depth buffer, a view of a texture with a format of depths; NULL, the default, for none.
  const BrolgaView *depth;
  // `true` if depths are never written, whatever the state of draws, so that shaders may read them meanwhile.
  bool has_read_only_depth;
  // `true` if stencils are never written.
  bool has_read_only_stencil;
  // Stops draws when cancelled; may be NULL.
  const BrolgaCancelToken *cancel;
  // Receives the number of primitives drawn; may be NULL.
  const BrolgaProgress *progress;
  // Stops each flush after this many nanoseconds; 0, the default, for no limit.
  uint64_t time_limit_ns;
  // Number of loop iterations of a shader after which draws stop; 0, the default, for no limit.
  uint64_t fuel;
  // Collects what shaders print; may be NULL.
  const BrolgaMessages *messages;
} BrolgaPassOptions;

// A vertex buffer.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The buffer that holds the vertices.
  const BrolgaBuffer *buffer;
  // Offset of the first vertex, a multiple of 4.
  uint64_t offset_bytes;
  // Distance between vertices in bytes.
  uint32_t stride_bytes;
} BrolgaVertexBuffer;

// A viewport: a part of the targets, and its range of depths.
typedef struct {
  // The left edge, in pixels.
  float left;
  // The upper edge.
  float top;
  // Width in pixels.
  float width;
  // Height in pixels.
  float height;
  // The depth in the buffer for a depth of 0.
  float min_depth;
  // The depth in the buffer for a depth of 1.
  float max_depth;
} BrolgaViewport;

// A rectangle of pixels: from its upper left corner up to, and without, the row and column at its end.
typedef struct {
  // The first column.
  int32_t left;
  // The first row.
  int32_t top;
  // The column after the last one.
  int32_t right;
  // The row after the last one.
  int32_t bottom;
} BrolgaRectangle;

// The options of a draw.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // The shaders and their state.
  const BrolgaPipeline *pipeline;
  // The bindings of the vertex shader; may be NULL. Views that it does not declare are ignored.
  const BrolgaBindings *vertex_bindings;
  // The bindings of the pixel shader; may be NULL. Likewise.
  const BrolgaBindings *pixel_bindings;
  // Vertex buffers, from slot 0 on.
  const BrolgaVertexBuffer *vertex_buffers;
  // Number of vertex buffers.
  size_t vertex_buffer_count;
  // The index buffer, if vertices are read through one; NULL by default.
  const BrolgaBuffer *index_buffer;
  // Offset of the first index.
  uint64_t index_offset_bytes;
  // `true` if indices have 16 bits, not 32.
  bool has_short_indices;
  // The stencil reference value; 0 by default.
  uint8_t stencil_reference;
  // Number of vertices, or indices, of an instance.
  uint32_t count;
  // The first vertex, or index.
  uint32_t first;
  // Value added to each index.
  int32_t base_vertex;
  // Number of instances; 1 by default.
  uint32_t instances;
  // The first instance, for buffers that advance by instances.
  uint32_t first_instance;
  // Mask of the samples that are drawn, a bit each; without multisampling the lowest bit counts. By default all.
  uint32_t sample_mask;
  // Viewports, among which the last shader before the pixel shader may choose; none, the default, for the whole of the
  // targets.
  const BrolgaViewport *viewports;
  // Number of viewports, at most 16.
  size_t viewport_count;
  // Scissor rectangles, one for each viewport; none, the default, to draw all of a viewport.
  const BrolgaRectangle *scissors;
  // Number of scissor rectangles: 0, or as many as viewports, or 1 where there are none.
  size_t scissor_count;
  // The blend factor: red, green, blue, alpha; ones by default.
  float blend_factor[4];
  // The bindings of the geometry shader; may be NULL. Views that it does not declare are ignored.
  const BrolgaBindings *geometry_bindings;
  // The buffers that vertices are streamed out to, from slot 0 on; none by default. Streams of slots without one
  // write nothing.
  const BrolgaStreamTarget *stream_targets;
  // Number of those buffers, at most 4.
  size_t stream_target_count;
  // The bindings of the hull shader; may be NULL. Views that it does not declare are ignored.
  const BrolgaBindings *hull_bindings;
  // The bindings of the domain shader; may be NULL. Likewise.
  const BrolgaBindings *domain_bindings;
} BrolgaDrawOptions;

// Primitives of a stream.
typedef struct {
  // Primitives that were written (NumPrimitivesWritten).
  uint64_t written;
  // Primitives that would have been written with enough room (PrimitivesStorageNeeded).
  uint64_t needed;
} BrolgaStreamStatistics;

// Counts of a draw, or of all draws of a query: those of D3D11_QUERY_DATA_PIPELINE_STATISTICS, samples and streams.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Vertices that the topology refers to, each as often as it does (IAVertices).
  uint64_t vertices;
  // Primitives assembled from them (IAPrimitives).
  uint64_t primitives;
  // Invocations of the vertex shader (VSInvocations).
  uint64_t vertex_invocations;
  // Patches for which the hull shader ran (HSInvocations).
  uint64_t hull_invocations;
  // Invocations of the domain shader, one for each point of a patch (DSInvocations).
  uint64_t domain_invocations;
  // Invocations of the geometry shader (GSInvocations).
  uint64_t geometry_invocations;
  // Primitives that it emitted, into all streams (GSPrimitives).
  uint64_t geometry_primitives;
  // Primitives that reached clipping (CInvocations).
  uint64_t clipper_invocations;
  // Primitives after clipping (CPrimitives).
  uint64_t clipper_primitives;
  // Invocations of the pixel shader, without helper pixels (PSInvocations).
  uint64_t pixel_invocations;
  // Samples that passed all tests, as counted by occlusion queries; without multisampling these are pixels.
  uint64_t samples;
  // Primitives that were streamed out, of each stream.
  BrolgaStreamStatistics streams[4];
} BrolgaPipelineStatistics;

// Counts of a draw, as in Direct3D's queries. BrolgaPipelineStatistics has those of all stages.
typedef struct {
  // Vertices that the topology refers to, each as often as it does (IAVertices).
  uint64_t vertices;
  // Primitives assembled from them (IAPrimitives).
  uint64_t primitives;
  // Invocations of the vertex shader (VSInvocations).
  uint64_t vertex_invocations;
  // Primitives that reached clipping (CInvocations).
  uint64_t clipper_invocations;
  // Primitives after clipping (CPrimitives).
  uint64_t clipper_primitives;
  // Invocations of the pixel shader, without helper pixels (PSInvocations).
  uint64_t pixel_invocations;
  // Samples that passed all tests, as counted by occlusion queries; without multisampling these are pixels.
  uint64_t samples;
  // Zero.
  uint64_t reserved;
} BrolgaStatistics;

// The result of a query of any kind but BROLGA_QUERY_KIND_PIPELINE_STATISTICS. What is of other kinds is 0.
typedef struct {
  // Size of this struct in bytes, set by its init function.
  size_t size;
  // Samples, of BROLGA_QUERY_KIND_OCCLUSION.
  uint64_t samples;
  // Nanoseconds since the device was made, of BROLGA_QUERY_KIND_TIMESTAMP: they never run backwards, and are never
  // disjoint.
  uint64_t time_ns;
  // Primitives, of BROLGA_QUERY_KIND_SO_STATISTICS and those of a stream.
  BrolgaStreamStatistics stream;
  // The result of a predicate: `true` if any sample passed, or if there was too little room.
  bool result;
} BrolgaQueryData;

// The words of one array of a batch.
typedef struct {
  // The words, at a multiple of 4.
  uint32_t *words;
  // Number of words.
  size_t count;
  // `true` if the shader writes them. Such an array must not overlap any other.
  bool is_written;
} BrolgaArray;

// A shader as a whole.
typedef struct {
  // Stage and model: "cs_5_0".
  const char *profile;
  // The compiler's name; NULL if the file has none.
  const char *creator;
  // Number of threads of a group along x, y and z; zeros unless it is a compute shader.
  uint32_t group_size[3];
  // Number of ranges of registers that are bound: brolga_reflection_binding.
  uint32_t binding_count;
  // Number of elements of its inputs: brolga_reflection_input.
  uint32_t input_count;
  // Number of elements of its outputs: brolga_reflection_output.
  uint32_t output_count;
  // Number of variables of its constant buffers, and members of the elements of structured buffers:
  // brolga_reflection_variable.
  uint32_t variable_count;
  // Zero.
  uint32_t reserved;
  // Size of the shared memory of a group in bytes.
  uint64_t shared_bytes;
} BrolgaReflectedShader;

// A range of registers that is bound.
typedef struct {
  // The name in the source; NULL if the file has none.
  const char *name;
  // The first register: "b0", "t3". brolga_bindings_set takes it, with ",space" and its space if that is not 0.
  const char *place;
  // The kind of resource: "constant", "raw", "structured", "typed", "texture2d" and the like, "sampler".
  const char *kind;
  // The type of its elements: "float4", "unorm4"; empty if it has none.
  const char *format;
  // The register space.
  uint32_t space;
  // Number of registers; 0 for an unbounded array.
  uint32_t count;
  // Size of a structure in bytes; 0 if it has none.
  uint32_t stride_bytes;
  // 1 for a sampler that compares, else 0.
  uint32_t is_comparison;
} BrolgaReflectedBinding;

// An element of a shader's inputs or outputs.
typedef struct {
  // The semantic name, without its number.
  const char *name;
  // The register: "v0", "o1", "oDepth".
  const char *place;
  // The system value, as a listing names it; NULL for none.
  const char *system_value;
  // The type of its components: "float"; NULL if the file does not say.
  const char *format;
  // The number after the name.
  uint32_t index;
  // Mask of its components, x in the lowest bit.
  uint32_t mask;
} BrolgaReflectedElement;

// A variable of a constant buffer, or a member of the elements of a structured buffer.
typedef struct {
  // The buffer's name; empty for constants of Direct3D 9.
  const char *buffer;
  // The name in the source; of a member with those of the structures that contain it: "lamp.colour".
  const char *name;
  // Its type, without the length of an array: "float4x4".
  const char *type_name;
  // The first register of constants of Direct3D 9: "c4"; NULL in buffers.
  const char *place;
  // Its offset in the buffer in bytes.
  uint32_t offset_bytes;
  // Its size in bytes; 0 for members of a structure.
  uint32_t size_bytes;
  // Number of elements of an array; 0 if it is none.
  uint32_t element_count;
  // 1 if the program reads it, else 0.
  uint32_t is_used;
} BrolgaReflectedVariable;

// An element of a vertex shader's first array: a vertex.
typedef struct {
  // Its index in buffers that advance per vertex.
  uint32_t index;
  // Its number for the shader: SV_VertexID.
  uint32_t id;
  // Its instance, from 0 on: SV_InstanceID.
  uint32_t instance_id;
  // The first instance of the draw.
  uint32_t first_instance;
} BrolgaBatchVertex;

// An element of a pixel shader's first array: a quad of 2 x 2 pixels.
typedef struct {
  // Column and row of its upper left pixel, both even. With several samples that is the lower half of each word, and
  // the upper halves are another word of coverage: of up to 8 samples, all that the primitive covers, whatever the
  // sample mask and tests have left of them in `coverage`; of 16, samples 8 to 15. In conservative rasterization it is
  // the pixels that the primitive touches, and four bits above for those that lie inside.
  uint32_t corner[2];
  // The number of its primitive in the second array. Where the shader runs for each sample, the [upper
  // bits](SAMPLE_BITS) are the number of the sample.
  uint32_t primitive;
  // Covered pixels, one bit each: upper left, upper right, lower left, lower right. Those of further samples are the
  // bits above; with one sample, in conservative rasterization, they are the pixels that lie inside.
  uint32_t coverage;
} BrolgaBatchQuad;

// An element of a pixel shader's second array: a primitive. Its attributes follow it: for each register of a vertex
// twelve words, namely four of the leading vertex and, as floats, the differences of the second and third vertex from
// it.
//
// The planes are of depth, of 1/w, and of the barycentric weights of the second and third vertex over their w.
typedef struct {
  // The pixel at whose centre the planes have their values: column and row.
  uint32_t origin[2];
  // 1 if it is front-facing, else 0.
  uint32_t is_front;
  // Its number in its instance: SV_PrimitiveID.
  uint32_t id;
  // The planes' values at the origin.
  float values[4];
  // The planes' increments per pixel to the right.
  float along_x[4];
  // The planes' increments per pixel down.
  float along_y[4];
  // The w of the second and the third vertex.
  float w[2];
  // Zeros.
  uint32_t reserved[2];
} BrolgaBatchPrimitive;

// A pixel shader's third array, of one element: the state that changes from batch to batch without other code.
typedef struct {
  // The blend factor: red, green, blue, alpha.
  float blend_factor[4];
  // The minimum and maximum depth of the viewport.
  float depths[2];
  // The number of the one primitive of all quads, plus 1; 0 if there may be several.
  uint32_t primitive;
  // The stencil reference.
  uint32_t stencil_reference;
  // The layer of targets and depth buffer to draw to, if they are arrays.
  uint32_t layer;
  // Read-only parts of the depth buffer, whatever its tests say: 1 for depths, 2 for stencils, or their sum. With
  // several samples, the [bits above](SAMPLE_MASK) are the sample mask.
  uint32_t read_only;
  // Zeros, except under Direct3D 9.
  uint32_t reserved[6];
} BrolgaBatchState;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the name of a code, for messages: "binding". "unknown" if there is no such code. It lives as long as the
// program.
const char *brolga_code_name(uint32_t code);

// Makes a token that is not cancelled.
BrolgaCode brolga_cancel_token_create(BrolgaCancelToken **token, BrolgaError *error);

// Destroys a token. The work that it was given to goes on.
BrolgaCode brolga_cancel_token_destroy(BrolgaCancelToken *token);

// Stops all work that has this token, and any that gets it later. Such work ends with BROLGA_CODE_STOPPED.
BrolgaCode brolga_cancel_token_cancel(const BrolgaCancelToken *token, BrolgaError *error);

// Makes a progress counter of 0.
BrolgaCode brolga_progress_create(BrolgaProgress **progress, BrolgaError *error);

// Destroys a progress counter.
BrolgaCode brolga_progress_destroy(BrolgaProgress *progress);

// Returns the number of groups that are done by now; of a pass, primitives.
BrolgaCode brolga_progress_done(const BrolgaProgress *progress, uint64_t *done, BrolgaError *error);

// Fills a message with the defaults. `size` is sizeof(BrolgaMessage).
BrolgaCode brolga_message_init(BrolgaMessage *message, size_t size);

// Makes an object that keeps `most` messages until they are taken: the first ones. 0 stands for 65,536. A message has
// up to a kilobyte.
BrolgaCode brolga_messages_create(size_t most, BrolgaMessages **messages, BrolgaError *error);

// Destroys it, with the texts of its messages. Runs that it was given to go on.
BrolgaCode brolga_messages_destroy(BrolgaMessages *messages);

// Takes the messages that were collected since the call before, for brolga_messages_get, and returns their number.
// Those taken before go, with their texts.
BrolgaCode brolga_messages_take(const BrolgaMessages *messages, size_t *count, BrolgaError *error);

// Returns one of the messages that were taken last, by its number. Its texts stay until brolga_messages_take is called
// again, or the object is destroyed. The struct has the size that its init function sets.
BrolgaCode brolga_messages_get(const BrolgaMessages *messages,
                               size_t number,
                               BrolgaMessage *message,
                               BrolgaError *error);

// Returns the number of messages, since the object was made, that were not kept.
BrolgaCode brolga_messages_lost(const BrolgaMessages *messages, uint64_t *lost, BrolgaError *error);

// Returns the library's version: "0.1.0". It lives as long as the program.
const char *brolga_version(void);

// Fills options with the defaults. `size` is sizeof(BrolgaDeviceOptions).
BrolgaCode brolga_device_options_init(BrolgaDeviceOptions *device_options, size_t size);

// Makes a device. `device_options` may be NULL. Fails if threads do not start (BROLGA_CODE_SYSTEM), or the cache's
// folder is not private.
BrolgaCode brolga_device_create(const BrolgaDeviceOptions *device_options, BrolgaDevice **device, BrolgaError *error);

// Destroys a device. The objects that it made live on, and its threads until the last of them is destroyed.
BrolgaCode brolga_device_destroy(BrolgaDevice *device);

// Returns the number of threads that work on a dispatch, the caller's included.
BrolgaCode brolga_device_threads(const BrolgaDevice *device, uint32_t *threads, BrolgaError *error);

// Returns the counts of the cache; zeros if there is none.
BrolgaCode brolga_device_cache_counters(const BrolgaDevice *device, BrolgaCacheCounters *counters, BrolgaError *error);

// Makes a buffer of `size_bytes` bytes: a copy of those at `data`, or zeros if that is NULL.
BrolgaCode brolga_buffer_create(const BrolgaDevice *device,
                                uint64_t size_bytes,
                                const void *data,
                                BrolgaBuffer **buffer,
                                BrolgaError *error);

// Makes a buffer over memory of the caller's, which is not copied. `data` must be a multiple of 4. Unless
// `is_writable` is set, shaders may only read it.
//
// The memory must stay valid until `release` is called with `context`: when the buffer, all views and textures of it,
// and everything that they are bound to, are destroyed. If the call fails, `release` is not called. Shaders change the
// memory while they run; whoever reads it meanwhile gets old or new words.
BrolgaCode brolga_buffer_wrap(void *data,
                              size_t size_bytes,
                              bool is_writable,
                              BrolgaRelease release,
                              void *context,
                              BrolgaBuffer **buffer,
                              BrolgaError *error);

// Makes a buffer that maps a file. If `is_writable` is set, writes of shaders reach the file.
//
// The file must not be shortened while the buffer is used: the system ends a process that accesses a page that is
// gone.
BrolgaCode brolga_buffer_map(const BrolgaDevice *device,
                             const char *path,
                             bool is_writable,
                             BrolgaBuffer **buffer,
                             BrolgaError *error);

// Destroys a buffer. Its bytes stay while anything uses them.
BrolgaCode brolga_buffer_destroy(BrolgaBuffer *buffer);

// Returns the size of a buffer in bytes.
BrolgaCode brolga_buffer_size(const BrolgaBuffer *buffer, uint64_t *size_bytes, BrolgaError *error);

// Returns the byte of a buffer at which the last stream output to it ended; 0 if there was none. Draws that are queued
// are not counted: stream output goes on there, and brolga_pass_draw_auto ends there.
BrolgaCode brolga_buffer_filled_bytes(const BrolgaBuffer *buffer, uint64_t *filled_bytes, BrolgaError *error);

// Reads `size_bytes` bytes from byte `offset_bytes` of the buffer on.
BrolgaCode brolga_buffer_read(const BrolgaBuffer *buffer,
                              uint64_t offset_bytes,
                              void *to,
                              size_t size_bytes,
                              BrolgaError *error);

// Writes `size_bytes` bytes from byte `offset_bytes` of the buffer on.
BrolgaCode brolga_buffer_write(const BrolgaBuffer *buffer,
                               uint64_t offset_bytes,
                               const void *from,
                               size_t size_bytes,
                               BrolgaError *error);

// Writes changes of a mapped file to disk, and waits. It does nothing for other buffers.
BrolgaCode brolga_buffer_flush(const BrolgaBuffer *buffer, BrolgaError *error);

// Fills options with the defaults. `size` is sizeof(BrolgaTextureOptions).
BrolgaCode brolga_texture_options_init(BrolgaTextureOptions *texture_options, size_t size);

// Makes a texture: a copy of all its texels at `data`, packed as in BrolgaTextureOptions, or zeros if that is NULL.
// `size_bytes` is the size of `data`, which must be that of the texture; 0 if there is none.
BrolgaCode brolga_texture_create(const BrolgaDevice *device,
                                 const BrolgaTextureOptions *texture_options,
                                 const void *data,
                                 size_t size_bytes,
                                 BrolgaTexture **texture,
                                 BrolgaError *error);

// Makes a texture whose texels are a buffer's bytes: of a mapped file, or of memory of the caller's.
BrolgaCode brolga_texture_of_buffer(const BrolgaBuffer *buffer,
                                    const BrolgaTextureOptions *texture_options,
                                    BrolgaTexture **texture,
                                    BrolgaError *error);

// Destroys a texture. Its texels stay while anything uses them.
BrolgaCode brolga_texture_destroy(BrolgaTexture *texture);

// Makes a buffer of all texels, which it shares with the texture.
BrolgaCode brolga_texture_buffer(const BrolgaTexture *texture, BrolgaBuffer **buffer, BrolgaError *error);

// Returns the box of a whole mip level of a layer.
BrolgaCode brolga_texture_level(const BrolgaTexture *texture,
                                uint32_t mip,
                                uint32_t layer,
                                BrolgaTexelBox *level,
                                BrolgaError *error);

// Writes the texels of a box, slice by slice, row by row. Without a box (NULL) it is mip level 0 of layer 0.
// `row_pitch_bytes` is the distance between rows at `from`, of rows of blocks if there are any; 0 means that they are
// packed. `size_bytes` is the size of `from`; bytes after the last row are ignored.
BrolgaCode brolga_texture_write(const BrolgaTexture *texture,
                                const BrolgaTexelBox *to_box,
                                const void *from,
                                size_t size_bytes,
                                uint64_t row_pitch_bytes,
                                BrolgaError *error);

// Reads the texels of a box, in the order of brolga_texture_write. Padding between rows is unchanged.
BrolgaCode brolga_texture_read(const BrolgaTexture *texture,
                               const BrolgaTexelBox *from_box,
                               void *to,
                               size_t size_bytes,
                               uint64_t row_pitch_bytes,
                               BrolgaError *error);

// Generates all mip levels of all layers but the first, each from the one before: 2 x 2 texels become their mean, or 2
// x 2 x 2.
BrolgaCode brolga_texture_generate_mips(const BrolgaTexture *texture, BrolgaError *error);

// Resolves a layer of a texture with several samples to a texture with one sample: each texel becomes the mean of its
// samples. `to_box` is a whole mip level of a layer with the same extents, as brolga_texture_level returns it; NULL
// for the first one. `format_of_both` says how texels are seen: a BrolgaFormat, or a number of DXGI_FORMAT; 0 for the
// format of `to`. Integers and depths have no mean.
BrolgaCode brolga_texture_resolve(const BrolgaTexture *from,
                                  uint32_t from_layer,
                                  const BrolgaTexture *to,
                                  const BrolgaTexelBox *to_box,
                                  uint32_t format_of_both,
                                  BrolgaError *error);

// Fills options with the defaults. `size` is sizeof(BrolgaBufferViewOptions).
BrolgaCode brolga_buffer_view_options_init(BrolgaBufferViewOptions *view_options, size_t size);

// Fills options with the defaults. `size` is sizeof(BrolgaTextureViewOptions).
BrolgaCode brolga_texture_view_options_init(BrolgaTextureViewOptions *view_options, size_t size);

// Fills options with the defaults. `size` is sizeof(BrolgaSamplerOptions).
BrolgaCode brolga_sampler_options_init(BrolgaSamplerOptions *sampler_options, size_t size);

// Makes a view of a buffer. `view_options` may be NULL: a raw view of all of it.
BrolgaCode brolga_view_of_buffer(const BrolgaBuffer *buffer,
                                 const BrolgaBufferViewOptions *view_options,
                                 BrolgaView **view,
                                 BrolgaError *error);

// Makes a view of a texture. `view_options` may be NULL: the whole texture, in its own kind and format.
BrolgaCode brolga_view_of_texture(const BrolgaTexture *texture,
                                  const BrolgaTextureViewOptions *view_options,
                                  BrolgaView **view,
                                  BrolgaError *error);

// Makes a sampler, which is bound like a view. `sampler_options` may be NULL.
BrolgaCode brolga_view_of_sampler(const BrolgaSamplerOptions *sampler_options, BrolgaView **view, BrolgaError *error);

// Destroys a view. Objects to which it was bound keep it alive.
BrolgaCode brolga_view_destroy(BrolgaView *view);

// Returns the value of a view's hidden counter.
BrolgaCode brolga_view_counter(const BrolgaView *view, uint32_t *value, BrolgaError *error);

// Changes the value of a view's hidden counter.
BrolgaCode brolga_view_set_counter(const BrolgaView *view, uint32_t value, BrolgaError *error);

// Clears all texels that a view of a texture sees to a colour: red, green, blue and alpha.
BrolgaCode brolga_view_clear(const BrolgaView *view, const float *color, BrolgaError *error);

// Fills options with the defaults. `size` is sizeof(BrolgaClassInstanceOptions).
BrolgaCode brolga_class_instance_options_init(BrolgaClassInstanceOptions *class_instance_options, size_t size);

// Fills options with the defaults. `size` is sizeof(BrolgaCompileOptions).
BrolgaCode brolga_compile_options_init(BrolgaCompileOptions *compile_options, size_t size);

// Compiles the shader in the `size_bytes` bytes at `container`: a DXBC container of shader models 4.0 to 5.1 with a
// compute, vertex or pixel shader. They are not used after the call. `compile_options` may be NULL.
BrolgaCode brolga_shader_create(const BrolgaDevice *device,
                                const void *container,
                                size_t size_bytes,
                                const BrolgaCompileOptions *compile_options,
                                BrolgaShader **shader,
                                BrolgaError *error);

// Destroys a shader. Objects in which it is bound keep it alive.
BrolgaCode brolga_shader_destroy(BrolgaShader *shader);

// Returns the number of threads of a group along x, y and z: three numbers. All are 1 for shaders other than compute
// shaders.
BrolgaCode brolga_shader_group_size(const BrolgaShader *shader, uint32_t *group_size, BrolgaError *error);

// Returns the engine that runs a shader: BROLGA_ENGINE_JIT or BROLGA_ENGINE_INTERPRETER.
BrolgaCode brolga_shader_engine(const BrolgaShader *shader, uint32_t *engine, BrolgaError *error);

// Returns true if all code of a shader so far comes from the device's cache.
BrolgaCode brolga_shader_is_cached(const BrolgaShader *shader, bool *is_cached, BrolgaError *error);

// Makes bindings without views. `allowed` is 0, or a sum of BROLGA_ALLOW_UNBOUND and the like: by default, exactly the
// registers that a shader declares must be bound.
BrolgaCode brolga_bindings_create(uint32_t allowed, BrolgaBindings **bindings, BrolgaError *error);

// Destroys bindings.
BrolgaCode brolga_bindings_destroy(BrolgaBindings *bindings);

// Binds a view, replacing the one that was bound to the register. `place` is a register, as in "t0", "u1" or
// "b0,space2". With a shader it may be a name of its source too, as in "lights[2]"; `shader` may be NULL.
BrolgaCode brolga_bindings_set(const BrolgaBindings *bindings,
                               const BrolgaShader *shader,
                               const char *place,
                               const BrolgaView *view,
                               BrolgaError *error);

// Unbinds a register, if anything is bound to it. `shader` and `place` are those of brolga_bindings_set.
BrolgaCode brolga_bindings_remove(const BrolgaBindings *bindings,
                                  const BrolgaShader *shader,
                                  const char *place,
                                  BrolgaError *error);

// Fills options with the defaults. `size` is sizeof(BrolgaDispatchOptions).
BrolgaCode brolga_dispatch_options_init(BrolgaDispatchOptions *dispatch_options, size_t size);

// Runs a compute shader over groups of threads, once, and waits. `dispatch_options` may be NULL, for one group, and
// `report` may be NULL.
BrolgaCode brolga_dispatch(const BrolgaDevice *device,
                           const BrolgaShader *shader,
                           const BrolgaBindings *bindings,
                           const BrolgaDispatchOptions *dispatch_options,
                           BrolgaReport *report,
                           BrolgaError *error);

// Binds the views of `bindings` to a shader, to run it often. Later changes of `bindings` have no effect here.
BrolgaCode brolga_bound_create(const BrolgaDevice *device,
                               const BrolgaShader *shader,
                               const BrolgaBindings *bindings,
                               BrolgaBound **bound,
                               BrolgaError *error);

// Destroys a bound shader. Its workers remain usable.
BrolgaCode brolga_bound_destroy(BrolgaBound *bound);

// Binds another view to a register. `place` is a register or a name, as for brolga_bindings_set with a shader. If the
// view does not fit, nothing changes. Fails while the shader runs, and while it has workers
// (BROLGA_CODE_OUT_OF_ORDER).
BrolgaCode brolga_bound_set(const BrolgaBound *bound, const char *place, const BrolgaView *view, BrolgaError *error);

// Compiles code for dispatches of so many groups along x, y and z (three numbers), so that the first one need not.
BrolgaCode brolga_bound_prepare(const BrolgaBound *bound, const uint32_t *groups, BrolgaError *error);

// Runs a bound compute shader over groups of threads, and waits. `dispatch_options` may be NULL, for one group, and
// `report` may be NULL.
BrolgaCode brolga_bound_dispatch(const BrolgaBound *bound,
                                 const BrolgaDispatchOptions *dispatch_options,
                                 BrolgaReport *report,
                                 BrolgaError *error);

// Fills options with the defaults. `size` is sizeof(BrolgaCheckOptions).
BrolgaCode brolga_check_options_init(BrolgaCheckOptions *check_options, size_t size);

// Fills a finding with the defaults. `size` is sizeof(BrolgaFinding).
BrolgaCode brolga_finding_init(BrolgaFinding *finding, size_t size);

// Fills a summary with zeros. `size` is sizeof(BrolgaCheckSummary).
BrolgaCode brolga_check_summary_init(BrolgaCheckSummary *summary, size_t size);

// Runs a bound compute shader like brolga_bound_dispatch, but group by group on the calling thread, and checks what it
// does. That takes some hundred times as long. Results are those of a dispatch on one thread. Faults are findings, not
// errors: a group whose threads diverge at a barrier is one, and ends the run. Both structs of options may be NULL.
BrolgaCode brolga_bound_check(const BrolgaBound *bound,
                              const BrolgaDispatchOptions *dispatch_options,
                              const BrolgaCheckOptions *check_options,
                              BrolgaFindings **findings,
                              BrolgaError *error);

// Destroys findings, with their texts.
BrolgaCode brolga_findings_destroy(BrolgaFindings *findings);

// Returns the number of findings: 0 if nothing was found.
BrolgaCode brolga_findings_count(const BrolgaFindings *findings, size_t *count, BrolgaError *error);

// Returns a finding, by its number, in the order in which they first occurred. The struct has the size that its init
// function sets.
BrolgaCode brolga_findings_get(const BrolgaFindings *findings,
                               size_t number,
                               BrolgaFinding *finding,
                               BrolgaError *error);

// Returns what the dispatch did. The struct has the size that its init function sets.
BrolgaCode brolga_findings_summary(const BrolgaFindings *findings, BrolgaCheckSummary *summary, BrolgaError *error);

// Fills a state with the defaults. `size` is sizeof(BrolgaTargetState).
BrolgaCode brolga_target_state_init(BrolgaTargetState *target_state, size_t size);

// Fills a state with the defaults. `size` is sizeof(BrolgaDepthState).
BrolgaCode brolga_depth_state_init(BrolgaDepthState *depth_state, size_t size);

// Fills an entry with the defaults. `size` is sizeof(BrolgaStreamOutputEntry).
BrolgaCode brolga_stream_output_entry_init(BrolgaStreamOutputEntry *entry, size_t size);

// Fills a declaration with the defaults. `size` is sizeof(BrolgaStreamOutput).
BrolgaCode brolga_stream_output_init(BrolgaStreamOutput *stream_output, size_t size);

// Fills a target with the defaults. `size` is sizeof(BrolgaStreamTarget).
BrolgaCode brolga_stream_target_init(BrolgaStreamTarget *stream_target, size_t size);

// Fills an element with the defaults. `size` is sizeof(BrolgaInputElement).
BrolgaCode brolga_input_element_init(BrolgaInputElement *input_element, size_t size);

// Fills options with the defaults. `size` is sizeof(BrolgaPipelineOptions).
BrolgaCode brolga_pipeline_options_init(BrolgaPipelineOptions *pipeline_options, size_t size);

// Compiles the shaders. The memory that the options point to is not used after the call.
BrolgaCode brolga_pipeline_create(const BrolgaDevice *device,
                                  const BrolgaPipelineOptions *pipeline_options,
                                  BrolgaPipeline **pipeline,
                                  BrolgaError *error);

// Destroys a pipeline. Queued draws keep it alive.
BrolgaCode brolga_pipeline_destroy(BrolgaPipeline *pipeline);

// Returns the vertex shader of a pipeline, for the names of its registers.
BrolgaCode brolga_pipeline_vertex_shader(const BrolgaPipeline *pipeline, BrolgaShader **shader, BrolgaError *error);

// Returns the hull shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
BrolgaCode brolga_pipeline_hull_shader(const BrolgaPipeline *pipeline, BrolgaShader **shader, BrolgaError *error);

// Returns the domain shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
BrolgaCode brolga_pipeline_domain_shader(const BrolgaPipeline *pipeline, BrolgaShader **shader, BrolgaError *error);

// Returns the geometry shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
BrolgaCode brolga_pipeline_geometry_shader(const BrolgaPipeline *pipeline, BrolgaShader **shader, BrolgaError *error);

// Returns the pixel shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
BrolgaCode brolga_pipeline_pixel_shader(const BrolgaPipeline *pipeline, BrolgaShader **shader, BrolgaError *error);

// Fills options with the defaults. `size` is sizeof(BrolgaPassOptions).
BrolgaCode brolga_pass_options_init(BrolgaPassOptions *pass_options, size_t size);

// Fills a vertex buffer with the defaults. `size` is sizeof(BrolgaVertexBuffer).
BrolgaCode brolga_vertex_buffer_init(BrolgaVertexBuffer *vertex_buffer, size_t size);

// Fills options with the defaults. `size` is sizeof(BrolgaDrawOptions).
BrolgaCode brolga_draw_options_init(BrolgaDrawOptions *draw_options, size_t size);

// Begins a pass. The views are kept alive.
BrolgaCode brolga_pass_create(const BrolgaDevice *device,
                              const BrolgaPassOptions *pass_options,
                              BrolgaPass **pass,
                              BrolgaError *error);

// Destroys a pass. Queued draws are discarded: brolga_pass_flush draws them.
BrolgaCode brolga_pass_destroy(BrolgaPass *pass);

// Adds a draw. `number` gets its number in the pass, from 0 on, and may be NULL. The memory that the options point to
// is not used after the call, except the objects, which queued draws keep alive.
BrolgaCode brolga_pass_draw(const BrolgaPass *pass,
                            const BrolgaDrawOptions *draw_options,
                            uint64_t *number,
                            BrolgaError *error);

// Adds a draw whose counts are words of a buffer, from a byte offset on: vertices, instances, the first vertex, the
// first instance; with an index buffer indices, instances, the first index, the base vertex, the first instance. They
// are read now, after all draws before.
BrolgaCode brolga_pass_draw_indirect(const BrolgaPass *pass,
                                     const BrolgaDrawOptions *draw_options,
                                     const BrolgaBuffer *arguments,
                                     uint64_t offset_bytes,
                                     uint64_t *number,
                                     BrolgaError *error);

// Adds a draw of all the vertices that were streamed out to its first vertex buffer: from that one's offset on, up to
// brolga_buffer_filled_bytes, without a partial vertex at the end. It has one instance: `count`, `first`, `instances`
// and `first_instance` are ignored. It must have a vertex buffer with a stride, and no index buffer. DrawAuto.
BrolgaCode brolga_pass_draw_auto(const BrolgaPass *pass,
                                 const BrolgaDrawOptions *draw_options,
                                 uint64_t *number,
                                 BrolgaError *error);

// Clears a target, counted from 0, to a colour (red, green, blue, alpha), after the draws before.
BrolgaCode brolga_pass_clear_color(const BrolgaPass *pass, size_t target, const float *color, BrolgaError *error);

// Clears the depths of the depth buffer, after the draws before.
BrolgaCode brolga_pass_clear_depth(const BrolgaPass *pass, float depth, BrolgaError *error);

// Clears the stencils of the depth buffer, after the draws before.
BrolgaCode brolga_pass_clear_stencil(const BrolgaPass *pass, uint8_t stencil, BrolgaError *error);

// Writes bytes to a buffer like brolga_buffer_write, after the draws before, which see the old bytes.
BrolgaCode brolga_pass_update_buffer(const BrolgaPass *pass,
                                     const BrolgaBuffer *buffer,
                                     uint64_t offset_bytes,
                                     const void *from,
                                     size_t size_bytes,
                                     BrolgaError *error);

// Writes texels to a box of a texture like brolga_texture_write, after the draws before.
BrolgaCode brolga_pass_update_texture(const BrolgaPass *pass,
                                      const BrolgaTexture *texture,
                                      const BrolgaTexelBox *to_box,
                                      const void *from,
                                      size_t size_bytes,
                                      uint64_t row_pitch_bytes,
                                      BrolgaError *error);

// Draws all queued draws. After an error the targets hold the result of those before.
BrolgaCode brolga_pass_flush(const BrolgaPass *pass, BrolgaError *error);

// Fills statistics with zeros. `size` is sizeof(BrolgaPipelineStatistics).
BrolgaCode brolga_pipeline_statistics_init(BrolgaPipelineStatistics *statistics, size_t size);

// Returns the counts of a draw, by its number. Fails for one that is still queued (BROLGA_CODE_OUT_OF_ORDER).
BrolgaCode brolga_pass_statistics(const BrolgaPass *pass,
                                  uint64_t number,
                                  BrolgaStatistics *statistics,
                                  BrolgaError *error);

// Returns the counts of a draw in all stages, likewise. The struct has the size that its init function sets.
BrolgaCode brolga_pass_pipeline_statistics(const BrolgaPass *pass,
                                           uint64_t number,
                                           BrolgaPipelineStatistics *statistics,
                                           BrolgaError *error);

// Fills data with zeros. `size` is sizeof(BrolgaQueryData).
BrolgaCode brolga_query_data_init(BrolgaQueryData *query_data, size_t size);

// Begins a query: the draws from here to brolga_pass_end_query count. Queries may nest and overlap.
BrolgaCode brolga_pass_begin_query(const BrolgaPass *pass,
                                   BrolgaQueryKind kind,
                                   BrolgaQuery **query,
                                   BrolgaError *error);

// Destroys a query. Its pass still counts for others.
BrolgaCode brolga_query_destroy(BrolgaQuery *query);

// Ends a query. A timestamp draws all queued draws, whose end is its time. Fails if the query has ended, or is of
// another pass (BROLGA_CODE_CALL).
BrolgaCode brolga_pass_end_query(const BrolgaPass *pass, const BrolgaQuery *query, BrolgaError *error);

// Returns the result of a query that has ended, after all its draws: it draws them if they are queued. The struct has
// the size that its init function sets. Fails if the query has not ended, is of another pass, or is one of pipeline
// statistics (BROLGA_CODE_CALL).
BrolgaCode brolga_pass_query_data(const BrolgaPass *pass,
                                  const BrolgaQuery *query,
                                  BrolgaQueryData *query_data,
                                  BrolgaError *error);

// Returns the result of a query of BROLGA_QUERY_KIND_PIPELINE_STATISTICS, the sums of all its draws, likewise. Fails
// for one of another kind (BROLGA_CODE_CALL).
BrolgaCode brolga_pass_query_statistics(const BrolgaPass *pass,
                                        const BrolgaQuery *query,
                                        BrolgaPipelineStatistics *statistics,
                                        BrolgaError *error);

// Predicates what follows, as SetPredication does: draws, clears and updates are skipped if `result`, that of a
// predicate's query, equals `value`. So with the value `false` they happen only if a sample passed, or there was too
// little room. A draw that is skipped has a number, and counts of 0. The query may be one of another pass.
BrolgaCode brolga_pass_set_predication(const BrolgaPass *pass, bool result, bool value, BrolgaError *error);

// Ends predication: what follows is not skipped.
BrolgaCode brolga_pass_clear_predication(const BrolgaPass *pass, BrolgaError *error);

// Fills options with the defaults. `size` is sizeof(BrolgaVertexElement).
BrolgaCode brolga_vertex_element_init(BrolgaVertexElement *vertex_element, size_t size);

// Fills a state with the defaults. `size` is sizeof(BrolgaVertexState).
BrolgaCode brolga_vertex_state_init(BrolgaVertexState *vertex_state, size_t size);

// Fills a state with the defaults. `size` is sizeof(BrolgaPixelState).
BrolgaCode brolga_pixel_state_init(BrolgaPixelState *pixel_state, size_t size);

// Makes a worker of a bound shader, which it keeps alive.
BrolgaCode brolga_worker_create(const BrolgaBound *bound, BrolgaWorker **worker, BrolgaError *error);

// Destroys a worker.
BrolgaCode brolga_worker_destroy(BrolgaWorker *worker);

// Begins to run groups of a dispatch, or batches: reads the constant buffers, compiles code if necessary, and starts
// the time limit. The numbers of groups do not matter for batches. `dispatch_options` may be NULL. A worker may begin
// any number of times; each time ends the session before.
BrolgaCode brolga_worker_begin(const BrolgaWorker *worker,
                               const BrolgaDispatchOptions *dispatch_options,
                               BrolgaError *error);

// Runs the groups from number `first` up to, and without, number `end` of the dispatch, counted along x first, in
// order.
BrolgaCode brolga_worker_run(const BrolgaWorker *worker, uint64_t first, uint64_t end, BrolgaError *error);

// Returns the number of groups that fill packets: ranges that begin and end at multiples of it leave the fewest lanes
// idle.
BrolgaCode brolga_worker_quantum(const BrolgaWorker *worker, uint64_t *groups, BrolgaError *error);

// Runs a batch of `invocations` vertices or pixels: of these, four in a row are a quad. `arrays` are those of the
// stage, in order.
//
// Vertices with a BrolgaVertexState: a BrolgaBatchVertex for each; 32 words, the stride of each slot in bytes; and
// written, four words for each output register of each vertex. Pixels with a BrolgaPixelState: a BrolgaBatchQuad for
// every four; the primitives, each a BrolgaBatchPrimitive with its attributes; a BrolgaBatchState; and written, where
// the state reports live pixels, a word for each. Without a state: four words for each input register of each
// invocation, if it has inputs; and written, four words for each output register. Elements that an array of inputs
// lacks are zeros.
BrolgaCode brolga_worker_batch(const BrolgaWorker *worker,
                               uint32_t invocations,
                               const BrolgaArray *arrays,
                               size_t array_count,
                               BrolgaError *error);

// Destroys a blob.
BrolgaCode brolga_blob_destroy(BrolgaBlob *blob);

// Returns the bytes of a blob and their number, without the zero after them; `size_bytes` may be NULL. They stay until
// it is destroyed.
BrolgaCode brolga_blob_bytes(const BrolgaBlob *blob, const char **data, size_t *size_bytes, BrolgaError *error);

// Lists the shader in a container, or a program of Direct3D 9: as fxc lists it, or exactly, so that brolga_assemble
// makes the same bytes of it.
BrolgaCode brolga_disassemble(const void *container,
                              size_t size_bytes,
                              bool is_exact,
                              BrolgaBlob **listing,
                              BrolgaError *error);

// Describes a shader like `brolga info`: its bindings, its inputs and outputs, its size.
BrolgaCode brolga_describe(const void *container, size_t size_bytes, BrolgaBlob **description, BrolgaError *error);

// Assembles a listing, a text in UTF-8, to a container, or a program of Direct3D 9.
BrolgaCode brolga_assemble(const char *listing, BrolgaBlob **container, BrolgaError *error);

// Reads the declarations of the shader in a container, or of a program of Direct3D 9.
BrolgaCode brolga_reflection_create(const void *container,
                                    size_t size_bytes,
                                    BrolgaReflection **reflection,
                                    BrolgaError *error);

// Destroys a reflection, with its texts.
BrolgaCode brolga_reflection_destroy(BrolgaReflection *reflection);

// Returns the description of the shader as a whole.
BrolgaCode brolga_reflection_shader(const BrolgaReflection *reflection,
                                    BrolgaReflectedShader *shader,
                                    BrolgaError *error);

// Returns a range of registers, by its number.
BrolgaCode brolga_reflection_binding(const BrolgaReflection *reflection,
                                     uint32_t number,
                                     BrolgaReflectedBinding *binding,
                                     BrolgaError *error);

// Returns an input, by its number.
BrolgaCode brolga_reflection_input(const BrolgaReflection *reflection,
                                   uint32_t number,
                                   BrolgaReflectedElement *element,
                                   BrolgaError *error);

// Returns an output, by its number.
BrolgaCode brolga_reflection_output(const BrolgaReflection *reflection,
                                    uint32_t number,
                                    BrolgaReflectedElement *element,
                                    BrolgaError *error);

// Returns a variable, by its number.
BrolgaCode brolga_reflection_variable(const BrolgaReflection *reflection,
                                      uint32_t number,
                                      BrolgaReflectedVariable *variable,
                                      BrolgaError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BROLGA_H */
