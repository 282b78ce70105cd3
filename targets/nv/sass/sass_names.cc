#include "targets/nv/sass/cubin.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace xt {
namespace {

struct Name {
  uint16_t operation;
  std::string_view name;
};

// As nvdisasm prints the operations of the kernels in this repository for sm_80, sm_89 and sm_90; ascending.
constexpr Name kNames[] = {
    {0x002, "MOV"},       {0x003, "P2R"},           {0x005, "CS2R"},  {0x007, "SEL"},      {0x008, "FSEL"},   {0x009, "FMNMX"},
    {0x00b, "FSETP"},     {0x00c, "ISETP"},         {0x010, "IADD3"}, {0x011, "LEA"},      {0x012, "LOP3"},   {0x013, "IABS"},
    {0x016, "PRMT"},      {0x017, "IMNMX"},         {0x019, "SHF"},   {0x01a, "SGXT"},     {0x01c, "PLOP3"},  {0x020, "FMUL"},
    {0x021, "FADD"},      {0x023, "FFMA"},          {0x024, "IMAD"},  {0x025, "IMAD"},     {0x027, "IMAD"},   {0x028, "DMUL"},
    {0x029, "DADD"},      {0x02a, "DSETP"},         {0x02b, "DFMA"},  {0x030, "HADD2"},    {0x035, "HFMA2"},  {0x036, "VIADD"},
    {0x037, "IMMA"},      {0x03b, "LDSM"},          {0x03c, "HMMA"},  {0x03e, "F2FP"},     {0x03f, "DMMA"},   {0x045, "I2FP"},
    {0x046, "VIADDMNMX"}, {0x048, "VIMNMX"},        {0x07a, "QMMA"},  {0x082, "UMOV"},     {0x086, "VOTEU"},  {0x087, "USEL"},
    {0x08c, "UISETP"},    {0x090, "UIADD3"},        {0x091, "ULEA"},  {0x092, "ULOP3"},    {0x099, "USHF"},   {0x0a4, "UIMAD"},
    {0x0a5, "UIMAD"},     {0x0b9, "ULDC"},          {0x0ca, "R2UR"},  {0x102, "FCHK"},     {0x105, "F2I"},    {0x106, "I2F"},
    {0x108, "MUFU"},      {0x110, "F2F"},           {0x111, "F2I"},   {0x112, "I2F"},      {0x118, "NOP"},    {0x119, "S2R"},
    {0x11a, "DEPBAR"},    {0x11b, "ENDCOLLECTIVE"}, {0x11d, "BAR"},   {0x141, "BSYNC"},    {0x142, "BREAK"},  {0x144, "CALL"},
    {0x145, "BSSY"},      {0x146, "YIELD"},         {0x147, "BRA"},   {0x148, "WARPSYNC"}, {0x14d, "EXIT"},   {0x150, "RET"},
    {0x181, "LDG"},       {0x182, "LDC"},           {0x183, "LDL"},   {0x184, "LDS"},      {0x186, "STG"},    {0x187, "STL"},
    {0x188, "STS"},       {0x189, "SHFL"},          {0x18d, "ATOMS"}, {0x18e, "RED"},      {0x192, "MEMBAR"}, {0x1a6, "REDG"},
    {0x1ae, "LDGSTS"},    {0x1af, "LDGDEPBAR"},     {0x1c2, "R2UR"},  {0x1c3, "S2UR"},
};

} // namespace

std::string sassName(uint16_t operation) {
  auto found = std::ranges::lower_bound(kNames, operation, {}, &Name::operation);
  if (found != std::end(kNames) && found->operation == operation) return std::string(found->name);
  char text[16];
  std::snprintf(text, sizeof text, "op 0x%03x", static_cast<unsigned>(operation));
  return text;
}

bool isSassProduct(uint16_t operation) { return sassName(operation).ends_with("MMA"); }

} // namespace xt
