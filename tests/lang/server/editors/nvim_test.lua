-- nvim --headless -u NONE -i NONE --cmd 'set rtp^=…/editors/nvim' -c 'luafile nvim_test.lua'; the folder with the tree is
-- XT_ROOT. With XT_LSP the real server is driven as well. Prints what fails; the last line is "ok" or "failed".
local root = os.getenv('XT_ROOT')
local failed = false
local function say(text) io.stdout:write(text .. '\n') end
local function check(good, what)
  if not good then
    failed = true
    say('FAIL ' .. what)
  end
end
local function equal(found, expected, what)
  check(found == expected, what .. ': `' .. tostring(found) .. '`, not `' .. tostring(expected) .. '`')
end

-- The highlight group of the first place where `word` stands in the line that holds `line`.
local function group(line, word)
  local row = vim.fn.search('\\V' .. vim.fn.escape(line, '\\'), 'wc')
  local column = row > 0 and vim.fn.getline(row):find(word, 1, true)
  if not column then return 'no such text' end
  return vim.fn.synIDattr(vim.fn.synID(row, column, 1), 'name')
end

local function filetype_and_options()
  vim.cmd('edit ' .. root .. '/examples/01_gemm.xt')
  equal(vim.bo.filetype, 'xt', 'file type')
  equal(vim.bo.shiftwidth, 2, 'shiftwidth')
  equal(vim.bo.expandtab, true, 'expandtab')
  equal(vim.bo.commentstring, '// %s', 'commentstring')
  equal(vim.bo.makeprg, 'xtc --check --color=never %:S', 'makeprg')
end

local function colours()
  vim.cmd('edit ' .. root .. '/examples/01_gemm.xt')
  for _, row in ipairs({
    { 'kernel @gemm', 'kernel', 'xtKeyword' },
    { 'kernel @gemm', '@gemm', 'xtSymbol' },
    { 'kernel @gemm', '%A', 'xtValue' },
    { 'kernel @gemm', 'memref', 'xtType' },
    { '%ta  = init_tile', 'init_tile', 'xtOp' },
    { '%ta  = init_tile', '#mp_a', 'xtAlias' },
    { '%ta  = init_tile', '32', 'xtExtent' },
    { '%ta  = init_tile', 'f16', 'xtElement' },
    { 'for %k', 'for', 'xtKeyword' },
    { 'for %k', 'step', 'xtKeyword' },
    { 'load "A.npy"', '"A.npy"', 'xtText' },
    { 'load "A.npy"', '$M', 'xtParameter' },
    { 'random(seed', 'random', 'xtHost' },
    { '// C = A', '// C', 'xtComment' },
    { 'grid (%i', '0', 'xtNumber' },
  }) do
    equal(group(row[1], row[2]), row[3], 'colour of ' .. row[2] .. ' in ' .. row[1])
  end
end

-- What is formatted is indented already.
local function indentation()
  for _, file in ipairs(vim.fn.glob(root .. '/examples/*.xt', false, true)) do
    vim.cmd('edit ' .. file)
    local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    vim.cmd('silent normal! gg=G')
    local after = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    for i, line in ipairs(before) do
      -- Comments that go on below another are the formatter's.
      local goes_on = line:match('^%s*//') and before[i - 1] and before[i - 1]:match('%S.*//')
      if not goes_on and line ~= '' then equal(after[i], line, file .. ':' .. i .. ' indented') end
    end
    vim.cmd('edit!')
  end
end

local function make()
  local file = vim.fn.tempname() .. '.xt'
  vim.fn.writefile({ 'kernel @k() {', '  print "x", %nothing', '}' }, file)
  vim.cmd('edit ' .. file)
  vim.cmd('silent make!')
  local list = vim.fn.getqflist()
  local first
  for _, entry in ipairs(list) do
    if entry.valid == 1 and not first then first = entry end
  end
  check(first ~= nil, ':make found nothing: ' .. vim.inspect(list))
  if first then
    equal(first.lnum, 2, 'line of :make')
    equal(first.col, 14, 'column of :make')
    equal(first.nr, 202, 'code of :make')
    check(first.text:find('%nothing', 1, true) ~= nil, 'text of :make: ' .. first.text)
  end
end

local function server()
  if not os.getenv('XT_LSP') then return say('skipped: no server') end
  local file = vim.fn.tempname() .. '.xt'
  vim.fn.writefile({ 'kernel @k() {', '  print "x", %nothing', '}' }, file)
  vim.cmd('edit ' .. file)
  check(vim.wait(20000, function() return #vim.diagnostic.get(0) == 1 end, 10), 'a diagnostic arrives')
  local d = vim.diagnostic.get(0)[1] or {}
  equal(d.lnum, 1, 'line of the diagnostic')
  equal(d.col, 13, 'column of the diagnostic')
  check((d.message or ''):find('%nothing', 1, true) ~= nil, 'its message: ' .. tostring(d.message))
  vim.api.nvim_buf_set_text(0, 1, 12, 1, 21, { '   1' })
  check(vim.wait(20000, function() return #vim.diagnostic.get(0) == 0 end, 10), 'it goes when it is mended')
  local client = vim.lsp.buf_get_clients(0)[1] or vim.tbl_values(vim.lsp.buf_get_clients(0))[1]
  check(client ~= nil, 'a client is attached')
  if client and client.server_capabilities.documentFormattingProvider then
    require('xt').format()
    equal(vim.fn.getline(2), '  print "x", 1', 'the formatted line')
  end
  if client then
    vim.lsp.stop_client(client.id)
    check(vim.wait(20000, function() return vim.lsp.get_client_by_id(client.id) == nil end, 10), 'the server ends')
  end
end

local parts = { filetype_and_options, colours, indentation, make, server }
for _, part in ipairs(parts) do
  local good, problem = pcall(part)
  check(good, tostring(problem))
end
say(failed and 'failed' or 'ok')
vim.cmd('qall!')
