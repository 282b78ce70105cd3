#include "lang/lower/composites.h"

#include "ir/base/check.h"
#include "lang/lower/associative_ops.h"
#include "lang/lower/joint_matrices.h"
#include "lang/lower/memref_views.h"
#include "lang/lower/order_ops.h"
#include "lang/lower/packed_elements.h"
#include "lang/lower/scalar_atomics.h"
#include "lang/lower/scaled_mma.h"
#include "lang/lower/simt.h"
#include "lang/lower/transfer_gather.h"
#include "lang/lower/vector_contract.h"
#include "lang/lower/vector_joins.h"
#include "lang/lower/vector_transfers.h"
#include "lang/lower/wi_data.h"

namespace xt {

std::optional<std::vector<Value *>> lowerComposite(KernelState &state, const ast::OpClause &clause, const OpInfo &row,
                                                   SourceRange range) {
  CompositeClause parts(state, clause, row, range);
  if (!parts.attributesFit()) return std::nullopt;
  switch (row.composite) {
  case Composite::None: break;
  case Composite::TransferRead: return lowerTransferRead(parts);
  case Composite::TransferWrite: return lowerTransferWrite(parts);
  case Composite::TransferGather: return lowerTransferGather(parts);
  case Composite::Contract: return lowerContract(parts);
  case Composite::Reverse: return lowerReverse(parts);
  case Composite::Sort: return lowerSort(parts);
  case Composite::TopK: return lowerTopK(parts);
  case Composite::Histogram: return lowerHistogram(parts);
  case Composite::Concat: return lowerConcat(parts);
  case Composite::Interleave: return lowerInterleave(parts);
  case Composite::Deinterleave: return lowerDeinterleave(parts);
  case Composite::Unpack: return lowerUnpack(parts);
  case Composite::Pack: return lowerPack(parts);
  case Composite::ScaledMma: return lowerScaledMma(parts);
  case Composite::ScalarAtomicRmw: return lowerScalarAtomic(parts);
  case Composite::ScalarAtomicCas: return lowerScalarCompareAndSwap(parts);
  case Composite::Subview: return lowerSubview(parts);
  case Composite::MemRefTranspose: return lowerMemRefTranspose(parts);
  case Composite::CollapseShape: return lowerCollapseShape(parts);
  case Composite::ExpandShape: return lowerExpandShape(parts);
  case Composite::AssociativeScan: return lowerAssociativeScan(parts);
  case Composite::AssociativeReduce: return lowerAssociativeReduce(parts);
  case Composite::ToSimt: return lowerToSimt(parts);
  case Composite::ToSimd: return lowerToSimd(parts);
  case Composite::JointMatrixLoad: return lowerMatrixLoad(parts);
  case Composite::JointMatrixStore: return lowerMatrixStore(parts);
  case Composite::JointMatrixPrefetch: return lowerMatrixPrefetch(parts);
  case Composite::JointMatrixMad: return lowerMatrixMad(parts);
  case Composite::JointMatrixFill: return lowerMatrixFill(parts);
  case Composite::JointMatrixCopy: return lowerMatrixCopy(parts);
  case Composite::JointMatrixCoordinates: return lowerMatrixCoordinates(parts);
  case Composite::JointMatrixApply: return lowerMatrixApply(parts);
  case Composite::GetWiData: return lowerGetWiData(parts);
  case Composite::SetWiData: return lowerSetWiData(parts);
  case Composite::WiDataLength: return lowerWiDataLength(parts);
  }
  XT_UNREACHABLE("composite");
}

} // namespace xt
