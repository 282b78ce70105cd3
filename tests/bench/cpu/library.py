"""Times kernels of the standard library on this processor beside NumPy and onnxruntime, on the same shapes and threads.

    tests/bench/cpu/library                       all rows, with 2 threads, as a table
    tests/bench/cpu/library --threads 1 conv2d    rows whose names contain a word

Each row is one process of xtrun, which verifies its results first (of large outputs a part), and calls of the peers in this process,
whose results are not looked at. Times are medians. A peer without the operator has no entry.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("words", nargs="*", help="rows whose names contain one of these words; default: all")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--xtrun", required=True)
options = parser.parse_args()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(options.threads)

import numpy as np  # noqa: E402  reads the variables above
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

random = np.random.default_rng(1)


def normal(*shape):
    return random.standard_normal(shape, dtype=np.float32)


# Milliseconds per call, the median of the calls of about a second, after one call that is not timed.
def measure(call):
    call()
    times, end = [], time.perf_counter() + 1.0
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


# Milliseconds per sequence of launches of a test; the file has one test, which must pass.
def ours(text):
    with tempfile.NamedTemporaryFile("w", suffix=".xt") as file:
        file.write(text)
        file.flush()
        command = [options.xtrun, "--target=cpu", "--bench", "--bench-time", "4", "--json", "--threads", str(options.threads), file.name]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"xtrun failed:\n{text}\n{run.stdout}{run.stderr}")
        return 1e3 * json.loads(run.stdout)["files"][0]["tests"][0]["runs"][0]["bench"]["median"]


# A call of a model of one operator, with `inputs` and constant `weights`, both by name.
# `absent` are the positions of optional inputs that are left out.
def onnx_call(op, inputs, weights=(), outputs=1, opset=21, domain="", absent=(), **attributes):
    names = list(inputs) + list(dict(weights))
    for position in absent:
        names.insert(position, "")
    node = helper.make_node(op, names, [f"out{i}" for i in range(outputs)], domain=domain, **attributes)
    types = {np.float32: TensorProto.FLOAT, np.int64: TensorProto.INT64, np.int32: TensorProto.INT32, np.uint8: TensorProto.UINT8}
    graph = helper.make_graph(
        [node],
        op,
        [helper.make_tensor_value_info(n, types[v.dtype.type], v.shape) for n, v in inputs.items()],
        [helper.make_empty_tensor_value_info(f"out{i}") for i in range(outputs)],
        [onnx.numpy_helper.from_array(v, n) for n, v in dict(weights).items()],
    )
    sets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    model = helper.make_model(graph, opset_imports=sets, ir_version=10)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    settings.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)[0]


rows = []


# Registers a row: a function that returns the text of our test and the calls of the peers, by name.
def row(name):
    def add(function):
        rows.append((name, function))
        return function

    return add


@row("cumsum 4096x4096")
def cumsum():
    x = normal(4096, 4096)
    text = """import "std/scan"
test "row" {
  %X = random(seed = 1) : memref<4096x4096xf32>
  %Y = out : memref<4096x4096xf32>
  launch @cumsum(%X, %Y) {SCAN_T = f32}
  check %Y == cumsum(%X, 1)
}
"""
    out = np.empty_like(x)
    return text, {
        "numpy": lambda: np.cumsum(x, axis=1, out=out),
        "onnxruntime": onnx_call("CumSum", {"x": x}, {"axis": np.array(1, dtype=np.int64)}),
    }


@row("top 16 of 4096x4096")
def topk():
    x = normal(4096, 4096)

    def partition():
        part = np.argpartition(-x, 16, axis=1)[:, :16]
        values = np.take_along_axis(x, part, 1)
        order = np.argsort(-values, axis=1, kind="stable")
        return np.take_along_axis(values, order, 1)

    text = """import "std/topk"
