// Tests finding the writers of an element (ir/interp/writer_trace.h), for every op that writes memory.
#include "interp_program.h"

#include "ir/elem_kinds.h"
#include "ir/interp/writer_trace.h"

#include <cstring>

namespace xt {
namespace {

class Writers : public testing::Test {
protected:
  // Adds a buffer of i32 or f32 whose elements are all 0. Scalar arguments must be added after buffers.
  void buffer(std::vector<int64_t> sizes, Elem elem = Elem::F32) {
    int64_t count = 1;
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::Buffer;
    arg.buffer.elem = elem;
    arg.buffer.strides.resize(sizes.size());
    for (size_t d = sizes.size(); d-- > 0; count *= sizes[d]) arg.buffer.strides[d] = count;
    arg.buffer.sizes = std::move(sizes);
    memory.emplace_back(static_cast<size_t>(count), 0);
    arg.buffer.data = memory.back().data();
    args.push_back(std::move(arg));
  }
  std::vector<std::optional<Writer>> find(InterpProgram &program, size_t parameter,
                                          const std::vector<std::vector<int64_t>> &elements) {
    const Kernel &kernel = *program.module->kernels[0];
    auto grid = computeGrid(kernel, args);
    EXPECT_TRUE(grid);
    auto before = memory;
    auto writers = findWriters(kernel, args, *grid, parameter, elements);
    EXPECT_EQ(memory, before) << "a trace writes nothing";
    EXPECT_TRUE(writers) << (writers ? "" : writers.error().message);
    return writers ? *writers : std::vector<std::optional<Writer>>(elements.size());
  }
  std::string obstacle(const std::string &text, bool kept = true) {
    InterpProgram program(text);
    if (!program.module) return "does not compile";
    const Kernel &kernel = *program.module->kernels[0];
    auto grid = computeGrid(kernel, args);
    auto writers = findWriters(kernel, args, *grid, 0, std::vector<std::vector<int64_t>>{{0, 0}}, kept);
    return writers ? "" : writers.error().message;
  }
  static std::string textOf(const std::optional<Writer> &writer) {
    if (!writer) return "nobody";
    std::string text;
    for (int64_t id : writer->workgroup) text += std::to_string(id) + " ";
    return text + "/ " + std::to_string(writer->subgroup) + " x" + std::to_string(writer->stores);
  }

