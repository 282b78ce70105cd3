#include "ir/elem_kinds.h"
#include "targets/run/buffer.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace xt {
namespace {

MemoryLayout strided(std::vector<int64_t> strides) { return {MemoryLayout::Kind::Strided, std::move(strides), {}}; }
MemoryLayout permuted(std::vector<int64_t> permutation) { return {MemoryLayout::Kind::Permuted, {}, std::move(permutation)}; }

class BufferTest : public ::testing::Test {
protected:
  BufferPlan plan(std::vector<int64_t> sizes, Elem elem, const MemoryLayout &memory = {}) {
    auto planned = planBuffer(sizes, elem, memory);
    EXPECT_TRUE(std::holds_alternative<BufferPlan>(planned)) << std::get<PlanError>(planned).message;
    return std::get<BufferPlan>(planned);
  }
  std::string problem(std::vector<int64_t> sizes, Elem elem, const MemoryLayout &memory = {}) {
    auto planned = planBuffer(sizes, elem, memory);
    return std::holds_alternative<PlanError>(planned) ? std::get<PlanError>(planned).message : "";
  }
  DeviceBuffer make(const BufferPlan &p) {
    auto buffer = DeviceBuffer::make(budget_, p, "test");
    EXPECT_TRUE(buffer.ok());
    return std::move(*buffer);
  }
  RawArray counting(const std::vector<int64_t> &sizes, Elem elem) {
    auto raw = RawArray::make(budget_, sizes, elem, "test");
    EXPECT_TRUE(raw.ok());
    for (int64_t i = 0; i < raw->bytes.count(); ++i) raw->bytes[i] = static_cast<std::byte>(i % 251);
    return std::move(*raw);
  }
  MemoryBudget budget_{int64_t{1} << 28};
};

TEST_F(BufferTest, StridesFollowTheLayout) {
  EXPECT_EQ(plan({4, 5, 6}, Elem::F32).strides, (std::vector<int64_t>{30, 6, 1}));
  EXPECT_EQ(plan({4, 5}, Elem::F32, permuted({1, 0})).strides, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(plan({2, 3, 4}, Elem::F32, permuted({0, 2, 1})).strides, (std::vector<int64_t>{12, 1, 3}));
  EXPECT_EQ(plan({4, 5}, Elem::F32, strided({9, 1})).strides, (std::vector<int64_t>{9, 1}));
  EXPECT_EQ(plan({4, 5}, Elem::F32, strided({kDynamic, 1})).strides, (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(plan({4, 5}, Elem::F32, strided({9, 1})).dataBytes, (3 * 9 + 5) * 4);
  EXPECT_EQ(plan({0, 5}, Elem::F32).dataBytes, 0);
}

TEST_F(BufferTest, BadPlans) {
  EXPECT_NE(problem({int64_t{1} << 40, int64_t{1} << 40}, Elem::F32).find("too large"), std::string::npos);
  EXPECT_NE(problem({int64_t{1} << 61}, Elem::F64).find("too large"), std::string::npos);
  EXPECT_NE(problem({4, 5}, Elem::F32, strided({4, 1})).find("elements overlap"), std::string::npos);
  EXPECT_NE(problem({4, 5}, Elem::F32, strided({5, 0})).find("strides must be positive"), std::string::npos);
  EXPECT_NE(problem({4, 5}, Elem::F32, strided({5, -3})).find("strides must be positive"), std::string::npos);
  EXPECT_NE(problem({4, 5}, Elem::F32, strided({5})).find("1 strides for a buffer of rank 2"), std::string::npos);
  EXPECT_NE(problem({4, 5}, Elem::F32, strided({int64_t{1} << 62, 1})).find("too large"), std::string::npos);
  MemoryBudget little(1 << 20);
  auto buffer = DeviceBuffer::make(little, plan({1 << 20}, Elem::F32), "buffer %A");
  ASSERT_FALSE(buffer.ok());
  EXPECT_NE(buffer.error().message.find("buffer %A needs 4.5 MiB, but only 1.0 MiB"), std::string::npos)
      << buffer.error().message;
}

TEST_F(BufferTest, WritesAndReadsEveryLayout) {
  const MemoryLayout kLayouts[] = {{}, permuted({2, 0, 1}), permuted({2, 1, 0}), strided({400, 13, 2}), strided({1, 400, 20})};
  for (const MemoryLayout &layout : kLayouts)
    for (Elem elem : {Elem::U8, Elem::F16, Elem::F32, Elem::F64}) {
      std::vector<int64_t> sizes = {5, 12, 6};
      DeviceBuffer buffer = make(plan(sizes, elem, layout));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
      RawArray content = counting(sizes, elem), back = counting(sizes, elem);
      buffer.reset(7, content, 2);
      std::memset(back.bytes.data(), 0, static_cast<size_t>(back.bytes.count()));
      buffer.read(back, 2);
      EXPECT_EQ(std::memcmp(back.bytes.data(), content.bytes.data(), static_cast<size_t>(back.bytes.count())), 0);
      EXPECT_EQ(buffer.guardReport(), "");
      int64_t i = 3, j = 7, k = 4;
      const auto &strides = buffer.plan().strides;
      int64_t size = elemInfo(elem).storageBytes;
      EXPECT_EQ(std::memcmp(buffer.data() + (i * strides[0] + j * strides[1] + k * strides[2]) * size,
                            content.bytes.data() + ((i * 12 + j) * 6 + k) * size, static_cast<size_t>(size)),
                0);
    }
}

TEST_F(BufferTest, GuardsShowTheFirstByte) {
  BufferPlan p = plan({10, 7}, Elem::F16, strided({9, 1}));
  DeviceBuffer buffer = make(p);
  RawArray content = counting({10, 7}, Elem::F16);
  auto touched = [&](int64_t offset) {
    buffer.reset(3, content, 1);
    buffer.data()[offset] ^= std::byte{1};
    return buffer.guardReport();
  };
  EXPECT_EQ(touched(p.dataBytes + 12), "1 guard byte changed after the buffer, the first 12 bytes after the end");
  EXPECT_EQ(touched(p.dataBytes), "1 guard byte changed after the buffer, the first 0 bytes after the end");
  EXPECT_EQ(touched(-1), "1 guard byte changed before the buffer, the last 1 byte before its start");
  EXPECT_EQ(touched(18 * 4 + 14 + 1), "1 guard byte changed in the padding between rows, the first 1 byte after the end of a "
                                      "row, 87 bytes after the buffer's start");
  EXPECT_EQ(touched(5), ""); // the byte belongs to an element
  EXPECT_NE(touched(p.dataBytes + DeviceBuffer::kMinGuardBytes - 1), "");
  EXPECT_NE(touched(-DeviceBuffer::kMinGuardBytes), "");
}

TEST_F(BufferTest, PoisonFillsElementsAlone) {
  DeviceBuffer buffer = make(plan({6, 5}, Elem::F32, strided({8, 1})));
  buffer.resetPoisoned(1, std::byte{0xFF}, 2);
  EXPECT_EQ(buffer.guardReport(), "");
  RawArray back = counting({6, 5}, Elem::F32);
  buffer.read(back, 1);
  for (std::byte b : back.bytes) EXPECT_EQ(b, std::byte{0xFF});
}

// Bulk conversions agree with the conversion of single elements, on every bit pattern of a narrow type and on nearby
// values.
TEST_F(BufferTest, BulkConversions) {
  for (Elem elem : {Elem::F16, Elem::BF16, Elem::F32, Elem::F8E4M3}) {
    std::vector<double> values;
    for (uint32_t pattern = 0; pattern < 65536; pattern += elem == Elem::F16 ? 1 : 7) {
      auto image = static_cast<uint16_t>(pattern);
      double v = loadFloat(elem == Elem::F16 ? Elem::F16 : Elem::BF16, &image);
      double next = loadFloat(Elem::F16, &image) * 1.5;
      double half = v + v * 0x1p-11; // in f16, this is half-way to the next number if the last bit is 0
      for (double x : {v, half, std::nextafter(half, 1e300), std::nextafter(half, -1e300), next, v * (1 + 0x1p-8), v * 1e30})
        values.push_back(x);
    }
    auto count = static_cast<int64_t>(values.size());
    std::vector<std::byte> bulk(values.size() * 4);
    fromDoubles(elem, values.data(), count, bulk.data(), 2);
    std::vector<double> back(values.size());
    toDoubles(elem, bulk.data(), count, back.data(), 2);
    size_t size = static_cast<size_t>(elemInfo(elem).storageBytes);
    for (size_t i = 0; i < values.size(); ++i) {
      std::byte one[8];
      storeFloat(elem, one, values[i]);
      bool same = std::memcmp(one, bulk.data() + i * size, size) == 0;
      ASSERT_TRUE(same || std::isnan(values[i])) << elemName(elem) << " " << values[i];
      double expected = loadFloat(elem, one);
      ASSERT_TRUE(back[i] == expected || (std::isnan(back[i]) && std::isnan(expected))) << elemName(elem) << " " << values[i];
    }
  }
}

TEST_F(BufferTest, EmptyBuffersAndScalars) {
  for (const std::vector<int64_t> &sizes : {std::vector<int64_t>{0, 4}, {}, {1, 1}}) {
    DeviceBuffer buffer = make(plan(sizes, Elem::F32));
    RawArray content = counting(sizes, Elem::F32), back = counting(sizes, Elem::F32);
    buffer.reset(1, content, 1);
    buffer.read(back, 1);
    EXPECT_EQ(buffer.guardReport(), "");
  }
}

} // namespace
} // namespace xt
