"""Failures of libxt as exceptions, and messages of the compiler as data."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _library as c


@dataclasses.dataclass(frozen=True)
class Range:
    """Bytes [begin, end) of a file's text; lines and columns count from 1, columns in characters."""

    file: str
    begin: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclasses.dataclass(frozen=True)
class Edit:
    range: Range
    replacement: str


@dataclasses.dataclass(frozen=True)
class Fix:
    """Edits that mend a mistake, from the last position to the first, so that applying one does not move the others."""

    title: str
    edits: tuple[Edit, ...]


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler. str() is what xtc prints, with the excerpt of the source and the picture."""

    severity: str  # "error", "warning", "remark"
    code: str
    message: str
    range: Range
    label: str
    picture: str
    text: str
    labels: tuple[tuple[Range, str], ...]
    notes: tuple[str, ...]
    fixes: tuple[Fix, ...]

    def __str__(self) -> str:
        return self.text


class Error(Exception):
    """A failure of xt. `argument` is the parameter that is wrong, or ""; `index` its place among a kernel's arguments, or -1."""

    def __init__(self, message: str, status: str, argument: str = "", index: int = -1, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(message)
        self.status = status
        self.argument = argument
        self.index = index
        self.diagnostics = diagnostics


class CompileError(Error):
    """The program is wrong. `diagnostics` are the messages; str() shows them as xtc prints them."""


class ArgumentError(Error, ValueError):
    """An argument of a launch, or of a function, is wrong. Nothing has run."""


class NotFoundError(Error, LookupError):
    """There is no such kernel, target or device."""


class KernelError(Error):
    """A kernel failed: an assert, a deadlock. The arrays that it writes have any content."""


class StoppedError(Error):
    """A launch took longer than its `timeout`, or its `stop` was set. The arrays that it writes have any content."""


_CLASSES = {c.INVALID_ARGUMENT: ArgumentError, c.COMPILE_FAILED: CompileError, c.NOT_FOUND: NotFoundError,
            c.KERNEL_FAILED: KernelError, c.STOPPED: StoppedError}


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def _range(of: c.Range) -> Range:
    return Range(_text(of.file), of.begin, of.end, of.line, of.column, of.end_line, of.end_column)


def _diagnostic(of: c.Diagnostic) -> Diagnostic:
    fixes = [Fix(_text(fix.title), tuple(Edit(_range(e.range), _text(e.replacement)) for e in fix.edits[:fix.edit_count]))
             for fix in of.fixes[:of.fix_count]]
    return Diagnostic(("error", "warning", "remark")[of.severity], _text(of.code), _text(of.message), _range(of.range),
                      _text(of.label), _text(of.picture), _text(of.text),
                      tuple((_range(label.range), _text(label.text)) for label in of.labels[:of.label_count]),
                      tuple(_text(note) for note in of.notes[:of.note_count]), tuple(fixes))


def diagnostics_of(handle: Any) -> tuple[Diagnostic, ...]:
    lib = c.library
    return tuple(_diagnostic(lib.xt_diagnostics_at(handle, i).contents) for i in range(lib.xt_diagnostics_count(handle)))


def exception(error: c.Error, diagnostics: tuple[Diagnostic, ...] = ()) -> Error:
    """The exception for a failed call."""
    message = _text(error.message)
    if error.status == c.COMPILE_FAILED and diagnostics:
        message = "\n" + "\n".join(d.text for d in diagnostics if d.severity != "remark")
    kind = _CLASSES.get(error.status, Error)
    return kind(message, _text(c.library.xt_status_name(error.status)), _text(error.argument), error.index, diagnostics)
