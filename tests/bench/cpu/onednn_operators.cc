// oneDNN's softmax, layer normalization, products with a transformed result, and attention built from three primitives; all on
// plain row-major operands.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/onednn.h"
#include "tests/bench/cpu/operators.h"

#include <omp.h>

namespace xt::bench {
namespace {

using dnnl::memory;

// A sequence of primitives.
class Steps {
public:
  using Args = std::unordered_map<int, memory>;

  void add(const dnnl::primitive &primitive, Args args) { steps_.emplace_back(primitive, std::move(args)); }
  memory at(const memory::desc &what, void *data) const { return memory(what, engine, data); }
  memory scratch(const memory::desc &what) const { return memory(what, engine); }
  void operator()() {
    for (auto &[primitive, args] : steps_) primitive.execute(stream_, args);
    stream_.wait();
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};

private:
  dnnl::stream stream_{engine};
  std::vector<std::pair<dnnl::primitive, Args>> steps_;
};

memory::desc plain(const memory::dims &sizes, Elem elem) {
  memory::dims strides(sizes.size(), 1);
  for (size_t d = sizes.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * sizes[d + 1];
  return {sizes, typeOf(elem), strides};
}

constexpr auto kInference = dnnl::prop_kind::forward_inference;

dnnl::softmax_v2_forward softmaxOf(const memory::desc &from, const memory::desc &to, const dnnl::engine &engine) {
  int axis = static_cast<int>(from.dims().size()) - 1;
  dnnl::softmax_v2_forward::desc wanted(kInference, dnnl::algorithm::softmax_accurate, from, to, axis);
  return dnnl::softmax_v2_forward(dnnl::softmax_v2_forward::primitive_desc(wanted, engine));
}

void addSoftmax(const Operator &op, const Matrix &result, Steps &steps) {
  memory::desc shape = plain(op.sizes, Elem::F32);
  steps.add(softmaxOf(shape, shape, steps.engine),
            {{DNNL_ARG_SRC, steps.at(shape, op.inputs[0].data.get())}, {DNNL_ARG_DST, steps.at(shape, result.data.get())}});
}

void addLayerNorm(const Operator &op, const Matrix &result, Steps &steps) {
  memory::desc shape = plain(op.sizes, Elem::F32), row = plain({op.columns}, Elem::F32);
  dnnl::layer_normalization_forward::desc wanted(kInference, shape, kLayerNormEps,
                                                 dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift);
  steps.add(dnnl::layer_normalization_forward(dnnl::layer_normalization_forward::primitive_desc(wanted, steps.engine)),
            {{DNNL_ARG_SRC, steps.at(shape, op.inputs[0].data.get())},
             {DNNL_ARG_SCALE, steps.at(row, op.inputs[1].data.get())},
             {DNNL_ARG_SHIFT, steps.at(row, op.inputs[2].data.get())},
             {DNNL_ARG_DST, steps.at(shape, result.data.get())}});
}

void addGelu(const Operator &op, const Matrix &result, Steps &steps) {
  memory::desc a = plain({op.size(0), op.size(2)}, op.elem), b = plain({op.size(2), op.size(1)}, op.elem);
  memory::desc bias = plain({1, op.size(1)}, Elem::F32), c = plain({op.size(0), op.size(1)}, Elem::F32);
  dnnl::post_ops after;
  after.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  dnnl::matmul::primitive_desc product({a, b, bias, c}, attributes, steps.engine);
  steps.add(dnnl::matmul(product), {{DNNL_ARG_SRC, steps.at(a, op.inputs[0].data.get())},
                                    {DNNL_ARG_WEIGHTS, steps.at(b, op.inputs[1].data.get())},
                                    {DNNL_ARG_BIAS, steps.at(bias, op.inputs[2].data.get())},
                                    {DNNL_ARG_DST, steps.at(c, result.data.get())}});
}

// Adds the primitives of attention, which process `heads` heads at a time: all of them, or one, whose scores stay in a cache.
void addAttention(const Operator &op, const Matrix &result, int64_t heads, Steps &steps) {
  int64_t length = op.size(1), depth = op.size(2);
  memory::desc rows = plain({heads, length, depth}, op.elem), out = plain({heads, length, depth}, Elem::F32);
  memory::desc turned({heads, depth, length}, typeOf(op.elem), memory::dims{length * depth, 1, depth});
  memory::desc score = plain({heads, length, length}, Elem::F32), weight = plain({heads, length, length}, op.elem);
  dnnl::primitive_attr scaled;
  scaled.set_output_scales(0, {static_cast<float>(attentionScale(depth))});
  dnnl::matmul first(dnnl::matmul::primitive_desc({rows, turned, score}, scaled, steps.engine));
  dnnl::softmax_v2_forward softmax = softmaxOf(score, weight, steps.engine);
  dnnl::matmul second(dnnl::matmul::primitive_desc({weight, rows, out}, steps.engine));
  memory scores = steps.scratch(score), weights = op.elem == Elem::F32 ? scores : steps.scratch(weight);
  for (int64_t head = 0; head < op.size(0); head += heads) {
    auto data = [&](const Matrix &matrix) {
      return static_cast<char *>(matrix.data.get()) + matrix.bytes() / op.size(0) * head;
    };
    steps.add(first, {{DNNL_ARG_SRC, steps.at(rows, data(op.inputs[0]))},
                      {DNNL_ARG_WEIGHTS, steps.at(turned, data(op.inputs[1]))},
                      {DNNL_ARG_DST, scores}});
    steps.add(softmax, {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, weights}});
    steps.add(second, {{DNNL_ARG_SRC, weights},
                       {DNNL_ARG_WEIGHTS, steps.at(rows, data(op.inputs[2]))},
                       {DNNL_ARG_DST, steps.at(out, data(result))}});
  }
}

void addSteps(const Operator &op, const Matrix &result, int64_t heads, Steps &steps) {
  switch (op.kind) {
  case Operator::Kind::Softmax: return addSoftmax(op, result, steps);
  case Operator::Kind::LayerNorm: return addLayerNorm(op, result, steps);
  case Operator::Kind::Gelu: return addGelu(op, result, steps);
  case Operator::Kind::Attention: return addAttention(op, result, heads, steps);
  }
}

void addOne(const char *name, const Operator &op, int64_t heads, std::vector<Side> &sides, std::string &why) {
  try {
    Side side{name, makeMatrix(Elem::F32, op.rows, op.columns), {}};
    Steps steps;
    addSteps(op, side.result, heads, steps);
    side.call = steps;
    sides.push_back(std::move(side));
  } catch (const dnnl::error &error) {
    why += str(name, " refuses it: ", error.what(), "\n");
  }
}

} // namespace

void addOneDnn(const Operator &op, int threads, std::vector<Side> &sides, std::string &why) {
  omp_set_num_threads(threads);
  addOne("oneDNN", op, op.size(0), sides, why);
  if (op.kind == Operator::Kind::Attention && op.size(0) > 1) addOne("oneDNN by heads", op, 1, sides, why);
}

} // namespace xt::bench
