# Formats in place, and says nothing; what is formatted stays untouched.
xtc --format --check untidy.xt
xtc --format untidy.xt
cat untidy.xt
xtc --format --check untidy.xt
# From standard input to standard output; into another file.
printf '#a=#wg_map<sg_layout=[8,4],sg_data=[32,32]>' | xtc --format -
printf '#a=1\n' > short.xt; xtc --format short.xt -o other.xt; cat short.xt other.xt
# A file with a syntax error stays as it is, and the others are formatted.
cp unclosed.xt kept.xt; xtc --format kept.xt short.xt; cmp unclosed.xt kept.xt && cat short.xt
xtc --format --diagnostics-format=json kept.xt | grep '"code"'
xtc --format absent.xt
# `--format` with a value is how messages are printed, with a blank in between too.
xtc --check --format=json broken.xt | grep '"code"'
xtc --check --format json broken.xt unclosed.xt | grep '"file"\|^\[\|^\]'
xtc --check --format=sarif broken.xt | head -8
xtc --check --format=elf broken.xt
xtc --format --emit=ir untidy.xt
xtc --format --check -o out.xt untidy.xt
xtc --format -o out.xt untidy.xt short.xt
xtc --watch untidy.xt
xtc --check --emit=ir untidy.xt
xtrun --format=sarif tests.xt
