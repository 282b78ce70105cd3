// The kernels in a cubin, the ELF file that ptxas makes: registers, memory and instructions.
//
// NVIDIA does not document the format. What is read here was found by comparing cubins with what `ptxas -v` and nvdisasm print of
// them: `.text.KERNEL` holds instructions of 128 bits (from Volta on), whose lowest 9 bits are the operation and the next 3 the form
// of its operands; bits 12 to 15 are the predicate, and 7 stands for none. The distance of a branch from the next instruction, in
// units of 4 bytes, is in 48 bits from bit 34 on; from compute capability 9.0 on, its lowest 8 bits are in those from bit 16 on.
// `.nv.info` holds registers and stack by the index of a kernel's symbol.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

struct SassInstruction {
  uint16_t operation = 0;
  bool always = true; // it has no predicate
  int64_t target = -1; // of a branch: the number of the instruction that it leads to, which may be outside of the kernel
  uint32_t line = 0; // in the source file, from the line directives of the PTX; 0: not known
};

struct CubinKernel {
  std::string name;
  int64_t registers = 0; // of 32 bits per lane
  int64_t stackBytes = 0; // per lane
  int64_t sharedBytes = 0; // per workgroup, without what a launch gives
  std::vector<SassInstruction> code;
};

// The kernels in the order of the file, which is for this compute capability, such as 80. The Error says what is wrong with the file.
Result<std::vector<CubinKernel>> readCubin(std::string_view image, int capability);

inline constexpr uint16_t kSassBranch = 0x147, kSassExit = 0x14d, kSassReturn = 0x150, kSassHmma = 0x03c,
                          kSassLoadMatrix = 0x03b, kSassCopyAsync = 0x1ae, kSassStoreLocal = 0x187, kSassLoadLocal = 0x183;

// "LDSM" for kSassLoadMatrix; "op 0x1ff" for operations whose name is not known.
std::string sassName(uint16_t operation);
// Whether the operation is a matrix product.
bool isSassProduct(uint16_t operation);

} // namespace xt
