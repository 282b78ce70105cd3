-- Starts the language server for buffers of type xt. One server serves all files below one root. Works with Neovim 0.7, where
-- clients are started and attached by hand, and with all later ones.
local M = {}

-- setup() changes these before the first xt file is opened.
M.options = {
  cmd = { vim.env.XT_LSP or 'xt-lsp' },
  -- The nearest folder above the file that holds one of these is the root; else the file's own folder.
  root_markers = { '.git', 'stdlib' },
  format_on_save = false,
  on_attach = nil, -- function(client, buffer), for mappings of one's own
}

local clients = {} -- by root

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  local at = folder
  while true do
    for _, marker in ipairs(M.options.root_markers) do
      local found = at .. '/' .. marker
      if vim.fn.isdirectory(found) == 1 or vim.fn.filereadable(found) == 1 then return at end
    end
    local above = vim.fn.fnamemodify(at, ':h')
    if above == at then return folder end
    at = above
  end
end

-- The command of code lenses: a tool that stands beside the server, or in PATH, with its arguments, in a terminal.
local function run(command)
  local tool, arguments = command.arguments[1], command.arguments[2] or {}
  local folder = vim.fn.fnamemodify(M.options.cmd[1], ':h')
  if M.options.cmd[1]:find('/') and vim.fn.executable(folder .. '/' .. tool) == 1 then tool = folder .. '/' .. tool end
  local words = { tool }
  vim.list_extend(words, arguments)
  vim.cmd('botright new')
  vim.fn.termopen(words)
end

local function attached(client, buffer)
  local function map(keys, action) vim.keymap.set('n', keys, action, { buffer = buffer, silent = true }) end
  vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
  vim.bo[buffer].formatexpr = 'v:lua.vim.lsp.formatexpr()'
  map('K', vim.lsp.buf.hover)
  map('gd', vim.lsp.buf.definition)
  map('gr', vim.lsp.buf.references)
  map('<leader>rn', vim.lsp.buf.rename)
  map('<leader>ca', vim.lsp.buf.code_action)
  map('<leader>f', M.format)
  map('<leader>l', vim.lsp.codelens.run)
  if M.options.on_attach then M.options.on_attach(client, buffer) end
end

function M.format()
  if vim.lsp.buf.format then vim.lsp.buf.format() else vim.lsp.buf.formatting_sync(nil, 2000) end
end

function M.setup(options)
  M.options = vim.tbl_extend('force', M.options, options or {})
end

function M.start()
  local buffer = vim.api.nvim_get_current_buf()
  local file = vim.api.nvim_buf_get_name(buffer)
  if vim.fn.executable(M.options.cmd[1]) == 0 then
    vim.notify_once('xt: no language server: `' .. M.options.cmd[1] .. '` is no program; the variable XT_LSP says where it is', vim.log.levels.WARN)
    return
  end
  local root = root_of(file)
  local id = clients[root]
  if not (id and vim.lsp.get_client_by_id(id)) then
    id = vim.lsp.start_client({
      name = 'xt',
      cmd = M.options.cmd,
      root_dir = root,
      on_attach = attached,
      commands = { ['xt.run'] = run },
    })
    clients[root] = id
  end
  if not id then return end
  vim.lsp.buf_attach_client(buffer, id)
  if M.options.format_on_save then
    vim.api.nvim_create_autocmd('BufWritePre', { buffer = buffer, callback = M.format })
  end
end

return M
