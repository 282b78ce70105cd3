# A kernel at workgroup scope: layouts by their names, a loop of unknown length.
xtrun --describe describe.xt --kernel gemm
# All counted; -D changes what is described.
xtrun --describe describe.xt --kernel static -D BK=64
# Subgroups, shared local memory, branches, loops in loops.
xtrun --describe describe.xt --kernel subgroups
# All of a file, for a machine.
xtrun --describe --json describe.xt | grep -v '^ *[]}[{],*$'
# Mistakes
xtrun --describe describe.xt --kernel nosuch
xtrun --describe describe.xt --kernel gemm -D BK=48
xtrun --describe broken.xt describe.xt --kernel gemm
xtrun --describe --json absent.xt
