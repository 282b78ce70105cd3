# What a kernel requires is checked before it runs, on every target.
xtrun --target=interp,cpu requires.xt
# It is part of a kernel's description.
xtrun --describe requires.xt
