#!/usr/bin/env python3
"""Writes the wheel of the package xt: the modules beside this file, libxt, and the library of kernels. Needs nothing but Python.

    build_wheel.py --library build/release/lib/libxt.so --stdlib stdlib --version 0.1.0 --output build/release/wheel

The same inputs give the same bytes. The wheel runs where LLVM's shared library is, which libxt loads.
"""

import argparse
import base64
import hashlib
import pathlib
import sysconfig
import zipfile

_HERE = pathlib.Path(__file__).resolve().parent

_METADATA = """Metadata-Version: 2.1
Name: xt
Version: {version}
Summary: Compiles kernels for tiles of matrices, and runs them on arrays
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.9
Description-Content-Type: text/plain

{description}"""

_WHEEL = """Wheel-Version: 1.0
Generator: xt
Root-Is-Purelib: false
Tag: {tag}
"""


def _files(arguments: argparse.Namespace, tag: str) -> dict[str, bytes]:
    """The content of the wheel by path, without the list of it."""
    files = {f"xt/{path.name}": path.read_bytes() for path in sorted((_HERE / "xt").iterdir())
             if path.suffix in (".py", ".typed")}
    files["xt/lib/libxt.so.0"] = pathlib.Path(arguments.library).resolve().read_bytes()
    for path in arguments.beside or []:
        files[f"xt/lib/{pathlib.Path(path).name}"] = pathlib.Path(path).resolve().read_bytes()
    for path in sorted(pathlib.Path(arguments.stdlib).glob("*.xt")):
        files[f"xt/stdlib/{path.name}"] = path.read_bytes()
    description = files["xt/__init__.py"].decode().split('"""')[1]
    info = f"xt-{arguments.version}.dist-info"
    files[f"{info}/METADATA"] = _METADATA.format(version=arguments.version, description=description).encode()
    files[f"{info}/WHEEL"] = _WHEEL.format(tag=tag).encode()
    return files


def _record(files: dict[str, bytes], path: str) -> bytes:
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{path},,\n"]).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libxt.so")
    parser.add_argument("--beside", action="append", help="a shared library that libxt needs and other machines lack")
    parser.add_argument("--stdlib", required=True, help="the folder of the library of kernels")
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True, help="the folder that the wheel is written to")
    arguments = parser.parse_args()
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    files = _files(arguments, tag)
    record = f"xt-{arguments.version}.dist-info/RECORD"
    files[record] = _record(files, record)
    output = pathlib.Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)
    wheel = output / f"xt-{arguments.version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(wheel)


if __name__ == "__main__":
    main()
