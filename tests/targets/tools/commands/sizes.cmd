# Without --size, each target takes its own sizes.
xtrun --target=interp,cpu --test scale sizes.xt
# A size that is given holds for all of them, and for the sizes that depend on it.
xtrun --target=interp,cpu --test scale --size M=33 sizes.xt
xtrun --test scale --size '$M=33' --size N=5 sizes.xt
# The command that repeats a failure has it.
xtrun --test fails --size K=2 -q sizes.xt
# Mistakes.
xtrun --size Q=4 sizes.xt
xtrun --size M=-4 sizes.xt
xtrun --size M=3x sizes.xt
xtrun --size M=3 --size M=4 sizes.xt
