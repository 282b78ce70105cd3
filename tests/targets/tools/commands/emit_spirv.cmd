# SPIR-V and how its kernels are launched; with block messages, and for buffers that break their rules.
xtc --target=xe-pvc --emit=spirv,meta -o k.spv launched.xt
test -s k.spv && echo written
xtc --target=xe-pvc --no-block-messages --emit=meta launched.xt | grep 'blockMessages\|blockRules'
xtc --target=xe-pvc --overlapping-arguments --emit=meta launched.xt | grep '"disjoint"'
xtc --target=xe-pvc --spirv-extensions=intel --emit=llvm launched.xt | grep -o '__spirv_Sub[A-Za-z0-9]*' | sort -u
# Misuse.
xtc --emit=meta launched.xt
xtc --no-block-messages launched.xt
xtc --overlapping-arguments launched.xt
xtc --target=spirv --spirv-extensions=intel --emit=spirv -o k.spv launched.xt
xtc --spirv-extensions=intel launched.xt
xtc --target=xe-pvc --spirv-extensions=khronos launched.xt
xtrun --target=cpu --spirv-extensions=intel launched.xt
