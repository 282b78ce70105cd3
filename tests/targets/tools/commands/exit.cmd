# 0: all passed; also where nothing was checked, but something saved.
xtrun tests.xt --test passes -q
xtrun tests.xt --test saves -q
# 1: a check or an assert failed.
xtrun tests.xt --test differs -q > report; echo $?
xtrun tests.xt --test asserts -q
# 2: the file does not compile, or a test of it is wrong.
xtrun broken.xt -q
xtrun tests.xt --test 'wrong shape' -q
# 3: a file, the memory, or the time limit.
xtrun absent.xt -q
xtrun tests.xt --test 'no file' -q
xtrun tests.xt --test 'too large' -q > report; echo $?; sed 's/, but only.*//' report
xtrun endless.xt --time-limit 0.1 --target=interp -q
# 4: nothing was run.
xtrun no_kernel.xt
xtrun tests.xt --test nosuch
# 64: usage.
xtrun
xtrun --tarmac tests.xt
# With several, the first of 64, 70, 2, 3, 1 wins.
xtrun tests.xt --test passes --test differs -q > report; echo $?
xtrun tests.xt --test differs --test 'no file' -q > report; echo $?
xtrun tests.xt --test 'no file' --test 'wrong shape' -q > report 2>&1; echo $?
xtrun tests.xt broken.xt --test differs -q > report 2>&1; echo $?
xtrun absent.xt broken.xt tests.xt -q > report 2>&1; echo $?
xtrun no_kernel.xt tests.xt --test passes
xtrun no_kernel.xt absent.xt
# The same for a machine.
xtrun tests.xt --test passes --test differs --target=interp --json | sed 's/"\(launch\|setup\|verify\)": .*/"\1": (time)/'
xtrun absent.xt broken.xt --json 2> /dev/null
# What repeats a failure at the sizes that showed it.
xtrun tests.xt --test sized --target=interp,cpu | grep repeat
xtrun tests.xt --test sized --target=interp,cpu --small | grep repeat
xtrun tests.xt --test sized --target=interp,cpu --full | grep repeat
