// Multiplies a tile of rows of `a` by a panel of `b` with sums in registers; one class for each kind of product.
#pragma once
#include "targets/cpu/products/nest_reader.h"
#include "targets/cpu/products/panel_prefetcher.h"
#include "targets/cpu/products/sum_places.h"

#include <memory>

namespace xt {

// The base class, with the parts that all kinds share: operands of the microkernel, and sums in memory.
class RegisterTiles {
public:
  RegisterTiles(NestContext &context, NestReader &reader, PanelPrefetcher &prefetcher, SumPlaces &sums)
      : n(context), p(context.problem), b(context.b), e_(context.e), reader_(reader), prefetcher_(prefetcher), sums_(sums) {}
  virtual ~RegisterTiles() = default;

  // Emits the product of a tile of `shape`. Returns as many values as `carried`.
  virtual LlvmValues multiply(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile) = 0;
  // carried() returns the initial values that are carried from tile to tile of a panel. around() emits `product` for a tile,
  // given the carried values, and returns their next values.
  virtual LlvmValues carried() { return {}; }
  virtual LlvmValues around(const NestBlock &, const NestPanel &, const NestTile &, llvm::ArrayRef<LlvmValue *>,
                            llvm::function_ref<LlvmValues()> product) {
    return product();
  }

protected:
  Microkernel::Operands operandsOf(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile);
  LlvmValues sumsBefore(const NestPanel &panel, const NestTile &tile, const Microkernel::Operands &operands);
  void storeSums(const NestPanel &panel, const NestTile &tile, const Microkernel::Operands &operands, const LlvmValues &sums);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
  NestReader &reader_;

private:
  void readSource(Microkernel::Operands &operands);
  void ofEachSum(const SumPlace &sums, const NestTile &tile, const Microkernel::Operands &operands,
                 llvm::function_ref<void(LlvmValue *at)> visit);

  PanelPrefetcher &prefetcher_;
  SumPlaces &sums_;
};

// Multiplies elements, one at a time.
class ElementTiles final : public RegisterTiles {
public:
  using RegisterTiles::RegisterTiles;
  LlvmValues multiply(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile) override;
};

// Multiplies words of four bytes, or of two bytes as 16-bit integers.
class ByteTiles final : public RegisterTiles {
public:
  using RegisterTiles::RegisterTiles;
  LlvmValues multiply(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile) override;
};

// Multiplies words of two bf16. The instruction treats denormal numbers as 0, so each tile checks, while it multiplies, whether
// its rows of `a` have numbers that could cause denormal products. From the first tile of a panel that finds some, all tiles of
// the panel are converted to f32.
class PairTiles final : public RegisterTiles {
public:
  using RegisterTiles::RegisterTiles;
  LlvmValues multiply(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile) override;
  LlvmValues carried() override { return {b.getFalse()}; }
  LlvmValues around(const NestBlock &block, const NestPanel &panel, const NestTile &tile, llvm::ArrayRef<LlvmValue *> carried,
                    llvm::function_ref<LlvmValues()> product) override;

private:
  LlvmValues pairsBegin(const NestPanel &panel, const Microkernel::Operands &operands);
  void storePairs(const NestPanel &panel, const NestTile &tile, const Microkernel::Operands &operands,
                  const LlvmValues &products);
  void convertTile(const NestBlock &block, const NestPanel &panel, const NestTile &tile);
};

// Returns null if AMX multiplies this nest.
std::unique_ptr<RegisterTiles> registerTiles(NestContext &context, NestReader &reader, PanelPrefetcher &prefetcher,
                                             SumPlaces &sums);

} // namespace xt
