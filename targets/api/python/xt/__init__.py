"""xt: compiles kernels of .xt files and runs them on arrays of numpy, and of other packages that have DLPack's protocol.

    import numpy as np, xt

    k = xt.compile("gemm.xt", GEMM_T="f32")
    C = np.empty((m, n), np.float32)
    k.gemm(A, B, C)

Arrays are not copied: a kernel reads and writes the memory of the arguments. Strides are passed on, so views and Fortran order work
where the kernel's types allow them; only negative strides (`a[::-1]`) are refused. Read-only arrays are refused where a kernel
writes. Functions may be called by several threads at once; launches of one program run one after another, each on all threads of
the program.
"""

from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import operator
import os
import statistics
import sys
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _arrays
from . import _library as c
from ._device import Buffer, Event, Stream
from ._device import handle_of as _handle
from ._errors import (ArgumentError, CompileError, Diagnostic, Edit, Error, Fix, KernelError, NotFoundError, Range, StoppedError,
                      diagnostics_of, exception)
from ._stop import Stop
from ._stop import flag_of as _flag_of

__all__ = ["ArgumentError", "Buffer", "CompileError", "Device", "Diagnostic", "Edit", "Error", "Event", "Fix", "Kernel", "KernelError",
           "NotFoundError", "Parameter", "Prepared", "Program", "Range", "Stop", "StoppedError", "Stream", "Times", "Tuned", "autotune",
           "bench", "compile", "devices", "targets", "version"]

_lib = c.library


def version() -> str:
    """The version and commit of libxt: "xt 0.1.0 (1f0c2a9b3d4e)"."""
    return _lib.xt_version().decode()


def targets() -> dict[str, str]:
    """The targets that compile() takes, and what each is."""
    found: dict[str, str] = {}
    while name := _lib.xt_target_name(len(found)):
        found[name.decode()] = _lib.xt_target_summary(len(found)).decode()
    return found


@dataclasses.dataclass(frozen=True)
class Device:
    """A device that a target may run on. `device=choice` of compile() selects it; None: it is the target's only one."""

    name: str
    driver: str
    choice: str | None
    hardware: str  # the name of what kernels are compiled for; "": the target decides
    problem: str  # why it cannot be used; "" if it can be
    memory_bytes: int  # 0: not known
    software: bool


def devices(target: str | None = "cpu") -> list[Device]:
    """The devices of a target (None: "cpu"), which may start its driver."""
    found: list[Device] = []

    def add(_user: Any, device: Any) -> None:
        of = device.contents
        choice = None if of.choice is None else of.choice.decode()
        found.append(Device(of.name.decode(), of.driver.decode(), choice, of.hardware.decode(), of.problem.decode(),
                            of.memory_bytes, bool(of.software)))

    error = c.new_error()
    if _lib.xt_target_devices(_bytes(target), c.FoundDevice(add), None, error) != c.OK:
        raise exception(error)
    return found


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    text = os.fsencode(value)
    if b"\0" in text:  # C would read what is before it
        raise ValueError(f"{value!r} contains a zero byte")
    return text


def _threads(count: int) -> int:
    number = operator.index(count)
    if not 0 <= number < 1 << 31:
        raise ValueError(f"threads is {number}, which is no number of threads")
    return number


def _number(value: Any) -> int | float:
    if isinstance(value, (int, float)):
        return value
    for convert in () if isinstance(value, (str, bytes, bytearray)) else (operator.index, float):
        try:
            return convert(value)
        except TypeError:
            pass
    raise _arrays.NotAnArray(f"an object of type {type(value).__name__} is no number")


class Parameter:
    """A parameter of a kernel. `shape` and `strides` (in elements) hold None where the launch decides."""

    def __init__(self, info: c.Parameter):
        self.name: str = info.name.decode()
        self.type: str = info.type.decode()
        self.element: str = _lib.xt_element_name(info.element).decode()
        self.is_array: bool = bool(info.is_array)
        self.reads: bool = bool(info.reads)
        self.writes: bool = bool(info.writes)
        self.shape: tuple[int | None, ...] = self._numbers(info.shape, info.rank)
        self.strides: tuple[int | None, ...] = self._numbers(info.strides, info.rank)
        self._element: int = info.element

    @staticmethod
    def _numbers(pointer: Any, rank: int) -> tuple[int | None, ...]:
        return tuple(None if n == c.DYNAMIC else n for n in (pointer[:rank] if rank else []))

    def __repr__(self) -> str:
        return f"%{self.name}: {self.type}"


