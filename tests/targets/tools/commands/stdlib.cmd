# All files of the standard library in one: no two of them have a parameter of one name.
xtc --check all_std.xt
