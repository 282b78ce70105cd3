"""Tests of the package xt with numpy; run by tests/targets/api/python_test.cc."""

import gc
import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np
import xt

SCALE = """kernel @scale(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %by: f32)
    grid (%i = 0 to dim(%X, 0) step 16, %j = 0 to dim(%X, 1) step 64) {
  %tx = init_tile %X[%i, %j] -> tile<16x64xf32>
  %x  = load_tile %tx
  %ty = init_tile %Y[%i, %j] -> tile<16x64xf32>
  store_tile (%x * %by), %ty
}
"""


def stored(element, op="memref.store %x, %B[0]"):
    """A kernel that copies the first element of one array to another."""
    return f"""kernel @copy(%A: memref<?x{element}>, %B: memref<?x{element}>) {{
  %x = memref.load %A[0]
  {op}
}}
"""


class Compiling(unittest.TestCase):
    def test_a_file_with_parameters(self):
        program = xt.compile(Path(__file__).parents[4] / "stdlib/gemm.xt", GEMM_T="f32", GEMM_BM=128)
        self.assertEqual([p.type for p in program.gemm.parameters], ["memref<?x?xf32>"] * 3)
        a, b = np.random.default_rng(1).random((2, 65, 65), np.float32)
        c = np.empty((65, 65), np.float32)
        program.gemm(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-4)

    def test_kernels_are_attributes_and_items(self):
        program = xt.compile(text=SCALE)
        self.assertIs(program.scale, program["scale"])
        self.assertIn("scale", dir(program))
        with self.assertRaisesRegex(AttributeError, "scale"):
            program.skale
        with self.assertRaisesRegex(xt.NotFoundError, "scale"):
            program["skale"]

    def test_signatures(self):
        scale = xt.compile(text=SCALE).scale
        x, y, by = scale.parameters
        self.assertEqual((x.name, x.element, x.shape, x.strides), ("X", "f32", (None, None), (None, 1)))
        self.assertTrue(x.reads and not x.writes and y.writes and not by.is_array)
        self.assertTrue(scale.__doc__.startswith("kernel @scale(%X"))
        self.assertEqual(scale.description["kernel"], "scale")

    def test_mistakes_print_the_compilers_message(self):
        with self.assertRaises(xt.CompileError) as caught:
            xt.compile("bad.xt", text=SCALE.replace("store_tile (%x", "store_tile (%z"))
        self.assertIn("--> bad.xt:6:15", str(caught.exception))
        self.assertIn("store_tile (%z * %by), %ty", str(caught.exception))
        (diagnostic,) = caught.exception.diagnostics
        self.assertEqual((diagnostic.severity, diagnostic.range.line, diagnostic.range.column), ("error", 6, 15))
        self.assertEqual(caught.exception.status, "XT_COMPILE_FAILED")

    def test_fixes_are_edits(self):
        with self.assertRaises(xt.CompileError) as caught:
            xt.compile(text="kernel @k(%A: mmref<4xf32>) {\n}\n")
        (fix,) = caught.exception.diagnostics[0].fixes
        self.assertEqual(fix.edits[0].replacement, "memref")
        self.assertEqual(caught.exception.diagnostics[0].notes, ("did you mean `memref`?",))

    def test_pictures_of_layouts(self):
        text = """kernel @k(%A: memref<64x64xf32>) {
  %t = init_tile %A[0, 0] -> tile<64x64xf32>
  %a = load_tile %t {#wg_map<sg_layout = [4, 2], sg_data = [16, 32]>}
  %b = load_tile %t {#wg_map<sg_layout = [8, 1], sg_data = [8, 64]>}
  %c = %a + %b
}
"""
        with self.assertRaises(xt.CompileError) as caught:
            xt.compile(text=text)
        self.assertIn("one cell = 16x32, the number is the subgroup", str(caught.exception))
        self.assertIn("%a: one cell", caught.exception.diagnostics[-1].picture)

    def test_targets(self):
        self.assertIn("cpu", xt.targets())
        self.assertTrue(xt.version().startswith("xt "))
        with self.assertRaisesRegex(xt.NotFoundError, "unknown target `vax`"):
            xt.compile(text=SCALE, target="vax")

    def test_devices(self):
        for target in xt.targets():
            try:
                for device in xt.devices(target):
                    self.assertTrue(device.name or device.problem)
            except xt.Error as error:  # no driver
                self.assertTrue(str(error))
        with self.assertRaisesRegex(xt.NotFoundError, "unknown target `vax`"):
            xt.devices("vax")

    def test_imports(self):
        text = 'import "lib"\nkernel @k(%x: i32) {\n  %y = @twice(%x)\n  print "y", %y\n}\n'
        library = "func @twice(%x: i32) -> i32 {\n  return %x + %x\n}\n"
        for imports in ({"lib.xt": library}, {"lib.xt": library}.get):
            lines = []
            xt.compile(text=text, imports=imports, print=lines.append).k(21)
            self.assertIn("y: 42", "".join(lines))
        with self.assertRaisesRegex(xt.CompileError, "lib"):
            xt.compile(text=text, imports={})

    def test_exceptions_of_callbacks_come_back(self):
        def fails(_):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            xt.compile(text='import "lib"\n', imports=fails)
        program = xt.compile(text='kernel @k(%x: i32) {\n  print "x", %x\n}\n', print=fails)
        with self.assertRaisesRegex(KeyError, "mine"):
            program.k(1)