class Kernel:
    """A compiled kernel: called with its arguments, by position or by name, it runs and waits for the end.

    Arrays are numpy arrays, objects with DLPack's protocol in the host's memory or in that of the kernel's GPU, or a Buffer; numbers are
    Python's or numpy's. `grid` gives the workgroups in x, y and z to a kernel without a grid of its own. A launch on the CPU that takes
    longer than `timeout` seconds, or whose `stop` another thread sets, raises StoppedError. Raises ArgumentError if an argument does not
    fit, and then nothing has run.
    """

    def __init__(self, loaded: _Loaded, handle: int):
        info = _lib.xt_kernel_describe(handle).contents
        self._loaded, self._handle = loaded, handle
        self.name: str = info.name.decode()
        self.signature: str = info.signature.decode()
        self.parameters: tuple[Parameter, ...] = tuple(
            Parameter(info.parameters[i].contents) for i in range(info.parameter_count))
        self.grid_rank: int = info.grid_rank
        self._json = info.json
        self._names = {parameter.name: i for i, parameter in enumerate(self.parameters)}
        self.__doc__ = self.signature

    @property
    def description(self) -> dict[str, Any]:
        """Grid, layouts, shared local memory, operations and bytes, as `xtrun --describe --json` prints them."""
        return json.loads(self._json)

    def __call__(self, *args: Any, grid: Sequence[int] | None = None, timeout: float | None = None, stop: Stop | None = None,
                 **named: Any) -> None:
        arguments = self._read(args, named)
        error = c.new_error()
        status = _lib.xt_launch(self._handle, arguments.address, arguments.count, self._options(grid, timeout, stop), error)
        self._loaded.check(status, error)

    def prepare(self, *args: Any, grid: Sequence[int] | None = None, timeout: float | None = None, stop: Stop | None = None,
                **named: Any) -> Prepared:
        """Checks the arguments once for many runs: `run = k.gemm.prepare(A, B, C); run()`."""
        arguments = self._read(args, named)
        handle = _handle(_lib.xt_prepare, self._handle, arguments.address, arguments.count, self._options(grid, timeout, stop))
        return Prepared(self, handle, [*arguments.alive, stop])

    def _read(self, args: tuple[Any, ...], named: dict[str, Any]) -> c.Arguments:
        values: Sequence[Any] = self._ordered(args, named) if named else args
        if len(values) != len(self.parameters):
            raise TypeError(f"@{self.name} takes {len(self.parameters)} arguments, not {len(values)}: {self.signature}")
        arguments = c.Arguments(len(values))
        for i, (value, parameter) in enumerate(zip(values, self.parameters)):
            try:
                if parameter.is_array or getattr(value, "ndim", 0) or isinstance(value, Buffer):
                    arguments.add_array(*_arrays.read(value, parameter._element, self._loaded.sees))
                else:
                    self._add_number(arguments, value, parameter)
            except (_arrays.NotAnArray, BufferError) as wrong:
                name = parameter.name
                raise ArgumentError(f"argument `{name}` of @{self.name}: {wrong}", "XT_INVALID_ARGUMENT", name, i) from None
        arguments.pack()
        return arguments

    def _ordered(self, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        values = list(args) + [None] * (len(self.parameters) - len(args))
        given = set(range(len(args)))
        for name, value in named.items():
            i = self._names.get(name)
            if i is None or i in given:
                raise TypeError(f"@{self.name} {'has no parameter' if i is None else 'got two arguments for'} `{name}`")
            values[i] = value
            given.add(i)
        if missing := [p.name for i, p in enumerate(self.parameters) if i not in given]:
            raise TypeError(f"@{self.name} misses the argument `{missing[0]}`")
        return values

    @staticmethod
    def _add_number(out: c.Arguments, value: Any, parameter: Parameter) -> None:
        number = _number(value)
        if isinstance(number, float):
            return out.add_float(number)
        unsigned = parameter.element == "u64"
        if not (0 if unsigned else -(2**63)) <= number < (2**64 if unsigned else 2**63):
            raise _arrays.NotAnArray(f"{number} does not fit {parameter.type}")
        out.add_integer(number - 2**64 if number >= 2**63 else number)

    def _options(self, grid: Sequence[int] | None, timeout: float | None, stop: Stop | None) -> c.LaunchOptions | None:
        if grid is None and timeout is None and stop is None:
            return None
        if grid is not None and not 1 <= len(grid) <= 3:
            raise ArgumentError(f"a grid has one to three extents, not {len(grid)}", "XT_INVALID_ARGUMENT", "grid")
        if timeout is not None and not timeout > 0:
            raise ArgumentError(f"a timeout is above 0, not {timeout}", "XT_INVALID_ARGUMENT", "timeout")
        return c.LaunchOptions(size=ctypes.sizeof(c.LaunchOptions), grid_rank=len(grid or ()), grid=(ctypes.c_int64 * 3)(*(grid or ())),
                               seconds=timeout or 0, stop=_flag_of(stop))

    def __repr__(self) -> str:
        return f"<{self.signature}>"


class Prepared:
    """A kernel with checked arguments, whose arrays it keeps alive. Calling it runs the kernel and waits for the end."""

    def __init__(self, kernel: Kernel, handle: int, alive: list[Any]):
        self._kernel, self._handle, self._alive = kernel, handle, alive
        weakref.finalize(self, _lib.xt_prepared_free, handle)

    def __call__(self) -> None:
        error = c.new_error()
        self._kernel._loaded.check(_lib.xt_prepared_run(self._handle, error), error)


class Program:
    """The compiled kernels of a file, as attributes (`program.gemm`) and by name (`program["gemm"]`)."""

    def __init__(self, loaded: _Loaded, diagnostics: tuple[Diagnostic, ...]):
        self._loaded = loaded
        self.diagnostics: tuple[Diagnostic, ...] = diagnostics  # warnings, and remarks if they were asked for
        self.kernels: dict[str, Kernel] = {}
        for i in range(_lib.xt_program_kernel_count(loaded.handle)):
            kernel = Kernel(loaded, _lib.xt_program_kernel_at(loaded.handle, i))
            self.kernels[kernel.name] = kernel

    def buffer(self, shape: Sequence[int], element: str = "f32") -> Buffer:
        """An array in memory of the device that runs the kernels, for launches that copy nothing. `element` is a type of xt: "f16"."""
        return Buffer(self._loaded.handle, shape, element)

    def __getitem__(self, name: str) -> Kernel:
        kernel = self.kernels.get(name)
        if kernel is None:
            raise NotFoundError(f"no kernel is called `{name}`; there are {', '.join(self.kernels) or 'none'}", "XT_NOT_FOUND", "name")
        return kernel

    def __getattr__(self, name: str) -> Kernel:
        kernel = self.__dict__.get("kernels", {}).get(name)
        if kernel is None:
            raise AttributeError(f"no kernel is called `{name}`; there are {', '.join(self.__dict__.get('kernels', {})) or 'none'}")
        return kernel

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.kernels]


