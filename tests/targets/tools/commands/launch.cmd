# A buffer that is made, a scalar, and an output that is saved.
xtrun kernels.xt --kernel scale --arg A=random:30x50 --arg factor=2.0 --out B=twice.npy:30x50
# What was saved is read again; a reference needs a tolerance, and may be given by '@' and '%'.
xtrun kernels.xt --kernel scale --arg A=twice.npy --arg factor=0.5 --out B=back.npy --expect B=twice.npy --atol 1
xtrun kernels.xt --kernel @scale --arg %A=random:30x50xf32 --arg factor=2 --expect B=twice.npy --ulp 0
xtrun kernels.xt --kernel scale --arg A=random:30x50 --arg factor=2.0001 --expect B=twice.npy --rtol 0.001
# Another parameter, two targets.
xtrun kernels.xt -D W=32 --target=interp,cpu --kernel scale --arg A=random:30x50 --arg factor=2 --expect B=twice.npy --ulp 0
# A result that differs.
xtrun kernels.xt --kernel scale --arg A=random:30x50 --arg factor=2.0001 --expect B=twice.npy --ulp 1
# Static parameters need no shape; integers are compared exactly.
xtrun kernels.xt --kernel square --arg A=ints --out B=squares.npy
xtrun kernels.xt --kernel square --arg A=ints:1 --expect B=squares.npy
xtrun kernels.xt --kernel square --arg A=ints:1 --expect B=squares.npy --atol 1
xtrun kernels.xt --kernel square --arg A=iota --out B=b.npy
xtrun kernels.xt --kernel square --arg A=identity --out B=b.npy
xtrun kernels.xt --kernel square --arg A=zeros --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=fill(-3)' --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=from (i, j) => i*10 + j' --out B=b.npy
xtrun kernels.xt --kernel square --arg 'A=ints(-9, 9, seed = 7):4x8xi32' --arg B=random:3
# The shape may stand before the values or the seed.
xtrun kernels.xt --kernel square --arg A=fill:4x8xi32:-3 --out B=b.npy
xtrun kernels.xt --kernel square --arg A=ints:4x8:1 --expect B=squares.npy
xtrun kernels.xt --kernel square --arg A=ints:4x8xi32:-9,9 --out B=b.npy
xtrun kernels.xt --kernel square --arg A=ints:-9:9:4x8xi32 --out B=b.npy
# A column-major parameter, and a rank of 1: the number behind the path is the shape.
xtrun kernels.xt --kernel columns --arg A=iota:8x8 --arg n=0 --out B=sums.npy:8
# An i64 parameter takes the address of a buffer that is made for it.
xtrun kernels.xt --kernel halves --arg address=iota:1x16xf32 --out B=halves.npy
# A kernel without a grid of its own takes it with x first; x counts the columns here.
xtrun kernels.xt --kernel ids --out B=ids.npy:2x4 --grid 4,2
xtrun kernels.xt --kernel ids --out B=ids.npy:1x3 --grid 3 --target=interp,cpu
xtrun kernels.xt --kernel ids --out B=ids.npy:4x2 --grid 4,2
# A machine reads the same.
xtrun kernels.xt --kernel square --arg A=ints:1 --out B=b.npy --json | sed 's/"\(launch\|setup\|verify\)": .*/"\1": (time)/' 
# Nothing but the outputs is left behind.
ls | grep -v "xt$"
