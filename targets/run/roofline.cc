#include "targets/run/roofline.h"

#include "ir/base/text.h"
#include "ir/base/xml.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace xt {
namespace {

constexpr double kWidth = 720, kHeight = 440, kLeft = 70, kRight = 20, kTop = 30, kBottom = 50; // pixels

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}
std::string pixel(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// A logarithmic axis.
struct LogAxis {
  int low, high; // exponents of 10
  double from, to; // pixels
  double at(double value) const { return from + (std::log10(value) - low) / (high - low) * (to - from); }
};

class Chart {
public:
  explicit Chart(const std::vector<RooflinePoint> &points) {
    for (const RooflinePoint &point : points)
      if (point.operations > 0 && point.bytes > 0 && point.seconds > 0 && point.rates.operations > 0 && point.rates.bytes > 0)
        points_.push_back(point);
  }

  std::string draw() {
    chooseAxes();
    out_ = str("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" height=\"", kHeight,
               "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    drawAxes();
    std::vector<Elem> drawn;
    for (const RooflinePoint &point : points_) {
      if (std::find(drawn.begin(), drawn.end(), point.rates.elem) != drawn.end()) continue;
      drawn.push_back(point.rates.elem);
      drawRoof(point.rates);
    }
    for (const RooflinePoint &point : points_) drawPoint(point);
    return out_ + "</svg>\n";
  }

private:
  void chooseAxes() {
    double least = 1e-1, most = 1e3, slowest = 1e9, fastest = 1e10;
    for (const RooflinePoint &point : points_) {
      double intensity = point.operations / point.bytes, ridge = point.rates.operations / point.rates.bytes;
      least = std::min({least, intensity, ridge}), most = std::max({most, intensity, ridge});
      slowest = std::min(slowest, point.operations / point.seconds);
      fastest = std::max({fastest, point.operations / point.seconds, point.rates.operations});
    }
    auto floor = [](double x) { return static_cast<int>(std::floor(std::log10(x))); };
    auto ceiling = [](double x) { return static_cast<int>(std::ceil(std::log10(x))); };
    x_ = {floor(least), ceiling(most), kLeft, kWidth - kRight};
    y_ = {floor(slowest), ceiling(fastest), kHeight - kBottom, kTop};
  }

  void line(double x1, double y1, double x2, double y2, const char *style) {
    out_ += str("<line x1=\"", pixel(x1), "\" y1=\"", pixel(y1), "\" x2=\"", pixel(x2), "\" y2=\"", pixel(y2), "\" ", style,
                "/>\n");
  }
  void text(double x, double y, const std::string &what, const char *style = "") {
    out_ += str("<text x=\"", pixel(x), "\" y=\"", pixel(y), "\" ", style, ">", xmlText(what), "</text>\n");
  }

  void drawAxes() {
    for (int e = x_.low; e <= x_.high; ++e) {
      double x = x_.at(std::pow(10, e));
      line(x, y_.from, x, y_.to, "stroke=\"#ddd\"");
      text(x, y_.from + 16, number(std::pow(10, e), 3), "text-anchor=\"middle\"");
    }
    for (int e = y_.low; e <= y_.high; ++e) {
      double y = y_.at(std::pow(10, e));
      line(x_.from, y, x_.to, y, "stroke=\"#ddd\"");
      text(x_.from - 6, y + 4, number(std::pow(10, e - 9), 3), "text-anchor=\"end\"");
    }
    text((x_.from + x_.to) / 2, kHeight - 12, "operations per byte of the arrays", "text-anchor=\"middle\"");
    text(x_.from - 60, kTop - 12, "G operations/s");
  }

  void drawRoof(const MachineRates &rates) {
    double ridge = rates.operations / rates.bytes, left = std::pow(10, x_.low), right = std::pow(10, x_.high);
    double start = std::max(left, std::pow(10, y_.low) / rates.bytes); // where the slope enters the chart
    line(x_.at(start), y_.at(start * rates.bytes), x_.at(ridge), y_.at(rates.operations),
         "stroke=\"#3465a4\" stroke-width=\"2\"");
    line(x_.at(ridge), y_.at(rates.operations), x_.at(right), y_.at(rates.operations), "stroke=\"#3465a4\" stroke-width=\"2\"");
    text(x_.to - 4, y_.at(rates.operations) - 5,
         str(elemName(rates.elem), ": ", number(rates.operations * 1e-9, 4), " G operations/s"),
         "text-anchor=\"end\" fill=\"#3465a4\"");
    text(x_.at(start) + 8, y_.at(start * rates.bytes) - 4, str(number(rates.bytes * 1e-9, 3), " GB/s"), "fill=\"#3465a4\"");
  }

  void drawPoint(const RooflinePoint &point) {
    double rate = point.operations / point.seconds, x = x_.at(point.operations / point.bytes), y = y_.at(rate);
    out_ += str("<circle cx=\"", pixel(x), "\" cy=\"", pixel(y), "\" r=\"4\" fill=\"#cc0000\"/>\n");
    bool leftHalf = x < (x_.from + x_.to) / 2;
    text(x + (leftHalf ? 8 : -8), y + 4, str(point.label, ", ", number(rate * 1e-9, 4)), leftHalf ? "" : "text-anchor=\"end\"");
  }

  std::vector<RooflinePoint> points_;
  LogAxis x_{}, y_{};
  std::string out_;
};

} // namespace

std::string rooflineSvg(const std::vector<RooflinePoint> &points) { return Chart(points).draw(); }

} // namespace xt