class _Loaded:
    """What a program and its kernels share: the handle, and the functions that libxt calls."""

    def __init__(self, handle: int, callbacks: _Callbacks):
        self.handle, self._callbacks = handle, callbacks
        weakref.finalize(self, _lib.xt_program_free, handle)

    def sees(self, address: int) -> bool:
        """Whether launches use memory of a device at this address in place."""
        seen, error = ctypes.c_int32(), c.new_error()
        self.check(_lib.xt_program_sees(self.handle, address, seen, error), error)
        return bool(seen.value)

    def raise_pending(self) -> None:
        """Raises what a function has raised that libxt called."""
        self._callbacks.raise_pending()

    def check(self, status: int, error: c.Error) -> None:
        """Raises what a launch has led to."""
        self.raise_pending()
        if status != c.OK:
            raise exception(error)


class _Callbacks:
    """Python functions that libxt calls. What they raise is raised again where libxt was called."""

    def __init__(self, imports: Callable[[str], str | None] | Mapping[str, str] | None, show: Callable[[str], object] | None):
        self._pending: BaseException | None = None
        self._imports = imports.get if isinstance(imports, Mapping) else imports
        self._show = show
        self.read_import = c.ReadImport(self._read) if imports is not None else c.ReadImport()
        self.print = c.Print(self._print)

    def _read(self, _user: Any, path: bytes, into: Any) -> int:
        try:
            text = self._imports(os.fsdecode(path)) if self._imports else None
            if text is None:
                return c.NOT_FOUND
            data = text.encode()
            _lib.xt_import_text(into, data, len(data))
            return c.OK
        except BaseException as raised:  # raised again by raise_pending()
            self._pending = raised
            return c.ENVIRONMENT

    def _print(self, _user: Any, text: Any, count: int) -> None:
        try:
            line = ctypes.string_at(text, count).decode("utf-8", "replace")
            if self._show:
                self._show(line)
            else:
                sys.stdout.write(line)
        except BaseException as raised:  # raised again by raise_pending()
            self._pending = raised

    def raise_pending(self) -> None:
        pending, self._pending = self._pending, None
        if pending:
            raise pending


