// The grammar of .xt over the tokens that lang/parse/shape_tokens.cc produces: brackets are balanced, every statement and
// item ends in NL, blocks and attribute groups have different brace tokens, and the token of an op's name determines its
// clause shape. Every decision is SLL with a look-ahead of a few tokens; a test over all sample texts checks that.
parser grammar XtParser;
options { tokenVocab = XtLexer; superClass = ParserBase; contextSuperClass = TreeBase; }
@parser::postinclude {#include "lang/parse/parser_base.h"}

file: (item NL)* EOF;

// ---- items ----------------------------------------------------------------------------------------------------------
item
  : KW_IMPORT TEXT                                                            # importItem
  | KW_PARAM SIZE COLON type (EQ choice)? (KW_IN LBRACK choices RBRACK)? (KW_FOR targetChoice (COMMA targetChoice)*)? # paramItem
  | ATTR EQ attrValue                                                         # attrAliasItem
  | TYPE EQ type                                                              # typeAliasItem
  | (KW_KERNEL | KW_FUNC) SYMBOL generics? LPAREN params? RPAREN (ARROW typeList)? header* block # kernelItem
  | HOST_FUNC SYMBOL LPAREN (VALUE (COMMA VALUE)* COMMA?)? RPAREN (EQ expr | hostBlock) # hostFunctionItem
  | KW_TEST TEXT sizes? small? hostBlock                                      # testItem
  ;
choices: choice (COMMA choice)*;
choice: shapedType | expr;
targetChoice: TEXT EQ choice; // the default for a target
params: param (COMMA param)* COMMA?;
generics: LANGLE generic (COMMA generic)* COMMA? RANGLE;
generic: (word | SIZE) (COLON word)?;
param: VALUE COLON type | SYMBOL | ATTR; // a function or a layout, which the call gives
header
  : KW_GRID LPAREN gridVar (COMMA gridVar)* COMMA? RPAREN                     # gridHeader
  | KW_REQUIRES LPAREN expr (COMMA expr)* COMMA? RPAREN                       # requiresHeader
  | KW_SUBGROUPS LPAREN expr RPAREN                                           # subgroupsHeader
  | KW_LANES LPAREN expr RPAREN                                               # lanesHeader
  | KW_FORM word (COMMA word)*                                                # formHeader
  ;
gridVar: VALUE EQ expr KW_TO expr (KW_STEP expr)?;
small: KW_SMALL sizes;
sizes: LBRACE (size (COMMA size)* COMMA?)? RBRACE;
size: word EQ expr;

// ---- statements of kernels and functions ----------------------------------------------------------------------------
block: LBLOCK blockLabel? (line NL)* RBLOCK;
blockLabel: LABEL (LPAREN params? RPAREN)? COLON NL; // the label `^bb0(%x: f32):` of a block of `while … do`
line: stmt location?;
stmt
  : results EQ rhs                                                            # bindStmt
  | op                                                                        # opStmt
  | forLoop                                                                   # forStmt
  | whileLoop                                                                 # whileStmt
  | ifElse                                                                    # ifStmt
  | KW_YIELD values? signature?                                               # yieldStmt
  | KW_CONDITION LPAREN expr RPAREN values? signature?                        # conditionStmt
  | KW_RETURN values? signature?                                              # returnStmt
  | call attrGroup* signature?                                                # callStmt
  | KW_FORM word (COMMA word)*                                                # formStmt
  ;
results: result (COMMA result)*;
result: VALUE (SPLICE INT)?;
rhs
  : op                                                                        # opRhs
  | forLoop                                                                   # forRhs
  | whileLoop                                                                 # whileRhs
  | ifElse                                                                    # ifRhs
  | expr attrGroup* signature?                                                # exprRhs
  ;
forLoop: KW_FOR VALUE EQ expr KW_TO expr (KW_STEP expr)? iterArgs? (ARROW typeList)? (COLON type)? block;
iterArgs: KW_ITER_ARGS LPAREN iterArg (COMMA iterArg)* COMMA? RPAREN;
iterArg: VALUE EQ expr;
// The second form is MLIR's: the first block ends in scf.condition, whose values are the parameters of the second block.
whileLoop
  : KW_WHILE expr iterArgs? (ARROW typeList)? block
  | KW_WHILE (LPAREN iterArg (COMMA iterArg)* COMMA? RPAREN)? COLON typeList ARROW typeList block KW_DO block
  ;
ifElse: KW_IF expr (ARROW typeList)? block orElse?;
orElse: KW_ELSE (ifElse | block);
location: KW_LOC LPAREN (TEXT (COLON INT COLON INT)? | word) RPAREN;

// ---- ops: one rule per clause shape (grammar/README.md maps the RFC's syntax tables to them) ------------------------
op
  : OP_OPERANDS attrGroup* (operands opTail | signature?)                     # operandsOp
  | OP_BASE attrGroup* simple list* (COMMA baseItem)* opTail                  # baseOp
  | OP_LOCALITY attrGroup* simple locality? (COMMA attrGroup)* opTail         # localityOp
  | OP_KIND attrGroup* (kind COMMA? attrGroup*)? list? dimsOperands opTail    # kindOp
  | OP_DIMS attrGroup* (list attrGroup*)? (dimsOperands opTail | signature?)  # dimsOp
  | OP_LITERAL attrGroup* operand opTail                                      # literalOp
  | OP_TEXT attrGroup* textItem (COMMA textItem)* opTail                      # textOp
  | OP_BARE opTail                                                            # bareOp
  | OP_DIMENSION word opTail                                                  # dimensionOp
  ;
// A comma may precede an attribute group, as the RFC prints it: load_gather %t, %mask, {padding = 1.0}.
operands: operand (COMMA (operand | attrGroup))*;
// The values in parentheses are the index vectors of %source[%i, %j](%rows).
operand: MINUS? simple index* (LPAREN simple (COMMA simple)* RPAREN)? | list;
baseItem: simple | list | attrGroup;
dimsOperands: simple (COMMA (simple | attrGroup))* (COMMA? list)?;
textItem: TEXT | operand | attrGroup;
locality: KW_LOCALITY LANGLE expr RANGLE;
kind: LANGLE word RANGLE | QUOTED_KIND | TEXT | name;
opTail: toLayout? flag* attrGroup* signature?;
toLayout: KW_TO name LPAREN layoutAttr RPAREN; // to layout(#l)
flag: FLAG (LANGLE word (COMMA word)* COMMA? RANGLE | LPAREN arg (COMMA arg)* COMMA? RPAREN)?;

// The colon may be missing before a shaped type, as some of the RFC's examples print it. `R from T` means `T -> R`.
signature: (COLON typeList | shapedType (COMMA type)*) ((arrow | KW_FROM) typeList)? | arrow typeList;
arrow: ARROW | FAT_ARROW | KW_INTO | KW_TO;
typeList: type (COMMA type)* | LPAREN (type (COMMA type)*)? RPAREN;

// ---- expressions: Python's precedence, `mod` ranks with `*` ----------------------------------------------------------
expr
  : (MINUS | TILDE) expr                                                      # signExpr
  | expr (STAR | SLASH | KW_MOD) expr                                         # productExpr
  | expr (PLUS | MINUS) expr                                                  # sumExpr
  | expr (SHL | SHR) expr                                                     # shiftExpr
  | expr AMP expr                                                             # bitAndExpr
  | expr CARET expr                                                           # bitXorExpr
  | expr BAR expr                                                             # bitOrExpr
  | expr (LT | LE | GT | GE | EQEQ | NE) expr                                 # compareExpr
  | KW_NOT expr                                                               # notExpr
  | expr KW_AND expr                                                          # andExpr
  | expr KW_OR expr                                                           # orExpr
  | atom index*                                                               # atomExpr
  ;
atom: simple | TEXT | call | name;
// An expression that may be an operand of an op; larger expressions must be in parentheses there.
simple
  : VALUE (SPLICE INT)?                                                       # valueAtom
  | SIZE                                                                      # sizeAtom
  | (INT | HEX | FLOAT | KW_NAN | KW_INF)                                     # numberAtom
  | (KW_TRUE | KW_FALSE)                                                      # boolAtom
  | SYMBOL                                                                    # symbolAtom
  | LPAREN expr RPAREN                                                        # parenAtom
  ;
call: (KW_CALL? SYMBOL | name) LPAREN (arg (COMMA arg)* COMMA?)? RPAREN;
arg: (word EQ)? value | ATTR;
value: expr | list;
values: value (COMMA value)*;
list: LBRACK (value (COMMA value)* COMMA?)? RBRACK;
index: LBRACK (indexItem (COMMA indexItem)*)? RBRACK;
indexItem: expr (COLON expr? step?)? | COLON expr? step?;
step: COLON expr?; // the last part of a slice begin:end:step

// ---- attributes -----------------------------------------------------------------------------------------------------
// Aliases may follow one another without a comma: {#to #from}.
attrGroup: LBRACE (attrEntry (COMMA attrEntry | layoutAttr)* COMMA?)? RBRACE;
attrEntry: (word | SIZE) EQ attrValue | attrValue;
layoutAttr: ATTR (LANGLE entries? RANGLE)?;
entries: attrEntry (COMMA attrEntry)* COMMA?;
attrValue
  : layoutAttr                                                                # layoutAttrRef
  | WORD LANGLE entries? RANGLE                                               # mappingAttr
  | KW_AFFINE_MAP EQ? LANGLE words ARROW mapResults RANGLE                    # affineMapAttr
  | LBRACK (attrItem (COMMA attrItem)* COMMA?)? RBRACK                        # listAttr
  | attrGroup                                                                 # groupAttr
  | (shapedType | TYPE)                                                       # typeAttr
  | QMARK                                                                     # dynamicAttr
  | hardWord                                                                  # wordAttr
  | expr                                                                      # exprAttr
  ;
attrItem: attrValue (COLON expr)?; // 4:sg*8 is a factor of #layout<…>
words: LPAREN (word (COMMA word)*)? RPAREN;
mapResults: LPAREN (mapResult (COMMA mapResult)*)? RPAREN;
mapResult: word | INT;

// ---- types ----------------------------------------------------------------------------------------------------------
type
  : shapedType                                                                # shapedTypeRef
  | TYPE                                                                      # typeAliasRef
  | SIZE                                                                      # typeParamRef
  | name                                                                      # wordType
  ;
shapedType
  : (KW_TILE | KW_VECTOR | KW_MEMREF | KW_JOINT_MATRIX | KW_TENSOR_DESC | TYPE) LANGLE shape (COMMA attrEntry)* COMMA? RANGLE;
shape: (extent X)* (ELEM | SIZE);
extent: DIM | QMARK | SIZE | LBRACK expr RBRACK;

// ---- statements of tests and of their functions --------------------------------------------------------------------------------------------
hostBlock: LBLOCK (hostLine NL)* RBLOCK;
hostLine: hostStmt location?;
hostStmt
  : VALUE EQ initializer (COLON type)?                                        # bufferStmt
  | KW_LAUNCH SYMBOL LPAREN (arg (COMMA arg)* COMMA?)? RPAREN attrGroup? launchGrid? # launchStmt
  | KW_CHECK expr tolerance?                                                  # checkStmt
  | KW_SAVE VALUE TEXT                                                        # saveStmt
  | KW_FOR VALUE EQ expr KW_TO expr (KW_STEP expr)? hostBlock                 # launchLoopStmt
  | KW_RETURN expr                                                            # hostReturnStmt
  | HOST_MESH hostArgs                                                        # meshStmt
  | HOST_SHARD VALUE hostArgs                                                 # shardStmt
  | HOST_START? HOST_COMMUNICATION VALUE index? (ARROW VALUE)? hostArgs?      # communicateStmt
  | HOST_WAIT VALUE                                                           # waitStmt
  ;
hostArgs: LPAREN (arg (COMMA arg)* COMMA?)? RPAREN;
initializer
  : KW_LOAD TEXT                                                              # loadInit
  | KW_FROM words (FAT_ARROW | ARROW) expr                                    # fromInit
  | expr                                                                      # exprInit
  ;
launchGrid: KW_GRID LPAREN (expr (COMMA expr)*)? RPAREN;
tolerance: KW_EXACTLY | KW_WITHIN bound (COMMA bound)*;
bound: word EQ expr;

// ---- words ----------------------------------------------------------------------------------------------------------
// Any word may be an attribute key, a kind, a size or an argument's name; only a `name` may be used in an expression.
word: name | hardWord | KW_NOT | KW_TRUE | KW_FALSE | KW_NAN | KW_INF;
name: WORD | softWord;
softWord
  : KW_GRID | KW_REQUIRES | KW_SUBGROUPS | KW_LANES | KW_FORM | KW_SMALL | KW_LAUNCH | KW_CHECK | KW_SAVE | KW_LOAD | KW_IN
  | KW_EXACTLY | KW_WITHIN | KW_LOCALITY | KW_LOC | KW_CALL | KW_DO | KW_TILE | KW_VECTOR | KW_MEMREF
  | KW_JOINT_MATRIX | KW_TENSOR_DESC
  ;
hardWord
  : KW_KERNEL | KW_FUNC | KW_TEST | KW_IMPORT | KW_PARAM | KW_FOR | KW_WHILE | KW_IF | KW_ELSE | KW_YIELD | KW_RETURN
  | KW_CONDITION
  | KW_TO | KW_STEP | KW_ITER_ARGS | KW_INTO | KW_FROM | KW_MOD | KW_AND | KW_OR
  ;
