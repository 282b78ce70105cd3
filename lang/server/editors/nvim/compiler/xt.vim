" :make checks the file without the server and fills the quickfix list.
if exists('current_compiler') | finish | endif
let current_compiler = 'xt'

CompilerSet makeprg=xtc\ --check\ --color=never\ %:S
CompilerSet errorformat=%Eerror[XT%n]:\ %m,%Wwarning[XT%n]:\ %m,%Iremark[XT%n]:\ %m,%C\ \ -->\ %f:%l:%c,%-G%.%#