  std::deque<std::vector<int32_t>> memory;
  std::vector<LaunchArg> args;
};

TEST_F(Writers, AtomicsCountHowOftenAnElementIsWritten) {
  InterpProgram program(R"(#rows = #wg_map<sg_layout = [2, 1], sg_data = [2, 4]>
kernel @split(%C: memref<?x?xf32>, %A: memref<?x?xf32>) grid (%i = 0 to dim(%A, 0) step 4) {
  %ta = init_tile %A[%i, 0] -> tile<4x4xf32, #rows>
  %a = load_tile %ta
  %tc = init_tile %C[0, 0] -> tile<4x4xf32, #rows>
  %old = atomic_rmw <addf> %a, %tc
})");
  buffer({5, 5}), buffer({12, 4});
  auto writers = find(program, 0, {{0, 0}, {2, 3}, {3, 4}, {4, 0}});
  EXPECT_EQ(textOf(writers[0]), "2 / 0 x3");
  EXPECT_EQ(textOf(writers[1]), "2 / 1 x3");
  EXPECT_EQ(textOf(writers[2]), "nobody");
  EXPECT_EQ(textOf(writers[3]), "nobody");
}

TEST_F(Writers, ScattersByOffsetsAndMasksFromMemory) {
  InterpProgram program(R"(#line = #wg_map<sg_layout = [1, 2], sg_data = [1, 4]>
kernel @scatter(%A: memref<?xf32>, %P: memref<?x?xi32>) grid (%w = 0 to dim(%P, 0)) {
  %tp = init_tile %P[%w, 0] -> tile<1x8xi32, #line>
  %p = load_tile %tp
  %o = index_cast %p : vector<1x8xi32, #line> to vector<1x8xindex, #line>
  %m = %p < 6
  %v = constant 1.0 : vector<1x8xf32, #line>
  %t = init_tile %A, %o : memref<?xf32>, vector<1x8xindex> -> tile<1x8xf32, #tile_attr<scatter = true, wg = #line>>
  store_scatter %v, %m, %t
})");
  buffer({10}), buffer({2, 8}, Elem::I32);
  int32_t places[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {9, 8, 7, 6, 5, 2, 100, -1}};
  std::memcpy(memory[1].data(), places, sizeof places);
  auto writers = find(program, 0, {{0}, {2}, {5}, {6}, {7}, {9}});
  EXPECT_EQ(textOf(writers[0]), "0 / 0 x1");
  EXPECT_EQ(textOf(writers[1]), "1 / 1 x2");
  EXPECT_EQ(textOf(writers[2]), "1 / 1 x2");
  EXPECT_EQ(textOf(writers[3]), "nobody") << "masked off";
  EXPECT_EQ(textOf(writers[4]), "nobody");
  EXPECT_EQ(textOf(writers[5]), "nobody");
}

TEST_F(Writers, ScalarsViewsAndAddresses) {
  InterpProgram program(R"(kernel @mixed(%C: memref<?x?xf32>, %p: i64) subgroups(2) grid (%w = 0 to 2) {
  %s = subgroup_id()
  %x = constant 1.0 : f32
  %n = constant 0 : index
  while %n < %s + 1 {
    memref.store %x, %C[%w, %n]
    %n = %n + 1
  }
  %v = splat %x -> vector<2x2xf32>
  if %w == 1 {
    if %s == 1 {
      %t = init_tile %C[1, 0], [2, 2], [16, 1] -> tile<2x2xf32>
      store_tile %v, %t
      %skip = constant 92 : i64
      %q = %p + %skip
      %u = init_tile %q[0, 0], [2, 1], [1, 1] : i64 -> tile<2x2xf32>
      store_tile %v, %u
    }
  }
})");
  buffer({4, 8});
  args.push_back(args[0]); // a second argument refers to the same buffer by its address
  auto writers = find(program, 0, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}, {3, 0}, {3, 1}, {3, 2}});
  EXPECT_EQ(textOf(writers[0]), "0 / 1 x2");
  EXPECT_EQ(textOf(writers[1]), "0 / 1 x1");
  EXPECT_EQ(textOf(writers[2]), "1 / 1 x2") << "by both subgroups";
  EXPECT_EQ(textOf(writers[3]), "1 / 1 x1");
  EXPECT_EQ(textOf(writers[4]), "nobody");
  EXPECT_EQ(textOf(writers[5]), "1 / 1 x1") << "every second row, as the view's strides say";
  EXPECT_EQ(textOf(writers[6]), "1 / 1 x1") << "by the address";
  EXPECT_EQ(textOf(writers[7]), "nobody");
  EXPECT_EQ(textOf(writers[8]), "nobody");
}

TEST_F(Writers, WhatCannotBeToldIsAnError) {
  buffer({8, 8});
  buffer({8, 8});
  auto kernel = [](const std::string &body) {
    return "kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %m = alloc_slm : memref<4xindex, slm>\n"
           "  %t = init_tile %A[0, 0] -> tile<2x2xf32>\n  %v = load_tile %t\n" +
           body + "}\n";
  };
  EXPECT_EQ(obstacle(kernel("  store_tile %v, %t\n")), "");
  EXPECT_EQ(obstacle(kernel("  %i = memref.load %m[0]\n  %u = update_tile_offset %t, %i, 0\n  store_tile %v, %u\n")),
            "the addresses of its stores depend on shared local memory");
  EXPECT_EQ(obstacle(kernel("  %x = extract %v[0, 0]\n  if %x > 0.0 {\n    store_tile %v, %t\n  }\n")),
            "the addresses of its stores depend on memory that it writes");
  const std::string reads = kernel("  %y = memref.load %B[0, 0]\n  if %y < 1.0 {\n    store_tile %v, %t\n  }\n");
  EXPECT_EQ(obstacle(reads), "");
  EXPECT_EQ(obstacle(reads, false), "the addresses of its stores depend on memory that has changed since the launch");
  EXPECT_EQ(obstacle(kernel("  %o = atomic_rmw <addf> %v, %t\n  %x = extract %o[0, 0]\n  if %x > 0.0 {\n"
                            "    store_tile %v, %t\n  }\n")),
            "the addresses of its stores depend on the results of atomics");
}

