"""Memory of the device that runs a program, and work that goes on while Python does."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _arrays
from . import _library as c
from ._errors import ArgumentError, exception

if TYPE_CHECKING:
    from . import Prepared

_lib = c.library


def handle_of(function: Any, *arguments: Any) -> int:
    """Calls a function of libxt whose last but one parameter receives a handle."""
    out, error = ctypes.c_void_p(), c.new_error()
    if function(*arguments, ctypes.byref(out), ctypes.byref(error)) != c.OK:
        raise exception(error)
    return out.value or 0


def _call(function: Any, *arguments: Any) -> None:
    error = c.new_error()
    if function(*arguments, ctypes.byref(error)) != c.OK:
        raise exception(error)


class Buffer:
    """An array in memory of the device that runs a program's kernels: made by `program.buffer(shape, element)`, an argument of them.

    Launches on it copy nothing. `write` and `read` copy arrays of the same shape and type that have no gaps.
    """

    def __init__(self, program: int, shape: Sequence[int], element: str):
        number = c.ELEMENTS.get(element)
        if number is None:
            raise ArgumentError(f"there is no element type `{element}`; there are {', '.join(c.ELEMENTS)}", "XT_INVALID_ARGUMENT", "element")
        if len(shape) > c.MAX_RANK or any(extent < 0 for extent in shape):
            raise ArgumentError(f"a buffer has up to {c.MAX_RANK} extents of 0 or more, not {tuple(shape)}", "XT_INVALID_ARGUMENT", "shape")
        self.shape, self.element, self._element = tuple(shape), element, number
        self.bytes = math.prod(shape) * _lib.xt_element_bytes(number)
        self._handle = handle_of(_lib.xt_buffer_create, program, self.bytes)
        weakref.finalize(self, _lib.xt_buffer_free, self._handle)

    def write(self, array: Any) -> Buffer:
        """Copies an array into the buffer, and returns the buffer."""
        data, alive = self._host(array)
        _call(_lib.xt_buffer_write, self._handle, 0, data, self.bytes)
        return self

    def read(self, array: Any) -> Any:
        """Copies the buffer into an array, and returns the array."""
        data, alive = self._host(array, written=True)
        _call(_lib.xt_buffer_read, self._handle, 0, data, self.bytes)
        return array

    def _host(self, array: Any, written: bool = False) -> tuple[int, Any]:
        """The address of an array that can be copied as one piece, and what must live until then."""
        try:
            element, data, read_only, shape, strides, alive = _arrays.read(array, self._element)
        except (_arrays.NotAnArray, BufferError) as wrong:
            raise ArgumentError(str(wrong), "XT_INVALID_ARGUMENT", "array") from None
        if element != self._element or tuple(shape) != self.shape:
            raise ArgumentError(f"the array has other elements or another shape than {self!r}", "XT_INVALID_ARGUMENT", "array")
        steps = _arrays.packed(list(shape))
        if self.bytes and any(extent > 1 and have != step for extent, have, step in zip(shape, strides, steps)):
            raise ArgumentError("the array has gaps or another order of its elements", "XT_INVALID_ARGUMENT", "array")
        if written and read_only:
            raise ArgumentError("the array is read-only", "XT_INVALID_ARGUMENT", "array")
        return data, alive

    def _xt_array(self) -> tuple[int, int, bool, Any, Any, Any]:
        return self._element, _lib.xt_buffer_data(self._handle), False, self.shape, _arrays.packed(list(self.shape)), self

    def __repr__(self) -> str:
        return f"<Buffer {'x'.join(map(str, (*self.shape, self.element)))}>"


class Event:
    """A point between the work of a stream, made by `stream.record()`."""

    def __init__(self, handle: int):
        self._handle = handle
        weakref.finalize(self, _lib.xt_event_free, handle)

    @property
    def done(self) -> bool:
        """Whether all work before the event is done, or left out after a failure."""
        return bool(_lib.xt_event_done(self._handle))

    def wait(self) -> None:
        """Waits until it is."""
        _call(_lib.xt_event_wait, self._handle)

    def seconds_to(self, later: Event) -> float:
        """The seconds from this event to another one; both are done."""
        seconds = ctypes.c_double()
        _call(_lib.xt_event_seconds, self._handle, later._handle, seconds)
        return seconds.value


class Stream:
    """Work that runs in order while Python goes on. Arrays stay alive until `finish`, and must not change until their work is done.

    After work that fails, later work is left out until `finish` has raised its exception.
    """

    def __init__(self) -> None:
        context = handle_of(_lib.xt_context_create, None)
        try:
            self._handle = handle_of(_lib.xt_stream_create, context)
        finally:
            _lib.xt_context_free(context)
        self._alive: list[Any] = []
        weakref.finalize(self, _lib.xt_stream_free, self._handle)

    def run(self, prepared: Prepared) -> None:
        """Adds a launch: `stream.run(k.gemm.prepare(A, B, C))`."""
        _call(_lib.xt_stream_run, self._handle, prepared._handle)
        self._alive.append(prepared)

    def write(self, buffer: Buffer, array: Any) -> None:
        """Adds a copy of an array into a buffer."""
        data, alive = buffer._host(array)
        _call(_lib.xt_stream_write, self._handle, buffer._handle, 0, data, buffer.bytes)
        self._alive.append(alive)

    def read(self, buffer: Buffer, array: Any) -> None:
        """Adds a copy of a buffer into an array."""
        data, alive = buffer._host(array, written=True)
        _call(_lib.xt_stream_read, self._handle, buffer._handle, 0, data, buffer.bytes)
        self._alive.append(alive)

    def record(self) -> Event:
        """The point behind all work that is in the stream."""
        return Event(handle_of(_lib.xt_stream_record, self._handle))

    def wait(self, event: Event) -> None:
        """Later work begins after the event, which may be one of another stream."""
        _call(_lib.xt_stream_wait, self._handle, event._handle)

    def finish(self) -> None:
        """Waits for all work, and raises the exception of the first that failed, or that a `print` of a program has raised."""
        alive, self._alive = self._alive, []
        error = c.new_error()
        status = _lib.xt_stream_finish(self._handle, ctypes.byref(error))
        for work in alive:
            if kernel := getattr(work, "_kernel", None):
                kernel._loaded.raise_pending()
        if status != c.OK:
            raise exception(error)
