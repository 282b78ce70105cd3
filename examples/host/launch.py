#!/usr/bin/env python3
"""A host of its own for kernels in SPIR-V: launches @scale of scale.xt through Level Zero, by the JSON of `xtc --emit=meta`.

  xtc --target=xe-pvc --emit=spirv,meta -o scale.spv scale.xt > scale.json
  xtc --target=xe-pvc --no-block-messages --emit=spirv,meta -o plain.spv scale.xt > plain.json
  launch.py ROWS COLUMNS N [scale plain]

The module with block messages runs where the buffers keep its rules, else the plain one. Exit status: 0 right, 1 not.
Without a GPU, the software device runs it: ZE_ENABLE_ALT_DRIVERS=/absolute/path/of/build/release/lib/libze_xt_soft.so
"""
import ctypes as c
import json
import struct
import sys

ze = c.CDLL("libze_loader.so.1")


def call(name, *arguments):
    result = getattr(ze, name)(*arguments)
    if result:
        sys.exit(f"{name}: {result & 0xffffffff:#x}")


def descriptor(kind, *fields):
    """A structure of Level Zero: its type, no extension, and (ctypes type, value) of its fields."""
    types = [("stype", c.c_uint32), ("next", c.c_void_p)] + [(f"f{i}", t) for i, (t, _) in enumerate(fields)]
    made = type("Descriptor", (c.Structure,), {"_fields_": types})
    return made(kind, None, *[value for _, value in fields])


class Device:
    def __init__(self):
        call("zeInit", 0)
        one, driver = c.c_uint32(1), c.c_void_p()
        self.device, self.context, self.commands = c.c_void_p(), c.c_void_p(), c.c_void_p()
        call("zeDriverGet", c.byref(one), c.byref(driver))
        call("zeDeviceGet", driver, c.byref(one), c.byref(self.device))
        call("zeContextCreate", driver, c.byref(descriptor(0xD, (c.c_uint32, 0))), c.byref(self.context))
        zero, synchronous = (c.c_uint32, 0), (c.c_uint32, 1)
        queue = descriptor(0xE, zero, zero, zero, synchronous, zero)  # ordinal, index, flags, mode, priority
        call("zeCommandListCreateImmediate", self.context, self.device, c.byref(queue), c.byref(self.commands))

    def allocate(self, size, alignment=64):
        on_device, on_host = descriptor(0x15, (c.c_uint32, 0), (c.c_uint32, 0)), descriptor(0x16, (c.c_uint32, 0))
        memory = c.c_void_p()
        call("zeMemAllocShared", self.context, c.byref(on_device), c.byref(on_host), c.c_size_t(size), c.c_size_t(alignment), self.device, c.byref(memory))
        return memory.value

    def kernel(self, spirv, meta):
        """Kernels that want the large register file get it by a build option."""
        options = meta["buildOptions"]["levelZero"].encode()
        module, kernel = c.c_void_p(), c.c_void_p()
        code = c.create_string_buffer(spirv, len(spirv))
        build = descriptor(0x1B, (c.c_uint32, 0), (c.c_size_t, len(spirv)), (c.c_void_p, c.addressof(code)), (c.c_char_p, options), (c.c_void_p, None))
        call("zeModuleCreate", self.context, self.device, c.byref(build), c.byref(module), None)
        call("zeKernelCreate", module, c.byref(descriptor(0x1D, (c.c_uint32, 0), (c.c_char_p, meta["entry"].encode()))), c.byref(kernel))
        call("zeKernelSetGroupSize", kernel, *meta["workgroup"])
        return kernel

    def launch(self, kernel, arguments, groups):
        for index, value in enumerate(arguments):
            call("zeKernelSetArgumentValue", kernel, index, c.c_size_t(len(value)), c.c_char_p(value))
        call("zeCommandListAppendLaunchKernel", self.commands, kernel, c.byref((c.c_uint32 * 3)(*groups)), None, 0, None)