test "row" {
  %X = random(seed = 1, dist = "normal") : memref<4096x4096xf32>
  %V = out : memref<4096x16xf32>
  %I = out : memref<4096x16xi32>
  launch @topk(%X, %V, %I)
  check %V == sort(%X, 1)[:, :-17:-1] exactly
}
"""
    k = np.array([16], dtype=np.int64)
    return text, {"numpy": partition, "onnxruntime": onnx_call("TopK", {"x": x}, {"k": k}, outputs=2)}


@row("argmax 4096x4096")
def argmax():
    x = normal(4096, 4096)
    text = """import "std/topk"
test "row" {
  %X = random(seed = 1, dist = "normal") : memref<4096x4096xf32>
  %I = out : memref<4096x1xi32>
  launch @argmax(%X, %I)
  check %I == argmax(%X, 1) exactly
}
"""
    return text, {"numpy": lambda: np.argmax(x, axis=1), "onnxruntime": onnx_call("ArgMax", {"x": x}, axis=1)}


@row("cross entropy 1024x32000")
def cross_entropy():
    x, label = normal(1024, 32000), random.integers(0, 32000, 1024)

    def losses():
        top = x.max(axis=1, keepdims=True)
        return np.log(np.exp(x - top).sum(axis=1)) + top[:, 0] - x[np.arange(1024), label]

    text = """import "std/cross_entropy"
test "row" {
  %X     = random(seed = 1, low = -5, high = 5) : memref<1024x32000xf32>
  %label = ints(0, 31999, seed = 2) : memref<1024xi32>
  %loss  = out : memref<1024xf32>
  %lse   = out : memref<1024xf32>
  launch @cross_entropy(%X, %label, %loss, %lse)
  check %lse == log(sum(exp(%X), 1))[:, 0]
}
"""
    inputs = {"x": x, "label": label.astype(np.int64)}
    return text, {"numpy": losses, "onnxruntime": onnx_call("SoftmaxCrossEntropyLoss", inputs, reduction="none", opset=13)}


@row("transpose 4096x4096")
def transpose():
    x, out = normal(4096, 4096), np.empty((4096, 4096), np.float32)
    text = """import "std/transpose"
test "row" {
  %A = random(seed = 1) : memref<4096x4096xf32>
  %B = out : memref<4096x4096xf32>
  launch @transpose(%A, %B)
  check %B == transpose(%A) exactly
}
"""
    return text, {
        "numpy": lambda: np.copyto(out, x.T),
        "onnxruntime": onnx_call("Transpose", {"x": x}, perm=[1, 0]),
    }


def conv2d(images, height, width, channels, filters, kernel):
    text = f"""import "std/conv2d"
test "row" {{
  %X = ints(-9, 9, seed = 1) : memref<{images}x{height}x{width}x{channels}xf32>
  %F = ints(-9, 9, seed = 2) : memref<3x3x{channels}x{filters}xf32>
  %Y = out : memref<{images}x{height}x{width}x{filters}xf32>
  launch @conv2d(%X, %F, %Y) {{CONV_T = f32, CONV_BM = 64}}
  check %Y[:, 1:-1, 1:-1] == matmul(%X[:, :-2, :-2], %F[0, 0]) + matmul(%X[:, :-2, 1:-1], %F[0, 1]) + matmul(%X[:, :-2, 2:], %F[0, 2]) + matmul(%X[:, 1:-1, :-2], %F[1, 0]) + matmul(%X[:, 1:-1, 1:-1], %F[1, 1]) + matmul(%X[:, 1:-1, 2:], %F[1, 2]) + matmul(%X[:, 2:, :-2], %F[2, 0]) + matmul(%X[:, 2:, 1:-1], %F[2, 1]) + matmul(%X[:, 2:, 2:], %F[2, 2]) exactly
}}
"""
    if kernel == "pixels":
        pixels = images * height * width
        text = text.replace("%Y = out : memref<" + f"{images}x{height}x{width}x{filters}", f"%Y = out : memref<{pixels}x{filters}")
        text = text.replace("%X = ints(-9, 9, seed = 1) : memref<" + f"{images}x{height}x{width}x{channels}", f"%X = ints(-9, 9, seed = 1) : memref<{pixels}x{channels}")
        text = text.replace("@conv2d(%X, %F, %Y)", f"@conv2d_pixels(%X, %F, %Y, {height}, {width})")
        text = text.replace("CONV_BM = 64", "CONV_BM = 128, CONV_BN = 256, CONV_BK = 64")
        shape = f"{images}, {height}, {width}, -1"
        text = text.replace("  check %Y[", f"  %x = reshape(%X, [{shape}])\n  check reshape(%Y, [{shape}])[").replace("%X[", "%x[")
    x, f = normal(images, channels, height, width), normal(filters, channels, 3, 3)
    return text, {"onnxruntime (NCHW)": onnx_call("Conv", {"x": x}, {"f": f}, pads=[1, 1, 1, 1])}


row("conv2d 3x3, 8x56x56x64")(lambda: conv2d(8, 56, 56, 64, 64, "rows"))
row("conv2d 3x3, 8x14x14x256")(lambda: conv2d(8, 14, 14, 256, 256, "pixels"))


def weights(bits, rows_of_a):
    k = n = 4096
    a = normal(rows_of_a, k)
    packed = random.integers(0, 256, (n, k // 128, 128 * bits // 8), dtype=np.uint8)
    scales = normal(n, k // 128)
    calls = {
        "onnxruntime": onnx_call(
            "MatMulNBits", {"a": a}, {"b": packed, "s": scales}, domain="com.microsoft", K=k, N=n, bits=bits, block_size=128
        )
    }
    bm = 32
    if bits == 8:
        text = f"""import "std/int8_gemm_weights"
