# All that a target has; the sizes for types; whether it has a size.
xtc --query xe-pvc
xtc --query xe-dg2 f16,f16,f32
xtc --query xe-bmg tf32,tf32 8x16x8
xtc --query spirv
xtc --query xe-dg2 i8,u8,i32 8x8x32 --format json
xtc --query xe-dg2 --format=json i8,u8,i32 8x8x32
# What it has not, with what it has.
xtc --query xe-dg2 tf32,tf32,f32
xtc --query xe-pvc f16,f16,f32 16x16x16
# The tiles of a processor: every size up to the one given.
xtc --query amx
xtc --query amx bf16,bf16,f32
xtc --query amx i8,u8,i32 5x16x60
xtc --query amx i8,u8,i32 17x16x64
xtc --query amx bf16,bf16,f32 --format=json
# Mistakes
xtc --query sm90
xtc --query xe-pvc f16
xtc --query xe-pvc f16,f16,f32 8x16x16 more