class Launching(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scale = staticmethod(xt.compile(text=SCALE).scale)  # the program itself may go

    def test_arrays_are_not_copied(self):
        gc.collect()
        x = np.arange(35 * 70, dtype=np.float32).reshape(35, 70)
        y = np.empty_like(x)
        self.scale(x, y, 0.5)
        np.testing.assert_array_equal(y, x * np.float32(0.5))
        self.scale(X=x, by=np.float64(2), Y=y)
        np.testing.assert_array_equal(y, x * 2)

    def test_views_and_strides(self):
        x = np.arange(40 * 90, dtype=np.float32).reshape(40, 90)
        y = np.full((50, 100), -1, np.float32)
        self.scale(x[3:23, 5:75], y[10:30, 20:90], 3)
        expected = np.full_like(y, -1)
        expected[10:30, 20:90] = x[3:23, 5:75] * 3
        np.testing.assert_array_equal(y, expected)
        self.scale(x[::2, :70], y[:20, :70], 1)
        np.testing.assert_array_equal(y[:20, :70], x[::2, :70])
        with self.assertRaisesRegex(xt.ArgumentError, "`X` of @scale: dimension 0 has stride -90, but strides are not negative"):
            self.scale(x[::-1, :70], y[:40, :70], 1)

    def test_fortran_order_where_the_kernel_allows_it(self):
        x = np.asfortranarray(np.ones((20, 30), np.float32))
        with self.assertRaises(xt.ArgumentError) as caught:
            self.scale(x, np.empty_like(x), 1)
        self.assertEqual((caught.exception.argument, caught.exception.index), ("X", 0))
        any_order = xt.compile(text="""kernel @first(%A: memref<?x?xf32, strided<[?, ?]>>, %B: memref<?xf32>) {
  %x = memref.load %A[1, 2]
  memref.store %x, %B[0]
}
""").first
        a, b = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4)), np.zeros(1, np.float32)
        any_order(a, b)
        self.assertEqual(b[0], a[1, 2])

    def test_arrays_that_are_written(self):
        x, y = np.ones((4, 4), np.float32), np.ones((4, 4), np.float32)
        y.flags.writeable = False
        with self.assertRaisesRegex(xt.ArgumentError, "`Y` of @scale: it is read-only"):
            self.scale(x, y, 1)
        with self.assertRaisesRegex(xt.ArgumentError, "several of its indices"):
            self.scale(x, np.lib.stride_tricks.as_strided(x, (4, 4), (0, 4)), 1)
        self.scale(y, x, 2)
        np.testing.assert_array_equal(x, y * 2)

    def test_wrong_arguments(self):
        x = np.ones((4, 4), np.float32)
        for wrong, why in ((x.astype(np.float64), "an array of f64"), (x[0], "1 dimensions"), (3, "int is no array"),
                           ([1.0], "list is no array"), (x.astype(complex), "no element type"),
                           (x.astype(">f4"), "no element type"), (x.view(np.int8).reshape(-1)[1:9].view(np.float32).reshape(2, 1), "multiple of 4"),
                           (np.ones((1,) * 6, np.float32), "rank is 6")):
            with self.subTest(why), self.assertRaisesRegex(xt.ArgumentError, why):
                self.scale(wrong, x, 1)
        with self.assertRaisesRegex(xt.ArgumentError, "`by`.*str is no number"):
            self.scale(x, x, "1")
        record = np.zeros((4, 4), [("a", np.int8), ("b", np.float32)])["b"]
        with self.assertRaisesRegex(xt.ArgumentError, "not multiples of the 4 bytes"):
            self.scale(record, x, 1)

    def test_wrong_numbers_of_arguments(self):
        x = np.ones((4, 4), np.float32)
        for args, named, why in (((x, x), {}, "takes 3 arguments, not 2"), ((x, x), {"Z": 1}, "no parameter `Z`"),
                                 ((x, x), {"X": x}, "two arguments for `X`"), ((x,), {"by": 1}, "misses the argument `Y`")):
            with self.subTest(why), self.assertRaisesRegex(TypeError, why):
                self.scale(*args, **named)

    def test_element_types(self):
        for name, kind in (("f16", np.float16), ("f64", np.float64), ("i8", np.int8), ("u16", np.uint16), ("i64", np.int64),
                           ("u64", np.uint64), ("i1", np.bool_), ("index", np.int64), ("tf32", np.float32), ("i4", np.int8)):
            with self.subTest(name):
                a, b = np.ones(3, kind), np.zeros(3, kind)
                xt.compile(text=stored(name)).copy(a, b)
                np.testing.assert_array_equal(b, np.array([1, 0, 0], kind))

    def test_integers(self):
        lines = []
        show = xt.compile(text='kernel @k(%u: u64, %i: i8) {\n  print "u", %u\n  print "i", %i\n}\n', print=lines.append).k
        show(2**64 - 1, np.int32(-128))
        self.assertIn("u: 18446744073709551615", "".join(lines))
        self.assertIn("i: -128", "".join(lines))
        for wrong in ((-1, 0), (2**64, 0), (0, 128), (0, 2**70), (0, 0.5)):
            with self.subTest(wrong), self.assertRaises(xt.ArgumentError):
                show(*wrong)

    def test_grids(self):
        groups = xt.compile(text="""kernel @groups(%N: memref<?x?xi32>) {
  %x = block_id x
  %y = block_id y
  %n = index_cast(%y * 10 + %x) : i32
  memref.store %n, %N[%y, %x]
}
""").groups
        n = np.zeros((2, 3), np.int32)
        groups(n, grid=(3, 2))
        np.testing.assert_array_equal(n, [[0, 1, 2], [10, 11, 12]])
        with self.assertRaises(xt.ArgumentError):
            groups(n, grid=())
        with self.assertRaisesRegex(xt.ArgumentError, "own grid"):
            self.scale(*[np.ones((4, 4), np.float32)] * 2, 1, grid=(1,))

    def test_prepared_launches_keep_their_arrays(self):
        y = np.zeros((4, 4), np.float32)
        run = xt.compile(text=SCALE).scale.prepare(np.full((4, 4), 3, np.float32), y, 2)
        gc.collect()
        run()
        np.testing.assert_array_equal(y, 6)

    def test_failed_asserts(self):
        kernel = xt.compile("own.xt", text='kernel @k(%n: i32) {\n  assert (%n > 3), "n is small"\n}\n').k
        with self.assertRaisesRegex(xt.KernelError, "^own.xt:2:.*n is small"):
            kernel(3)

    def test_children_of_fork_launch(self):
        k = xt.compile(text=SCALE, threads=2)
        x, y = np.ones((64, 128), np.float32), np.zeros((64, 128), np.float32)
        k.scale(x, y, 2.0)
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            z = np.zeros_like(x)
            k.scale(x, z, 3.0)
            os._exit(0 if (z == 3).all() else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_wrong_options(self):
        for threads in (-1, 1 << 40):
            with self.assertRaises(ValueError):
                xt.compile(text=SCALE, threads=threads)
        for options in ({"path": "a\0b"}, {"target": "cpu\0x"}, {"N": "8\0"}, {"defines": {"N\0": 8}}):
            with self.assertRaises(ValueError):
                xt.compile(**options)

    def test_threads(self):
        wrong = []

        def work(factor):
            x = np.full((33, 65), factor, np.float32)
            y = np.empty_like(x)
            for _ in range(20):
                self.scale(x, y, factor)
                if not (y == x * np.float32(factor)).all():
                    wrong.append(factor)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class OfDlpack:
    """An array that has nothing but DLPack's protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class OtherArrays(unittest.TestCase):
    def test_dlpack(self):
        x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.zeros((6, 4), np.float32)
        xt.compile(text=SCALE).scale(OfDlpack(x), OfDlpack(y[::2]), 2)
        np.testing.assert_array_equal(y[::2], x * 2)
        np.testing.assert_array_equal(y[1::2], 0)

    def test_dlpack_types(self):
        copy = xt.compile(text=stored("i16")).copy
        with self.assertRaisesRegex(xt.ArgumentError, "an array of f32"):
            copy(OfDlpack(np.zeros(3, np.float32)), np.zeros(3, np.int16))
        with self.assertRaisesRegex(xt.ArgumentError, "no element type"):
            copy(OfDlpack(np.zeros(3, complex)), np.zeros(3, np.int16))

    def test_bf16(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        a, b = np.ones(3, ml_dtypes.bfloat16), np.zeros(3, ml_dtypes.bfloat16)
        xt.compile(text=stored("bf16")).copy(a, b)
        self.assertEqual(list(b), [1, 0, 0])

    def test_jax(self):
        try:
            import jax.numpy as jnp
        except ImportError:
            self.skipTest("JAX is not installed")
        x, y = jnp.arange(12, dtype=jnp.float32).reshape(3, 4), np.zeros((3, 4), np.float32)
        scale = xt.compile(text=SCALE).scale
        scale(x, y, 2)
        np.testing.assert_array_equal(y, x * 2)
        with self.assertRaisesRegex(xt.ArgumentError, "`Y` of @scale: it is read-only"):
            scale(y, x, 2)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        x, y = torch.rand(35, 70), torch.zeros(35, 70)
        xt.compile(text=SCALE).scale(x, y, 2)
        self.assertTrue(torch.equal(y, x * 2))
        a, b = torch.ones(3, dtype=torch.bfloat16), torch.zeros(3, dtype=torch.bfloat16)
        xt.compile(text=stored("bf16")).copy(a, b)
        self.assertEqual(b.tolist(), [1, 0, 0])


class Tuning(unittest.TestCase):
    TEXT = """param $ROWS : index = 32 in [8, 16, 32]
kernel @twice(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) grid (%i = 0 to dim(%X, 0) step $ROWS) {
  %tx = init_tile %X[%i, 0] -> tile<$ROWS x 64 x f32>
  %x  = load_tile %tx
  %ty = init_tile %Y[%i, 0] -> tile<$ROWS x 64 x f32>
  store_tile (%x * 2.0), %ty
}
test "twice" {
  %X = random(seed = 1) : memref<64x64xf32>
  %Y = out : memref<64x64xf32>
  launch @twice(%X, %Y)
  check %Y == %X * 2
}
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "twice.xt")
        self.path.write_text(self.TEXT)

    def test_what_is_found_is_written_and_used(self):
        stages = []
        (found,) = xt.autotune(self.path, tests=["twice"], seconds=600, progress=stages.append)
        self.assertEqual((found.kernel, found.arrays, found.candidates), ("twice", ((64, 64), (64, 64)), 3))
        self.assertIn(found.values["ROWS"], ("8", "16", "32"))
        self.assertTrue(stages[0].startswith('"twice": 1 of 3'))
        self.assertIn(f"\nvalues ROWS = {found.values['ROWS']}\n", Path(f"{self.path}.tune").read_text())
        x, y = np.ones((10, 64), np.float32), np.zeros((10, 64), np.float32)
        for tuning in (None, "", f"{self.path}.tune"):
            y[:] = 0
            xt.compile(self.path, tuning=tuning).twice(x, y)
            np.testing.assert_array_equal(y, x * 2)

    def test_interrupts_end_the_search_and_keep_what_was_found(self):
        def interrupt(_stage):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            xt.autotune(self.path, seconds=600, progress=interrupt)
        self.assertIn("\nvalues ROWS = 32\n", Path(f"{self.path}.tune").read_text())

    def test_mistakes(self):
        with self.assertRaisesRegex(xt.NotFoundError, "no test of .*twice.xt is called \"thrice\""):
            xt.autotune(self.path, tests=["thrice"])
        with self.assertRaisesRegex(xt.Error, "nothing could be tuned: \"twice\": it has no parameter to tune"):
            xt.autotune(self.path, ROWS=8)

    def test_bench(self):
        x, y = np.ones((10, 64), np.float32), np.zeros((10, 64), np.float32)
        kernel = xt.compile(self.path).twice
        times = xt.bench(kernel, x, Y=y, seconds=0.05)
        self.assertTrue(0 < times.low <= times.median <= times.high)
        self.assertGreaterEqual(times.count, 7)
        np.testing.assert_array_equal(y, x * 2)
        with self.assertRaises(xt.ArgumentError):
            xt.bench(kernel, x, x[0])


