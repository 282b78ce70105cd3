# Values of the list, and others: a warning, once for all targets.
xtrun kernels.xt -D W=32 --kernel scale --arg A=random:9x9 --arg factor=2 --out B=b.npy:9x9 --target=interp,cpu
xtrun kernels.xt -D W=8 --kernel scale --arg A=random:9x9 --arg factor=2 --out B=c.npy:9x9 --target=interp,cpu
cmp b.npy c.npy
xtrun --describe describe.xt --kernel static -D BK=128 -D T=bf16
xtrun --describe describe.xt --kernel static -D BK=128 --json | grep -A 20 diagnostics
# Several values: a run with each combination of them, of which the first saves its outputs.
xtrun kernels.xt -D W=16,32 --kernel scale --arg A=random:9x9 --arg factor=2 --out B=d.npy:9x9
xtrun kernels.xt -D W=16,X --kernel scale --arg A=random:9x9 --arg factor=2 --out B=d.npy:9x9
# Mistakes
xtrun kernels.xt -D W= --kernel scale --arg A=random:9x9 --arg factor=2 --out B=b.npy:9x9
xtrun describe.xt -D BK=$(seq -s, 1001) --kernel static
xtrun kernels.xt -D X=32 --kernel scale --arg A=random:9x9 --arg factor=2 --out B=b.npy:9x9
xtrun kernels.xt -D W=0 --kernel scale --arg A=random:9x9 --arg factor=2 --out B=b.npy:9x9
xtrun describe.xt -D T=half --kernel static
xtrun describe.xt -D T=i32 --kernel static
xtrun describe.xt -D BK --kernel static
