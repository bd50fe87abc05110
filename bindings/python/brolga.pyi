"""Runs Direct3D shader bytecode on the CPU.

Arrays are used in place: NumPy's, and whatever else has the buffer protocol or DLPack. docs/python.md explains.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, Protocol, Self, TypeAlias, TypedDict, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer as _Exported

class _DLPack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

_Source: TypeAlias = bytes | str | PathLike[str]
"""A shader: its bytes, the path of a file, or a listing (a text of several lines)."""
_Array: TypeAlias = _Exported | _DLPack
"""What has the buffer protocol or DLPack."""
_Bindable: TypeAlias = _Array | Buffer | View | Texture | Sampler | Mapping[str, Any]
"""What a register takes; a mapping is the variables of a constant buffer, by name."""
_Groups: TypeAlias = int | Sequence[int]
"""Groups along x, or along x, y and z."""
_Input: TypeAlias = tuple[str, str] | tuple[str, str, int] | tuple[str, str, int, int] | tuple[str, str, int, int, int]
"""Semantic, format, offset in bytes, slot, step rate by instances."""
_StreamTarget: TypeAlias = _Array | Buffer | tuple[_Array | Buffer, int] | None
"""What is streamed out to, and perhaps the byte where writing begins: 0 by default, -1 to go on where the draw before ended."""

class _StreamStatistics(TypedDict):
    """Primitives of a stream: those that were written, and those that would have been with enough room."""

    written: int
    needed: int

class _Statistics(TypedDict):
    """What draws did, as Direct3D's queries count it; of each of the four streams, too."""

    vertices: int
    primitives: int
    vertex_invocations: int
    hull_invocations: int
    domain_invocations: int
    geometry_invocations: int
    geometry_primitives: int
    clipper_invocations: int
    clipper_primitives: int
    pixel_invocations: int
    samples: int
    streams: list[_StreamStatistics]

__version__: str

def assemble(listing: str) -> bytes:
    """The bytes of a shader from a listing, as `brolga asm` makes them."""

def listing(shader: _Source, *, exact: bool = False) -> str:
    """The listing of a shader: that of fxc's disassembler, or with `exact` one that loses nothing."""

def info(shader: _Source) -> dict[str, Any]:
    """What there is to know of a shader: bindings, signatures, constants with their places, counts (docs/json.md)."""

def assert_clean(bound: BoundShader, groups: _Groups, **options: Any) -> None:
    """Raises an AssertionError with all findings of `bound.check(groups, ...)`, if there are any."""