class Matrix:
    """Element [0, 0] at `address`; rows are `stride` elements apart."""

    def __init__(self, address, rows, columns):
        self.address, self.size, self.stride = address, [rows, columns], [columns, 1]


def broken_rule(meta, matrices):
    """The first rule of the module's block messages that a matrix breaks; None: it may be launched."""
    for rule in meta["blockRules"]:
        matrix, name = matrices[rule["parameter"]], rule["parameter"]
        bytes_of = next(p["elementBytes"] for p in meta["parameters"] if p["name"] == name)
        first, last = (1, 0) if rule["transposed"] else (0, 1)  # the dimensions of its rows and columns
        width, pitch, rows = matrix.size[last] * bytes_of, matrix.stride[first] * bytes_of, matrix.size[first]
        if matrix.address % rule["baseAlignment"]:
            return f"{name} begins at an address that {rule['baseAlignment']} does not divide"
        if width < rule["minimalWidth"] or width % rule["widthMultiple"]:
            return f"{name} has rows of {width} bytes"
        if pitch < max(width, rule["minimalPitch"]) or pitch % rule["pitchMultiple"]:
            return f"{name} has rows that are {pitch} bytes apart"
        if max(width, pitch, rows) > rule["maximalExtent"] or matrix.stride[last] != 1:
            return f"{name} has a shape that no message takes"
    return None


def argument(entry, matrices, scalars, grid, outcome):
    """The bytes of one argument of the entry point."""
    what = entry["what"]
    if what == "value":
        return scalars[entry["parameter"]]
    if what in ("lower", "step"):
        return struct.pack("<q", grid[entry["variable"]][what])
    if what == "outcome":
        return struct.pack("<Q", outcome)
    matrix = matrices[entry["parameter"]]
    return struct.pack("<Q", matrix.address) if what == "address" else struct.pack("<q", getattr(matrix, what)[entry["dimension"]])


def failure(meta, word):
    """What the outcome word says; None: nothing failed."""
    outcome = meta["outcome"]
    if word == int(outcome["initial"], 16):
        return None
    number = (word & 0xFFFFFFFF) >> outcome["failureShift"]
    found = [f for f in outcome["failures"] if f["first"] <= number < f["first"] + f["count"]][0]
    return f"line {found['line']}: {found['text']} (workgroup {word >> outcome['workgroupShift']})"


def main():
    rows, columns, n = map(int, sys.argv[1:4])
    names = sys.argv[4:6] or ["scale", "plain"]
    metas = [json.load(open(f"{name}.json"))["kernels"][0] for name in names]
    device = Device()
    a, b = (Matrix(device.allocate(4 * rows * columns), rows, columns) for _ in "ab")
    source, result = ((c.c_float * (rows * columns)).from_address(m.address) for m in (a, b))
    source[:] = [float(i % 97) for i in range(rows * columns)]
    matrices, scalars = {"A": a, "B": b}, {"f": struct.pack("<f", 2.0), "n": struct.pack("<q", n)}
    why = broken_rule(metas[0], matrices)
    which = 1 if why else 0
    print(f"without block messages: {why}" if why else "with block messages")
    meta = metas[which]
    kernel = device.kernel(open(f"{names[which]}.spv", "rb").read(), meta)
    grid = {v["variable"]: {"lower": int(v["lower"]), "step": int(v["step"])} for v in meta["grid"]}
    counts = {v["groupId"]: -(-extent // int(v["step"])) for v, extent in zip(meta["grid"], (rows, columns))}
    word = c.c_uint64.from_address(device.allocate(8))
    if meta["outcome"]:
        word.value = int(meta["outcome"]["initial"], 16)
    arguments = [argument(entry, matrices, scalars, grid, c.addressof(word)) for entry in meta["arguments"]]
    device.launch(kernel, arguments, [counts.get(axis, 1) for axis in "xyz"])
    told = failure(meta, word.value) if meta["outcome"] else None
    wrong = sum(y != 2 * x for x, y in zip(source, result))
    print(told or f"{wrong} wrong of {rows * columns}")
    return 1 if told or wrong else 0


sys.exit(main())
