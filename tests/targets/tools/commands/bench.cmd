# Timing: what does not go together, and bases that hold no times.
xtrun --compare old.json remarks.xt
xtrun --bench --fail-if-slower 5% remarks.xt
xtrun --bench --compare old.json --fail-if-slower fast remarks.xt
xtrun --bench --compare missing.json remarks.xt
xtrun --bench --compare remarks.xt remarks.xt
xtrun --roofline chart.svg remarks.xt
xtrun --bench-time 2 remarks.xt
xtrun --bench --bench-time 0 remarks.xt