@final
class Device:
    """Where shaders run.

    `threads` is how many work on a dispatch, the calling one included; 0 means one for each processor. `cache` is a folder in
    which machine code is kept from one process to the next. Copies of compressed textures take at most `copy_bytes`, by default
    256 MiB; 0 means none.
    """

    def __new__(
        cls, threads: int = 0, *, cache: str | PathLike[str] | None = None, copy_bytes: int | None = None
    ) -> Self: ...
    @property
    def threads(self) -> int:
        """Threads that work on a dispatch."""

    def compile(
        self,
        shader: _Source,
        *,
        engine: str | None = None,
        instances: Mapping[str, str] | None = None,
        name: str | None = None,
        time_limit: float | None = None,
        cancel: CancelToken | None = None,
    ) -> Shader:
        """Compiles a compute shader.

        `engine` is "jit" or "interpreter"; by default the best. `instances` chooses what interface variables are bound to. It
        ends after `time_limit` seconds, and by Ctrl-C.
        """

    def texture(
        self,
        format: str,
        width: int,
        height: int = 1,
        *,
        depth: int = 1,
        layers: int | None = None,
        mips: int = 1,
        dimension: str | None = None,
        data: _Array | None = None,
        samples: int = 1,
        center_pattern: bool = False,
    ) -> Texture:
        """A texture of zeros, or over an array's memory: what arrays cannot say alone.

        Extents are texels. They are packed: for each layer, each sample, each mip level, each slice, each row. `dimension` is as
        in "texturecube"; by default it follows from the extents. With `samples`, 2, 4, 8 or 16, a 2D texture, or an array of
        them, is multisampled; with `center_pattern` all samples lie at the center of a pixel, not in the standard pattern.
        """

    def pipeline(
        self,
        vs: _Source,
        ps: _Source | None = None,
        *,
        hs: _Source | None = None,
        ds: _Source | None = None,
        gs: _Source | None = None,
        inputs: np.dtype[Any] | Sequence[_Input] | None = None,
        stream_output: np.dtype[Any] | Mapping[str, Any] | None = None,
        targets: Sequence[str] | None = None,
        depth: str | None = None,
        samples: int = 1,
        center_pattern: bool = False,
        topology: str = "TRIANGLELIST",
        rasterizer: Mapping[str, Any] = ...,
        depth_stencil: Mapping[str, Any] = ...,
        blend: Mapping[str, Any] = ...,
    ) -> Pipeline:
        """Compiles a vertex shader, a pixel shader and perhaps others between them, with the state around them, for draws of
        Direct3D 11. A hull shader `hs` and a domain shader `ds` go together, for a `topology` of patches, as in
        "3_CONTROL_POINT_PATCHLIST"; a geometry shader `gs` takes what comes before it.

        `inputs` fill the vertex shader's inputs: a dtype whose fields are named like the semantics, or tuples. `targets` and
        `depth` are formats, `samples` and `center_pattern` those of the textures that are drawn to. The rest is as in `pipelines`
        of documents (docs/document.md).

        `stream_output` says what is streamed out of the geometry shader, or without one of the domain or vertex shader: a dtype
        whose fields, of 4 bytes for each number, are named like the semantics, so that vertices are written as it has them, and
        stream 0 is drawn, too; or a dict with the keys of `stream_out` in documents.
        """

    def draw(
        self,
        draws: Sequence[Draw],
        targets: Sequence[_Array | View | Texture],
        *,
        depth: _Array | View | Texture | None = None,
        time_limit: float | None = None,
        cancel: CancelToken | None = None,
    ) -> list[_Statistics]:
        """Draws into targets, in order: arrays of rows of pixels, or textures, in the formats of the pipelines.

        What is there is drawn over. Returns for each draw what it did, as Direct3D's queries count it, and the primitives of the
        four streams.
        """

@final
class Shader:
    """A compiled shader. `Device.compile` makes it; any thread may use it."""

    @property
    def profile(self) -> str | None:
        """Stage and model, as in "cs_5_0"."""

    @property
    def group_size(self) -> list[int]:
        """Threads of a group along x, y and z."""

    @property
    def engine(self) -> str:
        """What runs it: "jit" or "interpreter"."""

    @property
    def registers(self) -> dict[str, str]:
        """The registers that it declares, with what each takes."""

    @property
    def info(self) -> dict[str, Any]:
        """What `brolga.info` says of it."""

    @property
    def container(self) -> bytes:
        """The bytes that it was compiled from."""

    def register(self, name: str) -> str:
        """The register that the source calls `name`, as in "u0"."""

    def dispatch(
        self,
        groups: _Groups,
        bindings: Mapping[str, _Bindable],
        *,
        first_group: _Groups | None = None,
        time_limit: float | None = None,
        fuel: int | None = None,
        cancel: CancelToken | None = None,
    ) -> Report:
        """Runs it over thread groups.

        `bindings` has something for each register, by its name in the source or in listings ("u0"). What the shader writes is in
        the arrays then. `first_group` is the position of the first group: threads see the positions of the whole dispatch. The
        run may be ended by `cancel`, by `time_limit` in seconds, by `fuel` (rounds of loops that a group may take) or by Ctrl-C.
        """

    def bind(self, bindings: Mapping[str, _Bindable]) -> BoundShader:
        """Checks bindings once, for many dispatches."""

