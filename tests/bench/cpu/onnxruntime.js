// Times attention by onnxruntime: node onnxruntime.js FOLDER HEADS LENGTH DEPTH THREADS ROUNDS
//
// FOLDER has q, k and v as raw f32; `o` is written there. Prints the median milliseconds of a call, of the graph that is
// faster: four plain operators, or onnxruntime's own operator. One thread is timed by the processor time of the process.
const fs = require("fs");
const path = require("path");
const ort = require("onnxruntime-node");

const [folder, ...numbers] = process.argv.slice(2);
const [heads, length, depth, threads, rounds] = numbers.map(Number);
const shape = [heads, length, depth];

// Protocol buffers: a field is its number and wire type (0: varint, 2: bytes), then its value. The numbers
// are those of onnx.proto.
function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}
const integer = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, ...parts) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
};

const attribute = {
  int: (name, value) => bytes(5, bytes(1, name), integer(3, value), integer(20, 2)),
  ints: (name, values) => bytes(5, bytes(1, name), ...values.map((value) => integer(8, value)), integer(20, 7)),
};
const node = (type, inputs, output, attributes = [], domain = "") =>
  bytes(1, ...inputs.map((input) => bytes(1, input)), bytes(2, output), bytes(4, type), ...attributes, bytes(7, domain));
const tensor = (field, name) =>
  bytes(field, bytes(1, name), bytes(2, bytes(1, integer(1, 1), bytes(2, ...shape.map((size) => bytes(1, integer(1, size)))))));
const scalar = (name, value) => bytes(5, integer(2, 1), bytes(8, name), bytes(9, Buffer.from(new Float32Array([value]).buffer)));
const model = (...parts) =>
  Buffer.concat([
    integer(1, 8),
    bytes(8, bytes(1, ""), integer(2, 17)),
    bytes(8, bytes(1, "com.microsoft"), integer(2, 1)),
    bytes(7, ...parts, bytes(2, "attention"), ...["q", "k", "v"].map((name) => tensor(11, name)), tensor(12, "o")),
  ]);

const models = [
  model(
    node("Transpose", ["k"], "kt", [attribute.ints("perm", [0, 2, 1])]),
    node("MatMul", ["q", "kt"], "score"),
    node("Mul", ["score", "scale"], "scaled"),
    node("Softmax", ["scaled"], "weight", [attribute.int("axis", 2)]),
    node("MatMul", ["weight", "v"], "o"),
    scalar("scale", 1 / Math.sqrt(depth)),
  ),
  // Each of ours is a batch of one head; the scale is the operator's own.
  model(node("MultiHeadAttention", ["q", "k", "v"], "o", [attribute.int("num_heads", 1)], "com.microsoft")),
];

function milliseconds() {
  if (threads > 1) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

// The median time, and the result.
async function timed(graph, feeds) {
  const session = await ort.InferenceSession.create(graph, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  let result = await session.run(feeds);
  const times = [];
  for (let round = 0; round < rounds; ++round) {
    const start = milliseconds();
    result = await session.run(feeds);
    times.push(milliseconds() - start);
  }
  times.sort((a, b) => a - b);
  return { time: times[times.length >> 1], data: result.o.data };
}

async function main() {
  const feeds = {};
  for (const name of ["q", "k", "v"]) {
    const file = fs.readFileSync(path.join(folder, name));
    feeds[name] = new ort.Tensor("float32", new Float32Array(file.buffer, file.byteOffset, file.length / 4), shape);
  }
  const results = [];
  for (const graph of models) results.push(await timed(graph, feeds));
  results.sort((a, b) => a.time - b.time);
  fs.writeFileSync(path.join(folder, "o"), Buffer.from(results[0].data.buffer, results[0].data.byteOffset, results[0].data.byteLength));
  console.log(results[0].time);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
