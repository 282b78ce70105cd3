" What editing an xt file needs: indentation as `xtc --format` has it, comments, and the server (plugin/xt.lua).
if exists('b:did_ftplugin') | finish | endif
let b:did_ftplugin = 1

setlocal expandtab shiftwidth=2 softtabstop=2 textwidth=120
setlocal commentstring=//\ %s comments=://
setlocal formatoptions-=t formatoptions+=croql
" %x, #a, @f and $n are words, so that * and K take them whole.
setlocal iskeyword+=%,#,@-@,$,!
setlocal matchpairs+=<:>
compiler xt

if has('nvim')
  lua require('xt').start()
endif

let b:undo_ftplugin = 'setlocal expandtab< shiftwidth< softtabstop< textwidth< commentstring< comments< formatoptions<'
      \ . ' iskeyword< matchpairs< makeprg< errorformat<'
