-- Makes error.svg of README.md: Neovim's own screen with an error of the real server on it.
--   XT_LSP=build/release/bin/xt-lsp nvim --headless -u NONE -i NONE --cmd 'set rtp^=lang/server/editors/nvim' \
--     -c 'filetype plugin indent on | syntax on' -c 'luafile lang/server/editors/nvim/picture.lua' -c 'qall!'
-- XT_PICTURE names another file to write.
local program = [[
#rows  = #wg_map<sg_layout = [8, 1], sg_data = [8, 64]>
#tiles = #wg_map<sg_layout = [4, 2], sg_data = [16, 32]>

kernel @add(%A: memref<?x?xf32>, %B: memref<?x?xf32>)
    grid (%i = 0 to dim(%A, 0) step 64, %j = 0 to dim(%A, 1) step 64) {
  %ta = init_tile %A[%i, %j] -> tile<64x64xf32, #rows>
  %tb = init_tile %B[%i, %j] -> tile<64x64xf32, #tiles>
  %a  = load_tile %ta
  %b  = load_tile %tb
  %c  = %a + %b
  store_tile %c, %ta
}
]]
local columns, lines = 134, 36
local colours = { -- Neovim 0.7 has none for a screen without a terminal
  normal = '#d8dee9', back = '#1f2430', float = '#2b3242', xtKeyword = '#c792ea', xtValue = '#82aaff', xtAlias = '#ffcb6b', xtSymbol = '#89ddff',
  xtType = '#f78c6c', xtElement = '#f78c6c', xtExtent = '#f7d58c', xtNumber = '#f7d58c', xtOp = '#c3e88d', xtHost = '#c3e88d', message = '#ff6c75',
}

local function open()
  vim.o.columns, vim.o.lines = columns, lines
  vim.o.laststatus, vim.o.ruler, vim.o.showcmd, vim.o.shortmess, vim.o.signcolumn = 0, false, false, 'filnxtToOFI', 'yes'
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile(vim.split(vim.trim(program), '\n'), folder .. '/add.xt')
  vim.cmd('edit ' .. folder .. '/add.xt')
  assert(vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 10), 'the server has said nothing')
  local d = vim.diagnostic.get(0)[1]
  vim.api.nvim_win_set_cursor(0, { d.lnum + 1, d.col })
  vim.diagnostic.config({ virtual_text = false })
  local _, window = vim.diagnostic.open_float({ scope = 'line', header = '', prefix = '', border = 'none', max_width = columns - 16, focus = false })
  vim.cmd('redraw!')
  return d, window
end

-- What stands in a cell of the screen, in which colour, and whether it is underlined. Neovim lays the window of a message over
-- the others only for a terminal; here its text and its place do.
local function cells(d, window)
  local at, height, width = vim.api.nvim_win_get_position(window), vim.api.nvim_win_get_height(window), vim.api.nvim_win_get_width(window)
  local message = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  local gutter = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].textoff
  return function(row, column)
    local y, x = row - at[1], column - at[2]
    if y > 0 and y <= height and x > 0 and x <= width then
      local char = vim.fn.strcharpart(message[y] or '', x - 1, 1)
      return char == '' and ' ' or char, colours.message, colours.float, false
    end
    local char = vim.fn.screenstring(row, column)
    if column <= gutter then return char, colours.message, colours.back, false end
    local wrong = row == d.lnum + 1 and column - gutter > d.col and column - gutter <= d.end_col
    local group = row <= vim.fn.line('$') and vim.fn.synIDattr(vim.fn.synID(row, column - gutter, 1), 'name') or ''
    return char, colours[group] or colours.normal, colours.back, wrong
  end
end

local function escaped(text) return (text:gsub('&', '&amp;'):gsub('<', '&lt;'):gsub('>', '&gt;')) end

local function svg(cell, rows)
  local w, h, out = 8.4, 18, {}
  local function add(...) out[#out + 1] = string.format(...) end
  add('<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">', columns * w, rows * h + 10)
  add('<rect width="100%%" height="100%%" fill="%s"/>', colours.back)
  for row = 1, rows do
    local column = 1
    while column <= columns do
      local _, ink, back, wrong = cell(row, column)
      local first, text = column, ''
      while column <= columns do
        local char, a, b, c = cell(row, column)
        if a ~= ink or b ~= back or c ~= wrong then break end
        text = text .. char
        column = column + 1
      end
      local x, y, length = (first - 1) * w, (row - 1) * h + 5, (column - first) * w
      if back ~= colours.back then add('<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>', x, y, length, h, back) end
      if wrong then add('<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="%s" stroke-width="2"/>', x, y + h - 2, x + length, y + h - 2, colours.message) end
      local plain = text:gsub('%s+$', '')
      if plain ~= '' then
        add('<text x="%g" y="%g" textLength="%g" lengthAdjust="spacingAndGlyphs" fill="%s" xml:space="preserve">%s</text>', x, y + 14, vim.fn.strchars(plain) * w, ink, escaped(plain))
      end
    end
  end
  add('</svg>')
  return out
end

local here = debug.getinfo(1, 'S').source:sub(2):match('^(.*)/') or '.'
local good, problem = pcall(function()
  vim.o.fillchars = 'eob: '
  local d, window = open()
  local rows = math.max(vim.fn.line('$'), vim.api.nvim_win_get_position(window)[1] + vim.api.nvim_win_get_height(window))
  vim.fn.writefile(svg(cells(d, window), rows), os.getenv('XT_PICTURE') or (here .. '/error.svg'))
end)
io.stdout:write(good and 'ok\n' or tostring(problem) .. '\n')
