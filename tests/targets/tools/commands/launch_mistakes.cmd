# Kernels and names
xtrun kernels.xt --arg A=iota
xtrun kernels.xt --kernel skale --arg A=iota
xtrun kernels.xt --kernel scale --arg X=1
xtrun kernels.xt --kernel scale --arg A=random:9x17 --arg A=iota:9x17
xtrun kernels.xt --kernel scale --arg A
xtrun kernels.xt --kernel scale --test t
xtrun kernels.xt kernels.xt --kernel scale
xtrun no_kernel.xt --kernel scale
xtrun absent.xt --kernel scale
xtrun broken.xt --kernel broken --arg A=iota
# What is missing
xtrun kernels.xt --kernel scale --arg A=random:9x17 --arg factor=1
xtrun kernels.xt --kernel scale --arg A=random:9x17 --out B=b.npy:9x17
xtrun kernels.xt --kernel scale --arg A=random --arg factor=1 --out B=b.npy:9x17
xtrun kernels.xt --kernel scale --arg A=random:9x17 --arg factor=1 --out B=b.npy
# Shapes and types
xtrun kernels.xt --kernel square --arg A=random:9x17 --out B=b.npy
xtrun kernels.xt --kernel square --arg A=random:4x8xf32 --out B=b.npy
xtrun kernels.xt --kernel scale --arg A=random:9x17x2 --arg factor=1 --out B=b.npy:9x17
xtrun kernels.xt --kernel scale --arg A=number.npy --arg factor=1 --out B=b.npy:9x17
xtrun kernels.xt --kernel scale --arg A=random:9x17xf99 --arg factor=1 --out B=b.npy:9x17
xtrun kernels.xt --kernel square --arg A=iota --out B=b.npy:8x4
xtrun kernels.xt --kernel scale --arg A=random:99999999999x99999999999 --arg factor=1 --out B=b.npy:1x1
xtrun kernels.xt --kernel square --arg A=random:0x8 --out B=b.npy
# Sources
xtrun kernels.xt --kernel square --arg A=foo --out B=b.npy
xtrun kernels.xt --kernel square --arg A=fill --out B=b.npy
xtrun kernels.xt --kernel square --arg A=iota:7:4x8 --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=ints(-4)' --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=fill(1) // ' --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=fill(1 // )' --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=fill(%A)' --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=fill(1) + fill(2)' --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=fill((1)' --out B=b.npy
xtrun kernels.xt --kernel square --arg "$(printf 'A=fill(1) : memref<4x8xi32>\n  check %%A == %%A exactly\n  %%Z = fill(1)')" --out B=b.npy
xtrun kernels.xt --kernel square --arg "$(printf 'A=fill(1\n):4x8')" --out B=b.npy
xtrun kernels.xt --kernel square --arg "$(printf 'A=random:4x8xf32\n  check %%A == %%A exactly')" --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=fill(0.5)' --out B=b.npy
xtrun kernels.xt --kernel halves --arg address=iota --out B=b.npy
# Files
xtrun kernels.xt --kernel scale --arg A=absent.npy --arg factor=1 --out B=b.npy:1x1
xtrun kernels.xt --kernel scale --arg A=text.npy --arg factor=1 --out B=b.npy:1x1
xtrun kernels.xt --kernel scale --arg A=complex.npy --arg factor=1 --out B=b.npy:1x1
xtrun kernels.xt --kernel square --arg A=cut.npy --out B=b.npy
xtrun kernels.xt --kernel square --arg A=iota --out B=no/such/b.npy
xtrun kernels.xt --kernel square --arg A=iota --expect B=complex.npy
xtrun kernels.xt --kernel square --arg A=iota --expect B=absent.npy
# Scalars
xtrun kernels.xt --kernel scale --arg A=random:9x17 --arg factor=two --out B=b.npy:9x17
xtrun kernels.xt --kernel columns --arg A=iota:8x8 --arg n=0.5 --out B=b.npy:8
xtrun kernels.xt --kernel columns --arg A=iota:8x8 --arg n=99999999999999999999 --out B=b.npy:8
xtrun kernels.xt --kernel scale --arg A=random:9x17 --arg factor=1 --out factor=b.npy --out B=b.npy:9x17
# Tolerances and grids
xtrun kernels.xt --kernel scale --arg A=ones.npy --arg factor=1 --expect B=ones.npy
xtrun kernels.xt --kernel scale --arg A=ones.npy --arg factor=1 --expect B=ones.npy --rtol -1
xtrun kernels.xt --kernel scale --arg A=ones.npy --arg factor=1 --expect B=ones.npy --rtol x
xtrun kernels.xt --kernel scale --arg A=ones.npy --arg factor=1 --expect B=ones.npy --ulp 1 --rtol 1
xtrun kernels.xt --kernel scale --arg A=ones.npy --arg factor=1 --out B=b.npy:3x3 --grid 4,4
xtrun kernels.xt --kernel square --arg A=iota --out B=b.npy --grid 4,-4
xtrun kernels.xt --kernel square --arg A=iota --out B=b.npy --grid 1,1,1,1
xtrun kernels.xt --kernel square --arg A=iota --out B=b.npy --ulp 1
xtrun kernels.xt --rtol 1
xtrun kernels.xt --grid 1
# A launch that fails leaves the file that was there, and no temporary one.
xtrun kernels.xt --kernel square --arg A=iota --out B=b.npy -q; cp b.npy before
xtrun kernels.xt --kernel square --arg A=cut.npy --out B=b.npy -q
cmp b.npy before && ls | grep -v 'npy$\|xt$'
