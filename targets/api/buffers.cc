#include "ir/base/text.h"
#include "targets/api/boundary/failure.h"
#include "targets/api/program.h"

using namespace xt;

Result<std::shared_ptr<DeviceBytes>> DeviceBytes::make(std::shared_ptr<LoadedProgram> program, size_t bytes) {
  std::lock_guard lock(program->launching);
  Result<std::byte *> data = program->compiled.executable->allocate(bytes);
  if (!data) return data.error();
  return std::shared_ptr<DeviceBytes>(new DeviceBytes(program, *data, bytes));
}

DeviceBytes::~DeviceBytes() {
  std::lock_guard lock(program_->launching);
  program_->compiled.executable->release(data_);
}

Result<void> DeviceBytes::write(size_t offset, const void *from, size_t bytes) {
  std::lock_guard lock(program_->launching);
  return bytes == 0 ? Result<void>() : program_->compiled.executable->copy(data_ + offset, from, bytes);
}

Result<void> DeviceBytes::read(size_t offset, void *to, size_t bytes) {
  std::lock_guard lock(program_->launching);
  return bytes == 0 ? Result<void>() : program_->compiled.executable->copy(to, data_ + offset, bytes);
}

Failure xt::checkBufferRange(const xt_buffer *buffer, size_t offset, const void *host, size_t bytes, const char *hostName) {
  if (Failure bad = checkHandle(buffer, HandleKind::Buffer, "buffer")) return bad;
  const size_t size = buffer->bytes->size();
  if (offset > size || bytes > size - offset)
    return invalid("bytes", str("from ", offset, " on are ", bytes, ", but the buffer has ", size));
  if (bytes > 0 && !host) return invalid(hostName, "is NULL");
  return {};
}

namespace {

Failure failureOf(const Result<void> &done) { return done ? Failure{} : Failure{XT_ENVIRONMENT, done.error().message}; }

} // namespace

xt_status xt_buffer_create(xt_program *program, size_t bytes, xt_buffer **buffer, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(program, HandleKind::Program, "program")) return bad;
    if (!buffer) return invalid("buffer", "is NULL");
    auto made = DeviceBytes::make(program->program, bytes);
    if (!made) return {XT_ENVIRONMENT, made.error().message};
    *buffer = new xt_buffer(program->yard, std::move(*made));
    return {};
  });
}

void *xt_buffer_data(const xt_buffer *buffer) {
  return whyNotUsable(buffer, HandleKind::Buffer) ? nullptr : buffer->bytes->data();
}

size_t xt_buffer_bytes(const xt_buffer *buffer) { return whyNotUsable(buffer, HandleKind::Buffer) ? 0 : buffer->bytes->size(); }

xt_status xt_buffer_write(xt_buffer *buffer, size_t offset, const void *from, size_t bytes, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkBufferRange(buffer, offset, from, bytes, "from")) return bad;
    return failureOf(buffer->bytes->write(offset, from, bytes));
  });
}

xt_status xt_buffer_read(xt_buffer *buffer, size_t offset, void *to, size_t bytes, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkBufferRange(buffer, offset, to, bytes, "to")) return bad;
    return failureOf(buffer->bytes->read(offset, to, bytes));
  });
}

xt_status xt_program_sees(xt_program *program, const void *address, int32_t *sees, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(program, HandleKind::Program, "program")) return bad;
    if (!sees) return invalid("sees", "is NULL");
    std::lock_guard lock(program->program->launching);
    Result<bool> seen = program->program->compiled.executable->sees(address);
    if (!seen) return {XT_ENVIRONMENT, str("the memory ", seen.error().message), "address"};
    *sees = static_cast<int32_t>(*seen);
    return {};
  });
}

void xt_buffer_free(xt_buffer *buffer) { freeHandle(buffer, HandleKind::Buffer); }
