# Why blocks go element by element, with the rule and the line; a GPU without matrix instructions.
xtc --target=xe-pvc --remarks fallback.xt
xtc --target=xe-dg2 --remarks fallback.xt 2>&1 | grep remark | sort | uniq -c
# What each kernel takes.
xtc --target=xe-pvc --report fallback.xt
# Misuse: no such target, no code yet, a pass that depends on the hardware, one that comes too early.
xtc --target=xe-hpc fallback.xt
xtc --target=xe-pvc --emit=asm fallback.xt
xtc --run=block-tiles fallback.xt
xtc --run=infer-layouts,block-tiles --target=xe-pvc workgroup.xt
