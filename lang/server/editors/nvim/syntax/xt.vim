" Colours of xt. The three lists of words are made from the grammar and the op table.
if exists('b:current_syntax') | finish | endif

syntax case match
syntax match xtNumber /\v<0[xX]\x+>|<\d+(\.\d*)?([eE][+-]?\d+)?/
syntax match xtOperator /->\|=>\|[<>=!]=\|[=+*/<>-]/
syntax match xtValue /%[A-Za-z0-9_.]\+/
syntax match xtAlias /[#!][A-Za-z_][A-Za-z0-9_.]*/
syntax match xtParameter /\$[A-Za-z_][A-Za-z0-9_]*/
syntax match xtSymbol /@[A-Za-z_][A-Za-z0-9_.$=]*/
syntax match xtKeyword /\v<%(yield|within|while|wait|to|test|subgroups|step|start|small|shift|shard|send|scf\.yield|scf\.while|scf\.if|scf\.for|scf\.condition|save|return|requires|reduce_scatter|recv|param|or|not|mod|mesh|locality|loc|load|launch|lanes|kernel|iter_args|into|in|import|if|grid|func\.return|func\.func|func\.call|func|from|form|for|exactly|else|do|check|call|and|all_reduce|all_gather|affine_map)>/
syntax match xtBoolean /\v<%(true|false|nan|inf)>/
syntax match xtType /\v<%(u8|u64|u4|u32|u16|token|tf32|nbarrier|index|i8|i64|i4|i32|i16|i1|f8E8M0|f8E5M2|f8E4M3|f64|f4E2M1|f32|f16|bf16)>/
syntax match xtOp /\v<%(%(xetile|xegpu|vector|scf|memref|math|gpu|arith)\.)?%(xori|workgroup_id|wi_data_length|view|vector\.transpose|vector\.step|vector\.broadcast|update_tile_offset|update_offsets|update_offset|update_nd_offset|unpack|uitofp|trunci|truncf|trunc|transpose|transfer_write|transfer_read|transfer_gather|topk|to_simt|to_simd|to_layout|tile_mma_scaled|tile_mma|tanh|subview|subi|subgroup_reduce|subgroup_id|subgroup_barrier|subf|stride|store_tile|store_scatter|store_nd|store|sqrt|split|splat|sort|sitofp|sinh|sin|shuffle|shrui|shrsi|shli|shape_cast|set_wi_data|select|scheduling_barrier|scan|rsqrt|roundeven|round|reverse|reshape|remui|remsi|remf|reduction|print|prefetch_tile|prefetch_nd|prefetch|powf|pow|pack|ori|nest|negf|nbarrier_wait|nbarrier_arrive|muli|mulf|minui|minsi|minnumf|minimumf|mfence|maxui|maxsi|maxnumf|maximumf|log2|log1p|log10|log|load_tile|load_nd|load_gather|lane_id|joint_matrix_store|joint_matrix_prefetch|joint_matrix_mad|joint_matrix_load|joint_matrix_fill|joint_matrix_copy|joint_matrix_coordinates|joint_matrix_apply|join|iree_vector_ext\.transfer_gather|iree_vector_ext\.to_simt|iree_vector_ext\.to_simd|iree_vector_ext\.to_layout|iota|interleave|insert_strided_slice|insert|init_tile|init_nbarrier|index_cast|histogram|get_wi_data|fptoui|fptosi|fma|floordivsi|floor|fence|extui|extsi|extract_strided_slice|extract|extf|expm1|expand_shape|exp2|exp|erf|dpas|divui|divsi|divf|dim|deinterleave|create_tdesc|create_nd_tdesc|create_nbarrier|create_mask|cos|convert_layout|conv_layout|contract|constant|concat|compile_hint|collapse_shape|cmpi|cmpf|ceildivui|ceildivsi|ceil|cast|broadcast|block_id|bitcast|barrier|atomic_rmw|atomic_cas|atan|async_wait|async_copy|async_commit|associative_scan|associative_reduce|assert|andi|alloc_slm|alloc_nbarrier|addi|addf|absi|absf)>/
syntax match xtHost /\v<%(xori|where|trunc|transpose|tanh|sum|sqrt|sort|softmax|sinh|sin|shrui|shrsi|shli|rsqrt|roundeven|round|reshape|remui|remsi|ranks|rank|random|prod|pow|out|ori|minui|minnumf|min|mean|maxui|maxnumf|max|matmul|log2|log1p|log10|log|iota|ints|identity|gather|fma|floordivsi|floor|fill|expm1|exp2|exp|erf|divui|divsi|dim|cumsum|cos|ceildivui|ceildiv|ceil|cast|before|atan|argmin|argmax|andi|address|abs)>\ze\s*\(/
syntax region xtShape matchgroup=xtType start=/\v<%(%(xetile\.)?tile|vector|memref|joint_matrix|%(xegpu\.)?tensor_desc)\</ end=/[,>]/me=e-1 oneline contains=xtShapeX,xtExtent,xtParameter,xtElement
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
