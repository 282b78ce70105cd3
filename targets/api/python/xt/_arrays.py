"""Arrays of other packages as arguments of a launch, without copies: numpy's, and what has DLPack's protocol."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any

from . import _library as c

_ELEMENTS = c.ELEMENTS
# numpy's names of types; bfloat16 and the floats of 8 bits are those of ml_dtypes.
_NUMPY = {"bool": "i1", "int4": "i4", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8",
          "uint16": "u16", "uint32": "u32", "uint64": "u64", "float64": "f64", "float32": "f32", "float16": "f16",
          "bfloat16": "bf16", "float8_e4m3fn": "f8E4M3", "float8_e5m2": "f8E5M2",
          "uint4": "u4", "float4_e2m1fn": "f4E2M1", "float8_e8m0fnu": "f8E8M0"}
# Element types of parameters that are stored as elements of another type are.
_STORED_AS = {_ELEMENTS[p]: _ELEMENTS[a] for p, a in
              {"index": "i64", "tf32": "f32", "i4": "i8", "u4": "u8"}.items()}
_by_dtype: dict[Any, int] = {}  # element types by numpy's types, as they are met


class NotAnArray(TypeError):
    """The object is no array that a launch can take; the text says why."""


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
                ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class _DLManagedTensorVersioned(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("manager_ctx", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
                ("tensor", _DLTensor)]


_DL_READ_ONLY = 1
# Packages whose arrays never change, although their DLPack tensors do not say so.
_IMMUTABLE = ("jax", "jaxlib")
_DL_HOST = (1, 3, 11)  # kDLCPU, kDLCUDAHost, kDLROCMHost: memory that the processor reads at the same address
# (DLDataTypeCode, bits) -> element type
_DL_TYPES = {(6, 8): "i1", **{(0, b): f"i{b}" for b in (8, 16, 32, 64)}, **{(1, b): f"u{b}" for b in (8, 16, 32, 64)},
             **{(2, b): f"f{b}" for b in (16, 32, 64)}, (4, 16): "bf16", (10, 8): "f8E4M3", (12, 8): "f8E5M2", (14, 8): "f8E8M0"}

_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]


_DL_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
_DL_DEVICE = (*_DL_CUDA, 14)  # kDLOneAPI: memory that kernels on the same device and in the same context use in place


def _on_no_device(_address: int) -> bool:
    return False


def read(value: Any, element: int, sees: Callable[[int], bool] = _on_no_device) -> tuple[int, int, bool, Any, Any, Any]:
    """Reads an array for a parameter of this element type; `sees` tells whether the kernel can use a device's memory at an address.

    Returns the element type, the address, whether it is read-only, shape, strides in elements, and what must live until the
    launch ends.
    """
    if own := getattr(value, "_xt_array", None):
        return own()
    interface = getattr(value, "__array_interface__", None)
    if interface is not None and hasattr(value, "dtype"):
        found, data, read_only, shape, strides, alive = _read_numpy(value, interface)
    elif hasattr(value, "__dlpack__"):
        found, data, read_only, shape, strides, alive = _read_dlpack(value, sees)
    else:
        raise NotAnArray(f"an object of type {type(value).__name__} is no array")
    if len(shape) > c.MAX_RANK:
        raise NotAnArray(f"its rank is {len(shape)}, not 0 to {c.MAX_RANK}")
    return element if _STORED_AS.get(element) == found else found, data, read_only, shape, strides, alive


def _read_numpy(value: Any, interface: dict[str, Any]) -> tuple[int, int, bool, Any, Any, Any]:
    dtype = value.dtype
    found = _by_dtype.get(dtype)
    if found is None:
        name = _NUMPY.get(dtype.name)
        if name is None or not dtype.isnative:
            raise NotAnArray(f"xt has no element type for numpy's {dtype}")
        found = _by_dtype[dtype] = _ELEMENTS[name]
    bytes_each = dtype.itemsize
    steps = value.strides
    for step in steps:
        if step % bytes_each:
            raise NotAnArray(f"its strides {steps} are not multiples of the {bytes_each} bytes of an element")
    data, read_only = interface["data"]
    return found, data, read_only, value.shape, [step // bytes_each for step in steps], value


def _read_dlpack(value: Any, sees: Callable[[int], bool]) -> tuple[int, int, bool, Any, Any, Any]:
    # CUDA's arrays are to be ready for work of the default stream, behind which launches run.
    stream = {"stream": 1} if _device_type(value) in _DL_CUDA else {}
    try:
        capsule = value.__dlpack__(max_version=(1, 0), **stream)
    except TypeError:  # of a package from before version 1
        capsule = value.__dlpack__(**stream)
    read_only = type(value).__module__.partition(".")[0] in _IMMUTABLE
    name = _capsule_name(capsule)
    pointer = _capsule_pointer(capsule, name)
    if name == b"dltensor_versioned":
        managed = _DLManagedTensorVersioned.from_address(pointer)
        if managed.major != 1:
            raise NotAnArray(f"its DLPack version {managed.major} is not known")
        tensor, read_only = managed.tensor, read_only or bool(managed.flags & _DL_READ_ONLY)
    else:
        tensor = _DLTensor.from_address(pointer)
    on_device = tensor.device_type in _DL_DEVICE
    if not (on_device and sees((tensor.data or 0) + tensor.byte_offset)) and tensor.device_type not in _DL_HOST:
        raise NotAnArray(f"it is on a device (DLPack type {tensor.device_type}) whose memory the kernel cannot use")
    found = _DL_TYPES.get((tensor.code, tensor.bits))
    if found is None or tensor.lanes != 1:
        raise NotAnArray(f"xt has no element type for DLPack's type {tensor.code} of {tensor.bits} bits, {tensor.lanes} lanes")
    shape = tensor.shape[:tensor.ndim] if tensor.ndim else []
    strides = (tensor.strides[:tensor.ndim] if tensor.ndim else []) if tensor.strides else packed(shape)
    # The capsule owns the tensor: it stays as long as the capsule.
    return _ELEMENTS[found], (tensor.data or 0) + tensor.byte_offset, read_only, shape, strides, (value, capsule)


def _device_type(value: Any) -> int:
    device = getattr(value, "__dlpack_device__", None)
    return int(device()[0]) if device else 0


def packed(shape: list[int]) -> list[int]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return strides[::-1]
