#include "targets/tune/tune_json.h"

#include <nlohmann/json.hpp>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

Json timesJson(const BenchTimes &times) {
  Json json = Json::object();
  json["median"] = times.median;
  json["low"] = times.low;
  json["high"] = times.high;
  return json;
}

Json valuesJson(const TuneValues &values) {
  Json json = Json::object();
  for (const auto &[name, value] : values) json[name] = value;
  return json;
}

Json recordJson(const TuneRecord &record) {
  Json json = Json::object();
  json["kernel"] = record.kernel;
  json["target"] = record.target;
  json["device"] = record.device;
  json["threads"] = record.threads;
  json["arrays"] = record.arrays;
  json["given"] = valuesJson(record.given);
  json["values"] = valuesJson(record.values);
  json["seconds"] = timesJson(record.best);
  json["defaults"] = timesJson(record.defaults);
  json["timed"] = record.timed;
  json["candidates"] = record.candidates;
  return json;
}

} // namespace

nlohmann::ordered_json tuneJson(const std::string &file, const TuneReport &report) {
  Json json = Json::object();
  json["file"] = file;
  json["test"] = report.test;
  json["parameters"] = report.parameters;
  json["problem"] = report.problem;
  json["unusable"] = report.unusable;
  json["unfit"] = report.unfit;
  json["first_unfit"] = report.firstUnfit;
  json["wrong"] = report.wrong;
  json["first_wrong"] = report.firstWrong;
  json["seconds"] = report.seconds;
  json["complete"] = report.complete;
  json["kernels"] = Json::array();
  for (const TuneRecord &record : report.records) json["kernels"].push_back(recordJson(record));
  return json;
}

} // namespace xt
