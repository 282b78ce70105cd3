# All files of the standard library in one: no two of them have a parameter of one name.
xtc --check all_std.xt
# Tiles for CPUs.
xtrun -q --target=cpu,interp wide_tiles.xt
