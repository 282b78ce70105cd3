"""The functions and structures of xt.h for ctypes. The contracts are in that header."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

OK, INVALID_ARGUMENT, COMPILE_FAILED, NOT_FOUND, UNSUPPORTED, KERNEL_FAILED, ENVIRONMENT, INTERNAL, STOPPED = range(9)
ARRAY, INTEGER, FLOAT = 1, 2, 3
DYNAMIC = -(2**63)
MAX_RANK = 5
# Element types by the names that xt_element_name gives.
ELEMENTS = {name: number for number, name in enumerate(
    "i1 i4 i8 i16 i32 i64 u8 u16 u32 u64 index f64 f32 tf32 f16 bf16 f8E4M3 f8E5M2 u4 f4E2M1 f8E8M0".split(), start=1)}


class Error(Structure):
    _fields_ = [("size", c_size_t), ("status", c_int), ("index", c_int32), ("argument", c_char * 120), ("message", c_char * 1024)]


class ContextOptions(Structure):
    _fields_ = [("size", c_size_t), ("cache_directory", c_char_p)]


class Define(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


ReadImport = CFUNCTYPE(c_int, c_void_p, c_char_p, c_void_p)
Print = CFUNCTYPE(None, c_void_p, POINTER(c_char), c_size_t)


class Device(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("driver", c_char_p), ("choice", c_char_p), ("hardware", c_char_p),
                ("problem", c_char_p), ("memory_bytes", c_int64), ("software", c_int32)]


FoundDevice = CFUNCTYPE(None, c_void_p, POINTER(Device))


class CompileOptions(Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("text", c_char_p), ("text_bytes", c_size_t), ("target", c_char_p),
                ("device", c_char_p), ("defines", POINTER(Define)), ("define_count", c_size_t), ("read_import", ReadImport),
                ("read_import_user", c_void_p), ("print", Print), ("print_user", c_void_p), ("threads", c_int32),
                ("remarks", c_int32), ("skip_optimiser", c_int32), ("tuning", c_char_p),
                ("native_context", c_void_p), ("native_device", c_void_p), ("native_queue", c_void_p), ("stop", POINTER(c_int32))]


TuneText = CFUNCTYPE(c_int32, c_void_p, POINTER(c_char), c_size_t)


class TuneOptions(Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("target", c_char_p), ("device", c_char_p), ("defines", POINTER(Define)),
                ("define_count", c_size_t), ("tests", POINTER(c_char_p)), ("test_count", c_size_t), ("seconds", c_double),
                ("threads", c_int32), ("small_sizes", c_int32), ("output", c_char_p), ("progress", TuneText),
                ("report", TuneText), ("user", c_void_p)]


class Range(Structure):
    _fields_ = [("file", c_char_p), ("begin", c_uint32), ("end", c_uint32), ("line", c_uint32), ("column", c_uint32),
                ("end_line", c_uint32), ("end_column", c_uint32)]


class Label(Structure):
    _fields_ = [("range", Range), ("text", c_char_p)]


class Edit(Structure):
    _fields_ = [("range", Range), ("replacement", c_char_p)]


class Fix(Structure):
    _fields_ = [("title", c_char_p), ("edits", POINTER(Edit)), ("edit_count", c_size_t)]


class Diagnostic(Structure):
    _fields_ = [("size", c_size_t), ("severity", c_int), ("code", c_char_p), ("message", c_char_p), ("range", Range),
                ("label", c_char_p), ("picture", c_char_p), ("text", c_char_p), ("labels", POINTER(Label)),
                ("label_count", c_size_t), ("notes", POINTER(c_char_p)), ("note_count", c_size_t), ("fixes", POINTER(Fix)),
                ("fix_count", c_size_t)]


class Parameter(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("type", c_char_p), ("element", c_int), ("is_array", c_int32),
                ("rank", c_int32), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("reads", c_int32),
                ("writes", c_int32)]


class KernelInfo(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("signature", c_char_p), ("parameters", POINTER(POINTER(Parameter))),
                ("parameter_count", c_size_t), ("grid_rank", c_int32), ("json", c_char_p)]


class Argument(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("element", c_int), ("rank", c_int32), ("read_only", c_int32),
                ("data", c_void_p), ("shape", c_void_p), ("strides", c_void_p), ("integer", c_int64), ("number", c_double)]


class LaunchOptions(Structure):
    _fields_ = [("size", c_size_t), ("grid_rank", c_int32), ("grid", c_int64 * 3), ("stop", POINTER(c_int32)),
                ("seconds", c_double), ("kernel_seconds", POINTER(c_double))]


# Structures by their names in xt.h, for the test that compares their layouts.
STRUCTURES = {"xt_error": Error, "xt_device": Device, "xt_context_options": ContextOptions, "xt_define": Define, "xt_compile_options": CompileOptions,
              "xt_tune_options": TuneOptions,
              "xt_range": Range, "xt_label": Label, "xt_edit": Edit, "xt_fix": Fix, "xt_diagnostic": Diagnostic,
              "xt_parameter": Parameter, "xt_kernel_info": KernelInfo, "xt_argument": Argument,
              "xt_launch_options": LaunchOptions}

_handle, _out, _error = c_void_p, POINTER(c_void_p), POINTER(Error)
_FUNCTIONS = {
    "xt_version": (c_char_p, []),
    "xt_status_name": (c_char_p, [c_int]),
    "xt_target_name": (c_char_p, [c_size_t]),
    "xt_target_summary": (c_char_p, [c_size_t]),
    "xt_target_devices": (c_int, [c_char_p, FoundDevice, c_void_p, _error]),
    "xt_context_create": (c_int, [POINTER(ContextOptions), _out, _error]),
    "xt_context_free": (None, [_handle]),
    "xt_import_text": (None, [c_void_p, c_char_p, c_size_t]),
    "xt_compile": (c_int, [_handle, POINTER(CompileOptions), _out, _out, _error]),
    "xt_program_free": (None, [_handle]),
    "xt_tune": (c_int, [_handle, POINTER(TuneOptions), _error]),
    "xt_diagnostics_count": (c_size_t, [_handle]),
    "xt_diagnostics_at": (POINTER(Diagnostic), [_handle, c_size_t]),
    "xt_diagnostics_free": (None, [_handle]),
    "xt_element_name": (c_char_p, [c_int]),
    "xt_element_bytes": (c_size_t, [c_int]),
    "xt_program_kernel_count": (c_size_t, [_handle]),
    "xt_program_kernel_at": (c_void_p, [_handle, c_size_t]),
    "xt_program_kernel": (c_int, [_handle, c_char_p, _out, _error]),
    "xt_kernel_describe": (POINTER(KernelInfo), [_handle]),
    "xt_launch": (c_int, [_handle, c_void_p, c_size_t, POINTER(LaunchOptions), _error]),
    "xt_prepare": (c_int, [_handle, c_void_p, c_size_t, POINTER(LaunchOptions), _out, _error]),
    "xt_prepared_run": (c_int, [_handle, _error]),
    "xt_prepared_free": (None, [_handle]),
    "xt_buffer_create": (c_int, [_handle, c_size_t, _out, _error]),
    "xt_buffer_data": (c_void_p, [_handle]),
    "xt_buffer_bytes": (c_size_t, [_handle]),
    "xt_buffer_write": (c_int, [_handle, c_size_t, c_void_p, c_size_t, _error]),
    "xt_buffer_read": (c_int, [_handle, c_size_t, c_void_p, c_size_t, _error]),
    "xt_buffer_free": (None, [_handle]),
    "xt_program_sees": (c_int, [_handle, c_void_p, POINTER(c_int32), _error]),
    "xt_stream_create": (c_int, [_handle, _out, _error]),
    "xt_stream_run": (c_int, [_handle, _handle, _error]),
    "xt_stream_write": (c_int, [_handle, _handle, c_size_t, c_void_p, c_size_t, _error]),
    "xt_stream_read": (c_int, [_handle, _handle, c_size_t, c_void_p, c_size_t, _error]),
    "xt_stream_record": (c_int, [_handle, _out, _error]),
    "xt_stream_wait": (c_int, [_handle, _handle, _error]),
    "xt_stream_finish": (c_int, [_handle, _error]),
    "xt_stream_free": (None, [_handle]),
    "xt_event_done": (c_int32, [_handle]),
    "xt_event_wait": (c_int, [_handle, _error]),
    "xt_event_seconds": (c_int, [_handle, _handle, POINTER(c_double), _error]),
    "xt_event_free": (None, [_handle]),
}


def _open() -> ctypes.CDLL:
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libxt.so.0")
    path = os.environ.get("XT_LIBRARY") or (own if os.path.exists(own) else "libxt.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as failed:
        raise ImportError(f"libxt cannot be loaded: {failed}; XT_LIBRARY may give its path") from failed
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _open()


class Arguments:
    """The arguments of one launch in memory: xt_argument structures, and behind them the shapes and strides of arrays.

    All numbers are packed at once, which takes a fraction of the time of setting the members of ctypes structures.
    """

    SIZE = ctypes.sizeof(Argument)
    MEMBERS = "QiiiiQQQqd"  # of xt_argument, which has no gaps
    ROOM = 16 * MAX_RANK  # bytes of the shape and strides of an array
    _layouts: dict[tuple[int, int], struct.Struct] = {}  # by the number of arguments, and of numbers behind them

    def __init__(self, count: int):
        self.bytes = bytearray(count * (self.SIZE + self.ROOM))
        self.address = ctypes.addressof(c_char.from_buffer(self.bytes)) if count else None
        self.count = count
        self.alive: list[object] = []  # what must live until the launch ends
        self._members: list[float] = []
        self._numbers: list[int] = []
        self._at = (self.address or 0) + count * self.SIZE  # where the next shape is

    def add_array(self, element: int, data: int, read_only: bool, shape: Sequence[int], strides: Sequence[int], alive: object) -> None:
        rank, at = len(shape), self._at
        self._members += (self.SIZE, ARRAY, element, rank, read_only, data, at, at + 8 * rank, 0, 0.0)
        self._numbers += shape
        self._numbers += strides
        self._at = at + 16 * rank
        self.alive.append(alive)

    def add_integer(self, number: int) -> None:
        self._members += (self.SIZE, INTEGER, 0, 0, 0, 0, 0, 0, number, 0.0)

    def add_float(self, number: float) -> None:
        self._members += (self.SIZE, FLOAT, 0, 0, 0, 0, 0, 0, 0, number)

    def pack(self) -> None:
        """Writes what was added; called once."""
        key = self.count, len(self._numbers)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = struct.Struct(f"={self.MEMBERS * key[0]}{key[1]}q")
        layout.pack_into(self.bytes, 0, *self._members, *self._numbers)


def new_error() -> Error:
    return Error(size=ctypes.sizeof(Error))