def _text_of(value: object) -> bytes | None:
    return _bytes(("true" if value else "false") if isinstance(value, bool) else str(value))


def _define_list(given: Mapping[str, object]) -> Any:
    return (c.Define * len(given))(*[c.Define(_bytes(name), _text_of(value)) for name, value in given.items()])


def compile(path: str | os.PathLike[str] = "<text>", *, text: str | None = None, target: str = "cpu", device: str | None = None,
            threads: int = 0, imports: Callable[[str], str | None] | Mapping[str, str] | None = None,
            print: Callable[[str], object] | None = None, cache: str | os.PathLike[str] | None = None, remarks: bool = False,
            optimise: bool = True, tuning: str | os.PathLike[str] | None = None,
            native: tuple[int, int, int] | None = None, stop: Stop | None = None,
            defines: Mapping[str, object] | None = None, **parameters: object) -> Program:
    """Compiles the kernels of a file, or of `text`, whose name in messages is then `path`.

    `parameters` are values of the file's parameters, as `-D` takes them: `BM=128`, `GEMM_T="f32"`; `defines` holds those whose
    names are parameters of this function. `threads` run a launch on the CPU (0: one per processor). `imports` returns the text of
    an import by its path, or None; without it, imports are files. `print` receives what kernels print, else standard output does.
    `cache` is the directory for compiled code ("": none; None: as the environment says). `tuning` is a file of autotune() ("": none;
    None: `path` with .tune behind it, if that is there): launches use the values that it has for the nearest sizes.
    `native` are objects of a GPU's driver that the caller keeps alive (xt.h, native_context): for Level Zero the handles of a context, a
    device and an immediate command list or 0; for CUDA those of a context, the device's number, and a stream or 0.
    A compilation whose `stop` another thread sets raises StoppedError.

    Raises CompileError with the compiler's messages if the program is wrong.
    """
    context = _handle(_lib.xt_context_create, c.ContextOptions(ctypes.sizeof(c.ContextOptions), _bytes(cache)))
    try:
        given = {**(defines or {}), **parameters}
        list_of = _define_list(given)
        callbacks = _Callbacks(imports, print)
        source = None if text is None else text.encode()
        options = c.CompileOptions(
            size=ctypes.sizeof(c.CompileOptions), path=_bytes(path), text=source, text_bytes=len(source or b""),
            target=_bytes(target), device=_bytes(device), defines=list_of, define_count=len(given),
            read_import=callbacks.read_import, print=callbacks.print, threads=_threads(threads), remarks=remarks,
            skip_optimiser=not optimise, tuning=_bytes(tuning), stop=_flag_of(stop))
        if native:
            options.native_context, options.native_device, options.native_queue = native
        program, messages, error = ctypes.c_void_p(), ctypes.c_void_p(), c.new_error()
        status = _lib.xt_compile(context, options, program, messages, error)
        diagnostics = diagnostics_of(messages)
        _lib.xt_diagnostics_free(messages)
        callbacks.raise_pending()
        if status != c.OK:
            raise exception(error, diagnostics)
        return Program(_Loaded(program.value or 0, callbacks), diagnostics)
    finally:
        _lib.xt_context_free(context)


@dataclasses.dataclass(frozen=True)
class Times:
    """Seconds of one launch: the median of `count` ones, and the interval [low, high] that contains it with 95% probability."""

    median: float
    low: float
    high: float
    count: int = 0

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times:
        """Two of the times are the interval: the number of times below the median is binomial with p = 1/2."""
        ordered, n = sorted(seconds), len(seconds)
        half = 0.98 * n**0.5
        return cls(statistics.median(ordered), ordered[max(0, math.floor(n / 2 - half))],
                   ordered[min(n - 1, math.ceil(n / 2 + half))], n)

    def __str__(self) -> str:
        return f"{self.median * 1e3:.4g} ms ({self.low * 1e3:.4g} to {self.high * 1e3:.4g})"


