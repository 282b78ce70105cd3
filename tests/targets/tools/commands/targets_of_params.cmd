# The value for a target, else for its family, else the one for all.
xtrun --target=interp,cpu,xe-dg2,xe-pvc --device=soft for_targets.xt
xtc --target=cpu --emit=ir for_targets.xt | grep -o '^kernel.*step [0-9]*'
xtc --target=xe-pvc --emit=ir for_targets.xt | grep -o '^kernel.*step [0-9]*'
xtc --target=xe-dg2 --emit=ir for_targets.xt | grep -o '^kernel.*step [0-9]*'
xtrun --describe for_targets.xt --kernel double | grep param
xtrun --describe --json --target=xe-dg2 for_targets.xt --kernel double | grep -A 12 parameters
# -D comes first.
xtc --target=xe-dg2 --emit=ir -D ROWS=16 for_targets.xt | grep -o '^kernel.*step [0-9]*'
# The tests of targets that run together are the same.
xtrun --target=interp fail_0558_tests_for_targets.xt
xtrun --target=interp,cpu fail_0558_tests_for_targets.xt
# A mistake on one target only, after another one has compiled.
xtrun --target=cpu,xe-dg2 --device=soft wide_for_dg2.xt --kernel copy --arg X=random:48x16 --out Y=y.npy:48x16
# Launches from the command line take the values for the target.
xtrun --kernel fill --out Y=y.npy --target=interp size_for_cpu.xt
xtrun --kernel fill --out Y=y.npy --target=cpu size_for_cpu.xt