test "row" {{
  %A = ints(-9, 9, seed = 1) : memref<{rows_of_a}x{k}xf32>
  %B = ints(-99, 99, seed = 2) : memref<{k}x{n}xi8>
  %S = from (n) => exp2(n mod 5 - 2) : memref<{n}xf32>
  %C = out : memref<{rows_of_a}x{n}xf32>
  launch @int8_gemm_weights(%A, %B, %S, %C) {{INT8_T = f32, INT8_BM = {bm}, INT8_BN = 64, INT8_BK = 64}}
  check %C[:, :16] == matmul(%A, %B[:, :16]) * %S[:16]
}}
"""
    else:
        blocks = "INT4_BM = 32, INT4_BN = 256, INT4_BK = 64" if rows_of_a <= 32 else "INT4_BM = 128, INT4_BN = 256, INT4_BK = 128"
        launch = f"@int4_gemm(%A, %B, %S, %C, 128) {{INT4_T = f32, INT4_S = f32, {blocks}}}"
        if rows_of_a == 1:
            launch = "@int4_gemv(%A, %B, %S, %C, 128) {INT4_T = f32, INT4_S = f32, INT4_COLUMNS = 1024, INT4_BK = 32}"
        text = f"""import "std/int4_gemm"
test "row" {{
  %A = ints(-9, 9, seed = 1) : memref<{rows_of_a}x{k}xf32>
  %B = ints(0, 255, seed = 2) : memref<{k // 2}x{n}xu8>
  %S = fill(0.5) : memref<{k // 128}x{n}xf32>
  %C = out : memref<{rows_of_a}x{n}xf32>
  launch {launch}
  %low  = cast(%B[:, :16] mod 16, i32)
  %high = floordivsi(cast(%B[:, :16], i32), 16)
  check %C[:, :16] == 0.5 * (matmul(%A[:, ::2], where(%low < 8, %low, %low - 16)) + matmul(%A[:, 1::2], where(%high < 8, %high, %high - 16)))
}}
"""
    return text, calls


for count in (1, 16, 256):
    row(f"int8 weights, {count}x4096x4096")(lambda count=count: weights(8, count))
    row(f"int4 weights, {count}x4096x4096")(lambda count=count: weights(4, count))


def attention_inputs(heads, keys, length):
    return normal(heads, length, 64), normal(keys, length, 64), normal(keys, length, 64)


# Causal attention of `heads` heads of queries, which share `groups` heads of keys and values. Our results of the first group are checked.
def causal(heads, groups, length):
    q, k, v = attention_inputs(heads, groups, length)
    shared = heads // groups
    mask = np.triu(np.full((length, length), -np.inf, np.float32), 1)

    def forward():
        s = q.reshape(groups, shared, length, 64) @ k.transpose(0, 2, 1)[:, None] * np.float32(0.125) + mask
        p = np.exp(s - s.max(axis=3, keepdims=True))
        return p @ v[:, None] / p.sum(axis=3, keepdims=True)

    def flat(x):
        return np.ascontiguousarray(x.transpose(1, 0, 2).reshape(1, length, -1))

    text = f"""import "std/causal_attention"
test "row" {{
  %Q = random(seed = 1) : memref<{heads}x{length}x64xf32>
  %K = random(seed = 2) : memref<{groups}x{length}x64xf32>
  %V = random(seed = 3) : memref<{groups}x{length}x64xf32>
  %O = out : memref<{heads}x{length}x64xf32>
  launch @causal_attention(%Q, %K, %V, %O, 0.125) {{CAUSAL_T = f32, CAUSAL_D = 64}}
  %i    = from (i) => i : memref<{length}xi32>
  %mask = where(reshape(%i, [1, {length}]) <= reshape(%i, [{length}, 1]), 0.0, -inf)
  check %O[:{shared}] == matmul(softmax(matmul(%Q[:{shared}], transpose(%K[0])) * 0.125 + %mask, 2), %V[0])
}}
"""
    inputs = {"q": flat(q), "k": flat(k), "v": flat(v)}
    if heads == groups:
        call = onnx_call("MultiHeadAttention", inputs, domain="com.microsoft", num_heads=heads, unidirectional=1, scale=0.125)
    else:
        inputs["seqlens_k"], inputs["total_sequence_length"] = np.array([length - 1], np.int32), np.array(length, np.int32)
        call = onnx_call("GroupQueryAttention", inputs, domain="com.microsoft", absent=(3, 4), outputs=3, num_heads=heads,
                         kv_num_heads=groups, scale=0.125)
    return text, {"numpy": forward, "onnxruntime": call}


row("causal attention, 8 heads, 1024x64")(lambda: causal(8, 8, 1024))
row("causal attention, 32 heads on 8 of keys, 512x64")(lambda: causal(32, 8, 512))


@row("mixture of experts, 2048 places, 8x1024x1024")
def experts():
    x, w = normal(1024, 1024), normal(8, 1024, 1024)
    token = (np.arange(2048) * 7) % 1024

    def products():
        return [x[token[e * 256 : (e + 1) * 256]] @ w[e] for e in range(8)]

    text = """import "std/moe"
test "row" {
  %X       = random(seed = 1) : memref<1024x1024xf16>
  %rows    = from (p) => p * 7 mod 1024 : memref<2048xi32>
  %offsets = from (e) => e * 256 : memref<9xi32>
  %W       = random(seed = 2) : memref<8x1024x1024xf16>
  %Z       = out : memref<2048x1024xf32>
  launch @moe_gather(%X, %rows, %offsets, %W, %Z) {MOE_BM = 128, MOE_BN = 256, MOE_BK = 64}
  check %Z[:256, :16] == matmul(gather(%X, %rows[:256]), %W[0, :, :16])
}
"""
    return text, {"numpy": products}


@row("attention backward, 8 heads, 1024x64")
def backward():
    q, k, v = attention_inputs(8, 8, 1024)
    do = normal(8, 1024, 64)

    def gradients():
        s = q @ k.transpose(0, 2, 1) * np.float32(0.125)
        p = np.exp(s - s.max(axis=2, keepdims=True))
        p /= p.sum(axis=2, keepdims=True)
        dv = p.transpose(0, 2, 1) @ do
        dp = do @ v.transpose(0, 2, 1)
        ds = p * (dp - (dp * p).sum(axis=2, keepdims=True)) * np.float32(0.125)
        return ds @ k, ds.transpose(0, 2, 1) @ q, dv

    text = """import "std/attention_backward"
test "row" {
  %Q     = random(seed = 1) : memref<8x1024x64xf32>
  %K     = random(seed = 2) : memref<8x1024x64xf32>
  %V     = random(seed = 3) : memref<8x1024x64xf32>
  %dO    = random(seed = 4) : memref<8x1024x64xf32>
  %O     = out : memref<8x1024x64xf32>
  %L     = out : memref<8x1024xf32>
  %delta = out : memref<8x1024xf32>
  %dQ    = out : memref<8x1024x64xf32>
  %dK    = out : memref<8x1024x64xf32>
  %dV    = out : memref<8x1024x64xf32>
  launch @attention_forward(%Q, %K, %V, %O, %L, 0.125) {BACKWARD_T = f32}
  launch @attention_delta(%O, %dO, %delta) {BACKWARD_T = f32}
  launch @attention_dq(%Q, %K, %V, %dO, %L, %delta, %dQ, 0.125) {BACKWARD_T = f32}
  launch @attention_dkv(%Q, %K, %V, %dO, %L, %delta, %dK, %dV, 0.125) {BACKWARD_T = f32}
  %P = softmax(matmul(%Q, transpose(%K)) * 0.125, 2)
  check %dV == matmul(transpose(%P), %dO)
}
"""
    return text, {"numpy": gradients}


@row("layernorm backward 4096x4096")
def layernorm_backward():
    x, gamma, dy = normal(4096, 4096), normal(4096), normal(4096, 4096)

    def gradients():
        m = x.mean(axis=1, keepdims=True)
        r = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
        h, g = (x - m) * r, dy * gamma
        dx = r * (g - g.mean(axis=1, keepdims=True) - h * (g * h).mean(axis=1, keepdims=True))
        return dx, (dy * h).sum(axis=0), dy.sum(axis=0)

    text = """import "std/norm_backward"
test "row" {
  %X      = random(seed = 1) : memref<4096x4096xf32>
  %dY     = random(seed = 2) : memref<4096x4096xf32>
  %gamma  = random(seed = 3) : memref<4096xf32>
  %dX     = out : memref<4096x4096xf32>
  %mean   = out : memref<4096xf32>
  %r      = out : memref<4096xf32>
  %dgamma = out : memref<4096xf32>
  %dbeta  = out : memref<4096xf32>
  launch @layernorm_backward(%X, %gamma, %dY, %dX, %mean, %r, 0.00001)
  launch @layernorm_gradients(%X, %dY, %mean, %r, %dgamma, %dbeta)
  check %mean == mean(%X, 1)[:, 0]
  check %dbeta == sum(%dY, 0)[0]
}
"""
    return text, {"numpy": gradients}


@row("RMSNorm backward 4096x4096")
def rmsnorm_backward():
    x, gamma, dy = normal(4096, 4096), normal(4096), normal(4096, 4096)

    def gradients():
        r = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)
        h, g = x * r, dy * gamma
        return r * (g - h * (g * h).mean(axis=1, keepdims=True)), (dy * h).sum(axis=0)

    text = """import "std/norm_backward"
test "row" {
  %X      = random(seed = 1) : memref<4096x4096xf32>
  %dY     = random(seed = 2) : memref<4096x4096xf32>
  %gamma  = random(seed = 3) : memref<4096xf32>
  %dX     = out : memref<4096x4096xf32>
  %r      = out : memref<4096xf32>
  %dgamma = out : memref<4096xf32>
  launch @rmsnorm_backward(%X, %gamma, %dY, %dX, %r, 0.00001)
  launch @rmsnorm_gradients(%X, %dY, %r, %dgamma)
  check %r == rsqrt(mean(%X * %X, 1) + 0.00001)[:, 0]
}
"""
    return text, {"numpy": gradients}


print(f"{options.threads} threads; numpy {np.__version__}, onnxruntime {onnxruntime.__version__}; f32, ours of experts f16\n")
print("| operator | xt, ms | peer, ms | best of theirs / ours |")
print("|---|---|---|---|")
for name, make in rows:
    if options.words and not any(word in name for word in options.words):
        continue
    text, calls = make()
    times = {peer: measure(call) for peer, call in calls.items()}
    own = ours(text)
    theirs = ", ".join(f"{peer} {ms:.3g}" for peer, ms in times.items())
    print(f"| {name} | {own:.3g} | {theirs} | {min(times.values()) / own:.2f} |")
    sys.stdout.flush()