SLOW = """kernel @slow(%A: memref<?xf32>) grid (%i = 0 to dim(%A, 0) step 1) {
  %x = memref.load %A[%i]
  for %k = 0 to 1000000 step 1 {
    %x = %x * 0.5 + 1.0
  }
  memref.store %x, %A[%i]
}
"""


def _as_cuda(capsule):
    """The same tensor, which now says that it is in memory of a CUDA device."""
    from xt import _arrays as a
    name = a._capsule_name(capsule)
    tensor = a._DLManagedTensorVersioned.from_address(a._capsule_pointer(capsule, name)).tensor
    tensor.device_type = 2
    return capsule


class Devices(unittest.TestCase):
    def setUp(self):
        self.program = xt.compile(text=SCALE)

    def test_buffers_are_arguments(self):
        x = np.arange(20 * 30, dtype=np.float32).reshape(20, 30)
        a, b = self.program.buffer((20, 30)).write(x), self.program.buffer((20, 30), "f32")
        self.program.scale(a, b, 3)
        np.testing.assert_array_equal(b.read(np.empty_like(x)), 3 * x)
        self.assertEqual(repr(a), "<Buffer 20x30xf32>")

    def test_buffers_refuse_other_arrays(self):
        a = self.program.buffer((4, 4))
        with self.assertRaisesRegex(xt.ArgumentError, "other elements"):
            a.write(np.zeros((4, 4)))
        with self.assertRaisesRegex(xt.ArgumentError, "gaps"):
            a.write(np.zeros((4, 8), np.float32)[:, ::2])
        with self.assertRaisesRegex(xt.ArgumentError, "gaps"):
            a.read(np.zeros((4, 4), np.float32, order="F"))
        fixed = np.zeros((4, 4), np.float32)
        fixed.flags.writeable = False
        with self.assertRaisesRegex(xt.ArgumentError, "read-only"):
            a.read(fixed)
        a.write(fixed)
        with self.assertRaisesRegex(xt.ArgumentError, "element type `f31`"):
            self.program.buffer((4,), "f31")
        with self.assertRaisesRegex(xt.ArgumentError, "extents"):
            self.program.buffer((-1,))

    def test_streams_run_in_order(self):
        x, y = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
        a, b = self.program.buffer(x.shape), self.program.buffer(x.shape)
        stream, other = xt.Stream(), xt.Stream()
        stream.write(a, x)
        begin = stream.record()
        for _ in range(4):
            stream.run(self.program.scale.prepare(a, b, 2))
            stream.run(self.program.scale.prepare(b, a, 3))
        end = stream.record()
        other.wait(end)
        other.read(a, y)
        other.finish()
        self.assertTrue(end.done)
        self.assertGreaterEqual(begin.seconds_to(end), 0)
        stream.finish()
        np.testing.assert_array_equal(y, np.full_like(y, 6**4))

    def test_streams_raise_where_they_are_finished(self):
        program = xt.compile(text='kernel @check(%n: i32) {\n  assert (%n > 0), "not positive"\n}\n')
        stream = xt.Stream()
        stream.run(program.check.prepare(-1))
        with self.assertRaisesRegex(xt.KernelError, "not positive"):
            stream.finish()
        stream.finish()

    def test_launches_have_a_time_limit(self):
        slow = xt.compile(text=SLOW, threads=1).slow
        with self.assertRaisesRegex(xt.StoppedError, "was stopped"):
            slow(np.zeros(100000, np.float32), timeout=0.05)
        slow(np.zeros(1, np.float32), timeout=1000)
        with self.assertRaisesRegex(xt.ArgumentError, "above 0"):
            slow(np.zeros(1, np.float32), timeout=0)

    def test_other_threads_stop_launches_and_compilations(self):
        slow, stop = xt.compile(text=SLOW, threads=1).slow, xt.Stop()
        slow(np.zeros(1, np.float32), stop=stop)
        timer = threading.Timer(0.05, stop.set)
        timer.start()
        with self.assertRaisesRegex(xt.StoppedError, "was stopped"):
            slow(np.zeros(100000, np.float32), stop=stop)
        timer.join()
        with self.assertRaises(xt.StoppedError):
            slow.prepare(np.zeros(100000, np.float32), stop=stop)()
        with self.assertRaises(xt.StoppedError):
            xt.compile(text=SLOW, stop=stop)
        stop.clear()
        self.assertFalse(stop.is_set())
        xt.compile(text=SLOW, stop=stop)
        with self.assertRaisesRegex(xt.ArgumentError, "`stop` is an xt.Stop"):
            slow(np.zeros(1, np.float32), stop=1)

    def test_streams_raise_what_prints_raise(self):
        def show(text):
            raise ValueError(text)

        program = xt.compile(text='kernel @say(%n: i32) {\n  print "n", %n\n}\n', print=show)
        stream = xt.Stream()
        stream.run(program.say.prepare(7))
        with self.assertRaisesRegex(ValueError, "n: 7"):
            stream.finish()

    def test_arrays_on_a_device_are_refused_where_the_kernel_cannot_use_them(self):
        class OnCuda:
            def __init__(self, of):
                self.of = of
            def __dlpack_device__(self):
                return (2, 0)
            def __dlpack__(self, *, stream, max_version):
                assert stream == 1
                return _as_cuda(self.of.__dlpack__(max_version=max_version))
        with self.assertRaisesRegex(xt.ArgumentError, "DLPack type 2.*cannot use"):
            self.program.scale(OnCuda(np.zeros((4, 4), np.float32)), np.zeros((4, 4), np.float32), 1)

    def test_native_objects_need_a_gpu(self):
        with self.assertRaisesRegex(xt.ArgumentError, "runs on no GPU"):
            xt.compile(text=SCALE, native=(1, 2, 0))


if __name__ == "__main__":
    unittest.main()
