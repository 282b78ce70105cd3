#include "targets/api/stream.h"

#include "targets/api/program.h"

using namespace xt;

Failure MakersProcess::check(const char *argument) const {
  if (process_ == getpid()) return {};
  return invalid(argument, "was created before fork(): create one in the child");
}

void StreamEvent::reach() {
  std::lock_guard lock(mutex_);
  reached_ = true;
  time_ = Clock::now();
  changed_.notify_all();
}

Failure StreamEvent::checkProcess() const { return reached() ? Failure{} : process_.check("event"); }

Failure StreamEvent::wait() const {
  if (Failure bad = checkProcess()) return bad;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return reached_; });
  return {};
}

bool StreamEvent::reached() const {
  std::lock_guard lock(mutex_);
  return reached_;
}

StreamEvent::Clock::time_point StreamEvent::time() const {
  std::lock_guard lock(mutex_);
  return time_;
}

Stream::Stream() : thread_([state = state_] { state->run(); }) {}

Stream::~Stream() {
  if (checkProcess()) {
    // The thread is not in this process, where a new one may have its handle: neither join nor detach it.
    (void)new std::thread(std::move(thread_));
    return;
  }
  {
    std::lock_guard lock(state_->mutex);
    state_->ends = true;
    state_->changed.notify_all();
  }
  if (isOwnThread())
    thread_.detach();
  else
    thread_.join();
}

void Stream::State::add(Work work) {
  std::lock_guard lock(mutex);
  waiting.push_back(std::move(work));
  changed.notify_all();
}

void Stream::add(Work work) {
  state_->add([state = state_.get(), work = std::move(work)]() -> Failure {
    const bool skipped = [&] {
      std::lock_guard lock(state->mutex);
      return state->failed.status != XT_OK;
    }();
    return skipped ? Failure{} : work();
  });
}

void Stream::addAlways(std::function<void()> work) {
  state_->add([work = std::move(work)]() -> Failure {
    work();
    return {};
  });
}

Failure Stream::finish(xt_error &failed) {
  if (isOwnThread()) return invalid("stream", "cannot wait for the work that calls this");
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->waiting.empty() && !state_->busy; });
  failed = std::exchange(state_->failed, XT_INIT(xt_error));
  return {};
}

void Stream::State::runOne(const Work &work) {
  xt_error error = XT_INIT(xt_error);
  xt_status status = guarded(&error, work);
  std::lock_guard lock(mutex);
  if (status != XT_OK && failed.status == XT_OK) failed = error;
}

void Stream::State::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return !waiting.empty() || ends; });
    if (waiting.empty()) return;
    Work work = std::move(waiting.front());
    waiting.pop_front();
    busy = true;
    lock.unlock();
    runOne(work);
    work = {}; // frees what it holds before the stream counts as idle
    lock.lock();
    busy = false;
    changed.notify_all();
  }
}

namespace {

// Puts work into a stream; `make` checks the other arguments and returns the work.
template <class Make> xt_status put(xt_stream *stream, xt_error *error, const Make &make) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(stream, HandleKind::Stream, "stream")) return bad;
    if (Failure bad = stream->stream->checkProcess()) return bad;
    return make(*stream->stream);
  });
}

Failure failureOf(const Result<void> &done) { return done ? Failure{} : Failure{XT_ENVIRONMENT, done.error().message}; }

} // namespace

xt_status xt_stream_create(xt_context *context, xt_stream **stream, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(context, HandleKind::Context, "context")) return bad;
    if (!stream) return invalid("stream", "is NULL");
    try {
      *stream = new xt_stream(context->yard);
    } catch (const std::system_error &thrown) {
      return {XT_ENVIRONMENT, std::string("no thread for a stream: ") + thrown.what()};
    }
    return {};
  });
}

xt_status xt_stream_run(xt_stream *stream, xt_prepared *prepared, xt_error *error) {
  return put(stream, error, [&](Stream &to) -> Failure {
    if (Failure bad = checkHandle(prepared, HandleKind::Prepared, "prepared")) return bad;
    to.add([launch = prepared->launch] { return runLaunch(*launch); });
    return {};
  });
}

xt_status xt_stream_write(xt_stream *stream, xt_buffer *buffer, size_t offset, const void *from, size_t bytes,
                          xt_error *error) {
  return put(stream, error, [&](Stream &to) -> Failure {
    if (Failure bad = checkBufferRange(buffer, offset, from, bytes, "from")) return bad;
    to.add([of = buffer->bytes, offset, from, bytes] { return failureOf(of->write(offset, from, bytes)); });
    return {};
  });
}

xt_status xt_stream_read(xt_stream *stream, xt_buffer *buffer, size_t offset, void *to, size_t bytes, xt_error *error) {
  return put(stream, error, [&](Stream &in) -> Failure {
    if (Failure bad = checkBufferRange(buffer, offset, to, bytes, "to")) return bad;
    in.add([of = buffer->bytes, offset, to, bytes] { return failureOf(of->read(offset, to, bytes)); });
    return {};
  });
}

xt_status xt_stream_record(xt_stream *stream, xt_event **event, xt_error *error) {
  return put(stream, error, [&](Stream &of) -> Failure {
    if (!event) return invalid("event", "is NULL");
    auto point = std::make_shared<StreamEvent>();
    auto made = std::make_unique<xt_event>(stream->yard, point);
    of.addAlways([point] { point->reach(); });
    *event = made.release();
    return {};
  });
}

xt_status xt_stream_wait(xt_stream *stream, xt_event *event, xt_error *error) {
  return put(stream, error, [&](Stream &to) -> Failure {
    if (Failure bad = checkHandle(event, HandleKind::Event, "event")) return bad;
    if (Failure bad = event->point->checkProcess()) return bad;
    to.addAlways([point = event->point] { (void)point->wait(); });
    return {};
  });
}

xt_status xt_stream_finish(xt_stream *stream, xt_error *error) {
  return put(stream, error, [&](Stream &of) -> Failure {
    xt_error failed = XT_INIT(xt_error);
    if (Failure bad = of.finish(failed)) return bad;
    return {failed.status, failed.message, failed.argument, failed.index};
  });
}

void xt_stream_free(xt_stream *stream) { freeHandle(stream, HandleKind::Stream); }

int32_t xt_event_done(const xt_event *event) {
  return whyNotUsable(event, HandleKind::Event) ? 0 : static_cast<int32_t>(event->point->reached());
}

xt_status xt_event_wait(xt_event *event, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(event, HandleKind::Event, "event")) return bad;
    return event->point->wait();
  });
}

xt_status xt_event_seconds(const xt_event *from, const xt_event *to, double *seconds, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(from, HandleKind::Event, "from")) return bad;
    if (Failure bad = checkHandle(to, HandleKind::Event, "to")) return bad;
    if (!seconds) return invalid("seconds", "is NULL");
    if (!from->point->reached()) return invalid("from", "is not done");
    if (!to->point->reached()) return invalid("to", "is not done");
    *seconds = std::chrono::duration<double>(to->point->time() - from->point->time()).count();
    return {};
  });
}

void xt_event_free(xt_event *event) { freeHandle(event, HandleKind::Event); }
