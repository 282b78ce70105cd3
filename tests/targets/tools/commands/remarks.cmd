# What passes leave out, and how the CPU computes the rest.
xtc --remarks --cpu=x86-64-v4 remarks.xt
# A pass that the pipeline does not run.
xtc --remarks --cpu=x86-64-v4 --run=hoist-invariants --emit=llvm remarks.xt -o remarks.ll
# Without the switch there are none.
xtc remarks.xt
# What is not merged and not moved, and why.
xtc --remarks --run=canonicalize,cse,hoist-invariants missed.xt
# Which ops share a loop.
xtc --remarks --cpu=x86-64-v4 missed.xt
# How products run on AMX.
xtc --remarks --cpu=sapphirerapids amx.xt
xtc --remarks --cpu=sapphirerapids sliced.xt
# Of few columns f16 is converted as it is multiplied.
xtc --remarks --cpu=znver5 halves.xt
xtc --remarks --cpu=znver5 -D N=512 halves.xt