@final
class BoundShader:
    """A shader with what is bound to it: bound once, dispatched often, from any thread. It keeps the arrays."""

    def dispatch(
        self,
        groups: _Groups,
        *,
        first_group: _Groups | None = None,
        time_limit: float | None = None,
        fuel: int | None = None,
        cancel: CancelToken | None = None,
    ) -> Report:
        """Runs it over thread groups, as `Shader.dispatch` does.

        Where the run before was short, the calling thread does the work itself, and Ctrl-C is handled after it.
        """

    def check(
        self,
        groups: _Groups,
        *,
        kinds: Sequence[str] | None = None,
        strict: bool = False,
        group: _Groups | None = None,
        shadow_words: int | None = None,
        first_group: _Groups | None = None,
        time_limit: float | None = None,
        fuel: int | None = None,
        cancel: CancelToken | None = None,
    ) -> list[Finding]:
        """Runs it as `dispatch` does, but group by group on one thread, and checks what it does: races, accesses past an end, reads
        of what nothing wrote, divergent barriers. That takes some hundred times as long.

        `kinds` are those of the findings that are asked for, by default all. With `strict` what is defined, but hardly meant, is
        reported, too: writes of the same value by several threads, texels outside of a texture. With `group` only findings in
        which that group takes part are. Accesses to at most `shadow_words` words of views are remembered, by default 2 Mi; a
        RuntimeWarning says how many others were not checked for races.
        """

    def set(self, name: str, value: _Bindable) -> None:
        """Binds something else to a register. It waits for runs."""

@final
class Report:
    """What a dispatch did."""

    @property
    def groups(self) -> int:
        """Groups that ran."""

    @property
    def threads(self) -> int:
        """Threads that ran."""

    @property
    def workers(self) -> int:
        """The most threads of this machine that took part."""

    @property
    def elapsed(self) -> float:
        """Seconds from the call to the end of the last group."""

    @property
    def compile(self) -> float:
        """Seconds of it spent compiling."""

    @property
    def messages(self) -> list[Message]:
        """What the shader printed, in the order of its threads."""

    @property
    def lost_messages(self) -> int:
        """How many more messages were not kept."""

@final
class Instruction:
    """An instruction of a shader, as listings have it."""

    @property
    def index(self) -> int | None:
        """Its number, counted from 0 with declarations left out; None if unknown."""

    @property
    def byte(self) -> int:
        """Its byte offset in the file."""

    @property
    def text(self) -> str:
        """Its text; empty if unknown."""

@final
class Message:
    """A message that a shader sent with printf or errorf. Its `str` is its text."""

    @property
    def text(self) -> str:
        """The text, with the operands."""

    @property
    def is_error(self) -> bool:
        """Whether it is one of errorf."""

    @property
    def sender(self) -> dict[str, Any]:
        """Who sent it.

        A dict with the `group` and `thread` of a compute shader, or with `vertex`, `patch`, `primitive`, `instance`, `location` or
        `pixel`.
        """

    @property
    def instruction(self) -> Instruction:
        """The instruction that sent it."""

@final
class Finding:
    """What `BoundShader.check` found: its first occurrence, and how many there were. Its `str` says all of it."""

    @property
    def kind(self) -> str:
        """Its kind: "race", "bounds", "uninitialised", "barrier", "misaligned" or "unbound"."""

    @property
    def subject(self) -> str | None:
        """What was accessed, as listings name it ("g0", "u2", "r3.y"); None for a barrier."""

    @property
    def name(self) -> str | None:
        """What the shader's source calls that; None if its file does not say so."""

    @property
    def parties(self) -> list[Party]:
        """The accesses in the order in which they happened: two of a race, else one.

        Of a barrier the first and the last thread that go to it, then the first and the last that do not.
        """

    @property
    def unit(self) -> str | None:
        """What `place` counts: "byte", "element" or "texel"; None if it is all of what was accessed."""

    @property
    def place(self) -> list[int]:
        """The place in what was accessed: one number, or three of a texel."""

    @property
    def extent(self) -> int:
        """Elements of what was accessed, or bytes if its place is a byte."""

    @property
    def words(self) -> list[int]:
        """Words of an access past an end that are inside, and those that are not.

        Of a barrier threads that go to it, and those that do not.
        """

    @property
    def between_groups(self) -> bool:
        """Whether it is a race between groups."""

    @property
    def other(self) -> Instruction | None:
        """The barrier; or the instruction that used what was read, if only that made it a finding."""

    @property
    def count(self) -> int:
        """Occurrences: of a race pairs of accesses."""