def bench(kernel: Kernel, *args: Any, grid: Sequence[int] | None = None, seconds: float = 1.0, precision: float = 0.01,
          **named: Any) -> Times:
    """Times launches of a kernel on these arguments: until the interval is narrower than `precision` of the median, or for `seconds`.

    The arguments are checked once; a time contains the call from Python, about a microsecond.
    """
    run = kernel.prepare(*args, grid=grid, **named)
    run()  # starts the threads
    fewest, times = 7, []
    end, wanted = time.perf_counter() + seconds, fewest
    while True:
        begun = time.perf_counter()
        run()
        done = time.perf_counter()
        times.append(done - begun)
        if len(times) < wanted and (done < end or len(times) < fewest):
            continue
        found = Times.of(times)
        if found.high - found.low < precision * found.median or done >= end:
            return found
        wanted = len(times) + len(times) // 4 + 1


@dataclasses.dataclass(frozen=True)
class Tuned:
    """What autotune() found for a kernel at the sizes of a test."""

    test: str
    kernel: str
    arrays: tuple[tuple[int, ...], ...]  # the extents of its arguments that are arrays
    values: dict[str, str]  # the fastest values of the file's parameters
    seconds: Times  # with these
    defaults: Times  # with the values that the file declares
    timed: int  # combinations that were timed
    candidates: int  # that there are


def autotune(path: str | os.PathLike[str], *, tests: Sequence[str] | None = None, seconds: float = 60, target: str = "cpu",
             device: str | None = None, threads: int = 0, small: bool = False, output: str | os.PathLike[str] | None = None,
             progress: Callable[[str], object] | None = None, cache: str | os.PathLike[str] | None = None,
             defines: Mapping[str, object] | None = None, **parameters: object) -> list[Tuned]:
    """Finds the fastest values of a file's parameters, among those that `param ... in [...]` lists, for each of its tests.

    `seconds` limits the search for each test; every combination is checked before it is timed. What is found is written to `output`
    (None: `path` with .tune behind it), which compile() reads. `parameters` keep their values. Ctrl-C ends the search; what was found
    until then is written. Raises Error if nothing could be tuned.
    """
    results: list[Tuned] = []
    problems: list[str] = []
    raised: list[BaseException] = []

    def protected(function: Callable[[str], object]) -> Any:
        def call(_user: Any, text: Any, count: int) -> int:
            try:
                function(ctypes.string_at(text, count).decode("utf-8", "replace"))
            except BaseException as error:  # raised again when libxt returns; KeyboardInterrupt too
                raised.append(error)
            return 1 if raised else 0

        return c.TuneText(call)

    def add(text: str) -> None:
        found = json.loads(text)
        if found["problem"]:
            problems.append(f'"{found["test"]}": {found["problem"]}')
        for of in found["kernels"]:
            results.append(Tuned(found["test"], of["kernel"], tuple(map(tuple, of["arrays"])), of["values"],
                                 Times(**of["seconds"]), Times(**of["defaults"]), of["timed"], of["candidates"]))

    given = {**(defines or {}), **parameters}
    names = None if tests is None else (ctypes.c_char_p * len(tests))(*[_bytes(test) for test in tests])
    show, report = protected(progress or (lambda text: None)), protected(add)
    options = c.TuneOptions(
        size=ctypes.sizeof(c.TuneOptions), path=_bytes(path), target=_bytes(target), device=_bytes(device),
        defines=_define_list(given), define_count=len(given), tests=names, test_count=len(tests or ()), seconds=seconds,
        threads=_threads(threads), small_sizes=small, output=_bytes(output), progress=show, report=report)
    context = _handle(_lib.xt_context_create, c.ContextOptions(ctypes.sizeof(c.ContextOptions), _bytes(cache)))
    try:
        error = c.new_error()
        status = _lib.xt_tune(context, options, error)
    finally:
        _lib.xt_context_free(context)
    if raised:
        raise raised[0]
    if status != c.OK:
        raise exception(error)
    if not results:
        raise Error("nothing could be tuned: " + ("; ".join(problems) or "the file has no test"), "XT_NOT_FOUND")
    return results