// The ways to store scattered elements, at both scopes that have XeGPU ops and at workgroup scope. The stored value is a
// constant, a loaded value, or a value that another atomic returns; a trace of addresses does not compute it.
struct ScatteredStore {
  std::string name, kernel, body;
};
std::vector<ScatteredStore> scatteredStores() {
  std::vector<ScatteredStore> all;
  const std::string values[] = {
      "  %v = constant 3 : VECTOR\n", "  %x = memref.load %B[0]\n  %v = splat %x -> VECTOR\n",
      "  %q = iota [1] : vector<1x16xindex>\n  %all = constant true : vector<1x16xi1>\n"
      "  %one = constant 1 : vector<1x16xi32>\n  %tb = init_tile %B, %q -> tile<1x16xi32, #scatter>\n"
      "  %old = atomic_rmw <addi> %one, %tb, %all\n  %y = extract %old[0, 0]\n  %v = splat %y -> VECTOR\n"};
  auto add = [&](const std::string &name, const std::string &scope, const std::string &vector, const std::string &body,
                 bool lanes = false) {
    for (size_t k = 0; k < std::size(values); ++k) {
      if (lanes && k == 2) continue; // a lane's vector has one element
      std::string value = values[k];
      if (lanes) value = k == 0 ? "  %v = constant 3 : VECTOR\n" : vector == "i32" ? "  %v = memref.load %B[0]\n" : value;
      for (size_t at; (at = value.find("VECTOR")) != std::string::npos;) value.replace(at, 6, vector);
      all.push_back({name + ", value " + std::to_string(k), scope, value + body});
    }
  };
  const std::string lane =
      "#l = #sg_map<wi_layout = [1, 16], wi_data = [1, 1]>\n#lc = #sg_map<wi_layout = [16, 1], wi_data = [1, 2]>\n";
  const std::string offsets = "  %o = iota [0] : vector<16xindex>\n  %m = constant true : vector<16xi1>\n";
  const std::string pairs = "  %o = iota [0] : vector<16xindex>\n  %o = %o * 2\n  %m = constant true : vector<16xi1>\n";
  const std::string tile = "  %o = iota [1] : vector<1x16xindex>\n  %m = constant true : vector<1x16xi1>\n  %t = init_tile %A, "
                           "%o -> tile<1x16xi32, #scatter>\n";
  add("scatter tile", " subgroups(1)", "vector<1x16xi32>", tile + "  store_scatter %v, %m, %t\n");
  add("atomic on a scatter tile", " subgroups(1)", "vector<1x16xi32>", tile + "  %r = atomic_rmw <addi> %v, %t, %m\n");
  add("whole subgroup", " subgroups(1)", "vector<16xi32>",
      offsets + "  %t = create_tdesc %A, %o {mode = vc} : memref<?xi32>, vector<16xindex> -> tensor_desc<16xi32, #scattered>\n "
                " store_scatter %v, %t, %m {mode = vc}\n");
  add("moved", " subgroups(1)", "vector<16xi32>",
      offsets + "  %t = create_tdesc %A, %o {mode = vc} : memref<?xi32>, vector<16xindex> -> tensor_desc<16xi32, #scattered>\n"
                "  %z = constant 0 : vector<16xindex>\n  %t = update_offset %t, %z {mode = vc}\n  store_scatter %v, %t, %m "
                "{mode = vc}\n");
  add("chunks", " subgroups(1)", "vector<16x2xi32>",
      pairs + "  %t = create_tdesc %A, %o {mode = vc, chunk_size_per_lane = 2} : memref<?xi32>, vector<16xindex> -> "
              "tensor_desc<16x2xi32, #scattered>\n"
              "  store_scatter %v, %t, %m {mode = vc}\n");
  add("atomic of a whole subgroup", " subgroups(1)", "vector<16xi32>",
      offsets + "  %t = create_tdesc %A, %o {mode = vc} : memref<?xi32>, vector<16xindex> -> tensor_desc<16xi32, #scattered>\n "
                " %r = xegpu.atomic_rmw <addi> %v, %t, %m {mode = vc}\n");
  add("lanes", " lanes(16)", "i32",
      "  %m = constant true : i1\n  %t = create_tdesc %A, (lane_id()) : memref<?xi32>, index -> tensor_desc<16xi32, #scatter, "
      "#l>\n  store_scatter %v, %t, %m\n",
      true);
  add("atomic of lanes", " lanes(16)", "i32",
      "  %m = constant true : i1\n  %t = create_tdesc %A, (lane_id()) : memref<?xi32>, index -> tensor_desc<16xi32, #scatter, "
      "#l>\n  %r = xegpu.atomic_rmw <addi> %v, %t, %m\n",
      true);
  add("chunks of lanes", " lanes(16)", "vector<2xi32>",
      "  %m = constant true : i1\n  %t = create_tdesc %A, (lane_id() * 2) {chunk_size_per_lane = 2} : memref<?xi32>, index -> "
      "tensor_desc<16x2xi32, #scatter, #lc>\n"
      "  store_scatter %v, %t, %m\n",
      true);
  add("elements of lanes", " lanes(16)", "i32", "  memref.store %v, %A[(lane_id())]\n", true);
  for (ScatteredStore &store : all)
    store.kernel = lane + "kernel @s(%A: memref<?xi32>, %B: memref<?xi32>)" + store.kernel + " {\n" + store.body + "}\n";
  return all;
}