@final
class Party:
    """A thread that takes part in a finding."""

    @property
    def access(self) -> str:
        """The kind of access: "read", "write" or "atomic"."""

    @property
    def instruction(self) -> Instruction:
        """The instruction."""

    @property
    def group(self) -> list[int]:
        """The thread's group."""

    @property
    def thread(self) -> list[int]:
        """Its position in the group."""

    @property
    def index(self) -> int:
        """Its number in the group."""

@final
class CancelToken:
    """A token that stops the runs that it was given to, and later ones."""

    def __new__(cls) -> Self: ...
    def cancel(self) -> None:
        """Stops them, from any thread."""

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""

@final
class View:
    """An array seen in a format, or with a hidden counter.

    `format` is a DXGI format without its prefix, as in "R8G8B8A8_UNORM_SRGB", for typed buffers and textures; what follows the
    array's first axes is one texel of it, or one block. `counter` is the first value of the hidden counter of a structured
    buffer (append, consume); after a run it is what the shader counted to.
    """

    counter: int | None
    def __new__(cls, array: _Array, format: str | None = None, *, counter: int | None = None) -> Self: ...
    @property
    def array(self) -> _Array: ...
    @property
    def format(self) -> str | None: ...

@final
class Buffer:
    """A contiguous array that vertices are streamed out to, which knows how far.

    Later draws may go on there, and `Pipeline.draw_auto` draws what is there. It can be bound, and be vertices, as the array can.
    """

    def __new__(cls, array: _Array) -> Self: ...
    @property
    def array(self) -> _Array: ...
    @property
    def filled_bytes(self) -> int:
        """The byte at which the last draw that streamed out to it ended; 0 if there was none."""

@final
class Texture:
    """A texture with what an array cannot say: mip levels, samples, cubes, blocks, or a part of one. `Device.texture` makes it."""

    @property
    def format(self) -> str | None:
        """The format's name, as texels are seen."""

    @property
    def dimension(self) -> str | None:
        """The kind of texture, as in "texture2d"."""

    @property
    def samples(self) -> int:
        """Samples of a texel: 1, or more where it is multisampled."""

    def array(self, mip: int = 0, layer: int | None = None) -> NDArray[Any]:
        """Texels as an array over the texture's memory: (layers or slices,) rows, texels of a row, components.

        Of textures with mip levels one level of one layer. The samples of a multisampled texture are planes, which count as
        layers here: sample k of layer l of a texture with n samples is plane l * n + k. So the first axis counts planes, and
        `layer` is the number of one.
        """

    def view(
        self,
        *,
        format: str | None = None,
        dimension: str | None = None,
        mips: tuple[int, int] | None = None,
        layers: tuple[int, int] | None = None,
        min_level: float | None = None,
    ) -> Texture:
        """The same seen in another format, as another kind, or in part: of mip levels and layers the first and how many."""

    def generate_mips(self) -> None:
        """Makes the mip levels after the first one."""

    def resolve(
        self,
        to: _Array | View | Texture | None = None,
        *,
        layer: int = 0,
        mip: int = 0,
        to_layer: int = 0,
        format: str | None = None,
    ) -> Texture:
        """Resolves a layer of a multisampled texture: each texel of `to` becomes the mean of the samples there.

        `to` is a texture with one sample and the same extents, or an array of rows of texels. Returns the texture resolved to;
        without `to` a new one. `mip` and `to_layer` are the mip level and the layer of `to`; levels and layers are those of whole
        textures, of which views may see a part. `format` says how texels of both are seen: by default as `to` sees them, or as this
        texture does if `to` is an array or not given. Integers and depths have no mean.
        """

    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

