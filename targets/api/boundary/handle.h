// The objects behind the handles of xt.h and mpi.h, and how misuse of a handle is found.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace xt {

// Unusual numbers, because a check may read memory that was never a handle.
enum class HandleKind : uint32_t {
  Context = 0x78740c01,
  Program,
  Kernel,
  Prepared,
  Diagnostics,
  Buffer,
  Stream,
  Event,
  Ranks,
  Exchange,
  Freed = 0x7874dead,
};

class Graveyard;

struct Handle {
  Handle(HandleKind kindOfThis, std::shared_ptr<Graveyard> graveyard) : kind(kindOfThis), yard(std::move(graveyard)) {}
  virtual ~Handle() = default;
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  // Frees what the object holds.
  virtual void drop() = 0;

  std::atomic<HandleKind> kind;
  std::shared_ptr<Graveyard> yard;
};

// Keeps freed handles without their contents, so that a later use finds that they were freed. Thread-safe.
class Graveyard {
public:
  static constexpr size_t kMostKept = 4096;
  void bury(std::unique_ptr<Handle> handle);

private:
  std::mutex mutex_;
  std::deque<std::unique_ptr<Handle>> kept_;
};

// Frees the object of a handle of this kind; does nothing for other handles.
void freeHandle(Handle *handle, HandleKind kind);

// Why the handle is not a usable one of this kind: "is NULL"; null if it is one.
const char *whyNotUsable(const Handle *handle, HandleKind kind);

} // namespace xt