TEST_F(Writers, EveryScatteredStore) {
  buffer({40}, Elem::I32), buffer({40}, Elem::I32);
  std::vector<ScatteredStore> stores = scatteredStores();
  EXPECT_GE(stores.size(), 20u);
  for (const ScatteredStore &store : stores) {
    SCOPED_TRACE(store.name);
    InterpProgram program(store.kernel);
    ASSERT_TRUE(program.module) << store.kernel;
    auto writers = find(program, 0, {{0}, {15}, {39}});
    EXPECT_EQ(textOf(writers[0]), "/ 0 x1");
    EXPECT_EQ(textOf(writers[1]), "/ 0 x1");
    EXPECT_EQ(textOf(writers[2]), "nobody");
  }
}

// Stores to shared local memory are not writes to the buffer.
TEST_F(Writers, ScatteredStoresToSharedLocalMemory) {
  InterpProgram program(R"(kernel @s(%A: memref<?xi32>) subgroups(1) {
  %m = alloc_slm : memref<16xi32, slm>
  %v = constant 3 : vector<16xi32>
  %on = constant true : vector<16xi1>
  %o = iota [0] : vector<16xindex>
  %t = create_tdesc %m, %o {mode = vc} : memref<16xi32, slm>, vector<16xindex> -> tensor_desc<16xi32, #scattered, memory_scope = slm>
  store_scatter %v, %t, %on {mode = vc}
  %x = memref.load %m[3]
  memref.store %x, %A[3]
})");
  buffer({16}, Elem::I32);
  auto writers = find(program, 0, {{0}, {3}});
  EXPECT_EQ(textOf(writers[0]), "nobody");
  EXPECT_EQ(textOf(writers[1]), "/ 0 x1");
}

} // namespace
} // namespace xt
