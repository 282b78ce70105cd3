autocmd BufRead,BufNewFile *.xt setfiletype xt
