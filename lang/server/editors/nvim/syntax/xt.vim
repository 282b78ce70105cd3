" Colours of xt. The three lists of words are made from the grammar and the op table.
if exists('b:current_syntax') | finish | endif

syntax case match
syntax match xtNumber /\v<0[xX]\x+>|<\d+(\.\d*)?([eE][+-]?\d+)?/
syntax match xtOperator /->\|=>\|[<>=!]=\|[=+*/<>-]/
syntax match xtValue /%[A-Za-z0-9_.]\+/
syntax match xtAlias /[#!][A-Za-z_][A-Za-z0-9_.]*/
syntax match xtParameter /\$[A-Za-z_][A-Za-z0-9_]*/
syntax match xtSymbol /@[A-Za-z_][A-Za-z0-9_.$=]*/
syntax match xtKeyword /\v<%(@KEYWORDS@)>/
syntax match xtBoolean /\v<%(true|false|nan|inf)>/
syntax match xtType /\v<%(@ELEMENTS@)>/
syntax match xtOp /\v<%(%(@DIALECTS@)\.)?%(@OPS@)>/
syntax match xtHost /\v<%(@HOST@)>\ze\s*\(/
syntax region xtShape matchgroup=xtType start=/\v<%(%(xetile\.)?tile|vector|memref|%(xegpu\.)?tensor_desc)\</ end=/[,>]/me=e-1 oneline contains=xtShapeX,xtExtent,xtParameter,xtElement
syntax match xtShapeX /x\%([ 0-9?$[]\|\ze[a-wyz]\)/me=s+1 contained
syntax match xtExtent /\d\+\|?/ contained
syntax match xtElement /[a-wyz][a-z0-9]*/ contained
syntax region xtText start=/"/ skip=/\\./ end=/"/ end=/$/ contains=xtEscape
syntax match xtEscape /\\./ contained
syntax keyword xtTodo TODO FIXME contained
syntax match xtComment +//.*$+ contains=xtTodo,@Spell

highlight default link xtNumber Number
highlight default link xtExtent Number
highlight default link xtOperator Operator
highlight default link xtShapeX Operator
highlight default link xtValue Identifier
highlight default link xtAlias Structure
highlight default link xtParameter PreProc
highlight default link xtSymbol Function
highlight default link xtKeyword Keyword
highlight default link xtBoolean Boolean
highlight default link xtType Type
highlight default link xtElement Type
highlight default link xtOp Special
highlight default link xtHost Special
highlight default link xtText String
highlight default link xtEscape SpecialChar
highlight default link xtComment Comment
highlight default link xtTodo Todo

let b:current_syntax = 'xt'
