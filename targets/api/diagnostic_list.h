// The messages of a compilation as the structures of xt.h.
#pragma once
#include "ir/base/diagnostics.h"
#include "targets/api/include/xt/xt.h"

#include <deque>
#include <string>
#include <vector>

namespace xt {

class DiagnosticList {
public:
  // Copies everything: neither argument is needed afterwards. Holds at most kMostShownToPrograms errors and as many warnings.
  DiagnosticList(const Diagnostics &diagnostics, const SourceManager &sources);
  DiagnosticList(const DiagnosticList &) = delete;
  DiagnosticList &operator=(const DiagnosticList &) = delete;

  const std::vector<xt_diagnostic> &all() const { return all_; }

private:
  const char *keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }
  xt_range rangeOf(SourceRange range);
  xt_fix fixOf(const FixIt &fix);
  xt_diagnostic diagnosticOf(const Diagnostic &diagnostic);

  const SourceManager *sources_; // used by the constructor only
  std::deque<std::string> texts_; // elements never move
  std::deque<std::vector<xt_label>> labels_;
  std::deque<std::vector<const char *>> notes_;
  std::deque<std::vector<xt_edit>> edits_;
  std::deque<std::vector<xt_fix>> fixes_;
  std::vector<xt_diagnostic> all_;
};

} // namespace xt