@final
class Sampler:
    """How a texture is sampled. Names and keys are those of `samplers` in documents (docs/document.md)."""

    def __new__(
        cls,
        filter: str = "MIN_MAG_MIP_LINEAR",
        *,
        address: Sequence[str] = ("CLAMP", "CLAMP", "CLAMP"),
        comparison: str = "NEVER",
        border: Sequence[float] = (0, 0, 0, 0),
        mip_lod_bias: float = 0,
        min_lod: float = ...,
        max_lod: float = ...,
        max_anisotropy: int = 1,
    ) -> Self: ...

@final
class Pipeline:
    """Shaders, compiled with the state around them. `Device.pipeline` makes it."""

    def draw(
        self,
        count: int | None = None,
        *,
        vertices: list[Any] | tuple[_Array | Buffer, ...] | None = None,
        indices: _Array | None = None,
        bindings: Mapping[str, _Bindable] | None = None,
        instances: int = 1,
        first: int = 0,
        base_vertex: int = 0,
        first_instance: int = 0,
        viewport: Sequence[float] | None = None,
        scissor: tuple[int, int, int, int] | None = None,
        blend_factor: Sequence[float] | None = None,
        stencil_reference: int = 0,
        sample_mask: int = 0xFFFFFFFF,
        stream_targets: Sequence[_StreamTarget] | None = None,
    ) -> Draw:
        """A draw of `count` vertices, or indices; by default of all of the first array, or of `indices`.

        `vertices` are the vertex buffers from slot 0 on: arrays whose first axis goes from vertex to vertex. `indices` have 16 or
        32 bits. `bindings` are those of all shaders. `viewport` is left, top, width, height, and perhaps least and greatest
        depth; `scissor` left, top, right, bottom, in pixels. By default both are the whole target. `sample_mask` has a bit for
        each sample, the first in the lowest bit: others than those are not drawn.

        `stream_targets` are what the pipeline's `stream_output` is written to, from slot 0 on: arrays or buffers, which are
        written from their begin on, tuples of one and the byte where writing begins, a multiple of 4, or -1 to go on where the
        draw before ended, and None. Primitives that do not fit whole are not written.
        """

    def draw_auto(
        self,
        vertices: list[Any] | tuple[_Array | Buffer, ...],
        *,
        bindings: Mapping[str, _Bindable] | None = None,
        viewport: Sequence[float] | None = None,
        scissor: tuple[int, int, int, int] | None = None,
        blend_factor: Sequence[float] | None = None,
        stencil_reference: int = 0,
        sample_mask: int = 0xFFFFFFFF,
        stream_targets: Sequence[_StreamTarget] | None = None,
    ) -> Draw:
        """A draw of all vertices that draws before it have streamed out to `vertices[0]`, a `Buffer`, when it is drawn.

        A partial vertex at the end is left out. The rest is as for `draw`.
        """

@final
class Draw:
    """Something to draw. `Pipeline.draw` makes it, `Device.draw` and `Pass.draw` draw it."""

