" Indents as `xtc --format` does: two for a block, four for a line that continues a statement.
if exists('b:did_indent') | finish | endif
let b:did_indent = 1

setlocal indentexpr=XtIndent(v:lnum)
setlocal indentkeys=0},0),0],0:,0=grid,0=requires,0=->,!^F,o,O
let b:undo_indent = 'setlocal indentexpr< indentkeys<'

if exists('*XtIndent') | finish | endif

" The line without its comment and what stands in quotes.
function s:Code(line)
  let l:text = substitute(getline(a:line), '"\%(\\.\|[^"\\]\)*"', '""', 'g')
  return substitute(substitute(l:text, '//.*$', '', ''), '\s\+$', '', '')
endfunction

" The nearest line above that is more than a comment; 0: none.
function s:Above(line)
  let l:above = prevnonblank(a:line - 1)
  while l:above > 0 && s:Code(l:above) =~# '^\s*$'
    let l:above = prevnonblank(l:above - 1)
  endwhile
  return l:above
endfunction

function s:Continues(line)
  let l:code = s:Code(a:line)
  if l:code =~# '^\s*\%(->\|[:+*/<>=,)-]\|\%(and\|or\|mod\|grid\|requires\|subgroups\|lanes\|iter_args\|to\|step\|into\)\>\)'
    return 1
  endif
  let l:above = s:Above(a:line)
  return l:above > 0 && l:code !~# '^\s*$' && s:Code(l:above) =~# '[,=([]$'
endfunction

function XtIndent(line)
  let l:above = s:Above(a:line)
  if l:above == 0 | return 0 | endif
  let l:start = l:above
  while l:start > 0 && s:Continues(l:start)
    let l:start = s:Above(l:start)
  endwhile
  let l:indent = indent(max([l:start, 1])) + (s:Code(l:above) =~# '{$' ? 2 : 0)
  if s:Code(a:line) =~# '^\s*}' | return l:indent - 2 | endif
  return l:indent + (s:Continues(a:line) ? 4 : 0)
endfunction
