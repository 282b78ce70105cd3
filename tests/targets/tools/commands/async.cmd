# A copy writes only to shared local memory.
xtrun --describe copies.xt
xtc --prove copy_of_output.xt
# Targets may differ in data that is read too early; the tool does not blame the order of workgroups.
xtrun --target=interp,cpu copy_read_early.xt
# Elements out of bounds are counted once.
xtrun --target=interp --check=bounds copy_padded.xt
# A function that begins a copy can be checked without a kernel.
xtc --check copy_function.xt
# Passes below the workgroup, and code, need copies to be expanded.
xtc --run=infer-layouts,plan-slm copies_of_subgroups.xt
xtc --target=xe-pvc --run=infer-layouts,block-tiles copies_of_subgroups.xt
xtc --target=xe-pvc --run=infer-layouts,distribute-to-lanes copies_of_subgroups.xt
xtc --target=xe-pvc --run=infer-layouts --emit=llvm copies_of_lanes.xt
xtc --target=cpu --run=infer-layouts --emit=llvm copies_of_lanes.xt
xtrun --target=interp,cpu,xe-pvc --small copies.xt copies_of_subgroups.xt copies_of_lanes.xt
