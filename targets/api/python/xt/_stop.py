"""Stops launches and compilations from another thread."""

from __future__ import annotations

import ctypes

from ._errors import ArgumentError


class Stop:
    """A flag as threading.Event: launches on the CPU and compilations that have it as `stop` raise StoppedError once it is set.

    No workgroup of a launch, and no pass of a compilation, begins then; what has begun ends.
    """

    def __init__(self) -> None:
        self._flag = ctypes.c_int32(0)

    def set(self) -> None:
        """Stops what has this flag, also what begins later."""
        self._flag.value = 1

    def clear(self) -> None:
        """Lets later launches and compilations run."""
        self._flag.value = 0

    def is_set(self) -> bool:
        return bool(self._flag.value)


def flag_of(stop: Stop | None) -> ctypes._Pointer[ctypes.c_int32] | None:
    """What libxt takes; the caller keeps `stop` alive."""
    if stop is None:
        return None
    if not isinstance(stop, Stop):
        raise ArgumentError(f"`stop` is an xt.Stop, not an object of type {type(stop).__name__}", "XT_INVALID_ARGUMENT", "stop")
    return ctypes.pointer(stop._flag)