@final
class Pass:
    """Draws into the same targets, in order, with queries and predicates: a block, at whose end they are done.

    The arguments are those of `Device.draw`. An error of a draw is raised at the end of the block; if the block itself raises one,
    nothing is drawn.
    """

    def __new__(
        cls,
        device: Device,
        targets: Sequence[_Array | View | Texture],
        *,
        depth: _Array | View | Texture | None = None,
        time_limit: float | None = None,
        cancel: CancelToken | None = None,
    ) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def draw(self, draw: Draw) -> int:
        """Adds a draw; returns its index in `statistics`."""

    def query(self, kind: str, stream: int | None = None) -> Query:
        """A query: a block whose draws count for it. Queries may nest.

        Its `kind` is that of documents, which says what its `result` is after the pass. "occlusion": samples that passed all
        tests; "occlusion_predicate": whether there were any; "timestamp": seconds from when the device was made to the end of the
        block's draws; "statistics": the sums of the statistics of its draws; "stream_out": a dict with the primitives that a
        `stream`, 0 to 3, by default 0, has `written`, and those that were `needed`; "so_overflow": whether there were more needed
        than written, of a stream or by default of any.
        """

    def predicate(self, query: Query, value: bool) -> AbstractContextManager[None]:
        """A predicate: a block whose draws are skipped if the result of a query equals `value`, as `SetPredication` has it.

        So with False they are drawn only if something was seen, or there was too little room. The query is an
        "occlusion_predicate" or "so_overflow" whose block has ended, of this pass or of one before. Of blocks within one another
        the innermost decides. A draw that is skipped has statistics of zeros.
        """

    @property
    def statistics(self) -> list[_Statistics]:
        """What each draw did, after the block."""

    @property
    def messages(self) -> list[Message]:
        """What shaders printed, draw by draw, stage by stage, after the block."""

    @property
    def lost_messages(self) -> int:
        """How many more messages were not kept."""

@final
class Query:
    """A query of a pass. `Pass.query` makes it: a block whose draws count for it."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    @property
    def result(self) -> Any:
        """The result, as `Pass.query` says, after the block of its pass has ended."""

@final
class Outcome:
    """What a run of a document gave."""

    @property
    def passed(self) -> bool:
        """Whether every expectation that can be checked holds."""

    @property
    def failures(self) -> list[str]:
        """A line for each expectation that does not hold."""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the steps may write, and what is saved or expected, by the names of the resources: in the short form their registers, as
        "u0". They keep the memory of the run."""

    @property
    def counters(self) -> dict[str, int]:
        """Hidden counters after the run, likewise."""

    @property
    def report(self) -> Report | None:
        """What the dispatch did, of a document that is one dispatch."""

    @property
    def messages(self) -> list[Message]:
        """What the shaders printed, step by step."""

    @property
    def lost_messages(self) -> int:
        """How many more messages were not kept."""

@final
class Document:
    """A document, or a folder with one, as `brolga run` takes it (docs/document.md). Its files are read at once."""

    def __new__(cls, path: str | PathLike[str]) -> Self: ...
    @property
    def name(self) -> str:
        """Its name."""

    @property
    def shaders(self) -> int:
        """How many forms there are of its shaders: `run` takes the number of one."""

    def run(
        self,
        device: Device,
        shader: int = 0,
        *,
        engine: str | None = None,
        time_limit: float | None = None,
        cancel: CancelToken | None = None,
    ) -> Outcome:
        """Runs it on fresh resources, with one form of its shaders, and compares the results with what is expected. No files are
        written."""

# Deprecated: documents were jobs or scenes. The module warns where these names are used.
Job = Document
Scene = Document

class Error(Exception):
    """What went wrong in Brolga. Its subclasses say what helps; `kind` and `number` are those of the Rust library.

    `messages` has what shaders printed before, if it happened in a run.
    """

    kind: str
    number: int
    messages: Sequence[Message]

class FileError(Error):
    """The bytes, the listing or the file are not valid."""

class UnsupportedError(Error):
    """The shader is valid, but cannot run, or not on this processor."""

class InstanceError(Error):
    """An interface variable has no class instance, or one that does not fit."""

class BindingError(Error):
    """A register or name does not exist, or what is bound to it does not fit."""

class ResourceError(Error):
    """There can be no such array, texture, view or sampler, or no such part of it."""

class CallError(Error):
    """A shader of this stage does not run this way, or the arguments do not fit each other."""

class LimitError(Error):
    """The shader or the call exceeds a limit."""

class StoppedError(Error):
    """A cancel token, a time limit or fuel ended the work."""

class DivergentBarrierError(Error):
    """Threads of a group met different barriers."""

class SystemRefusedError(Error):
    """The operating system refused memory, a thread or a file."""

class InternalError(Error):
    """A bug in Brolga."""

class AbortedError(Error):
    """The shader ended the run by `abort`. `messages` has what it printed before."""
