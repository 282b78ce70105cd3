;;; xt-mode.el --- Major mode for xt, the language of tile kernels  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages
;; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

;;; Commentary:

;; Colours, indentation, and the language server through eglot (part of Emacs since 29, a package before).
;; README.md beside this file says how to set it up.  The lists of words are made from the grammar and the op table.

;;; Code:

(require 'imenu)

(defgroup xt nil "Editing xt." :group 'languages)

(defcustom xt-server-command (list (or (getenv "XT_LSP") "xt-lsp"))
  "The language server and its arguments."
  :type '(repeat string))

(defcustom xt-format-on-save nil
  "Whether a buffer is formatted before it is saved."
  :type 'boolean)

(defconst xt-keyword-regexp "\\_<\\(?:yield\\|within\\|while\\|wait\\|to\\|test\\|subgroups\\|step\\|start\\|small\\|shift\\|shard\\|send\\|scf\\.yield\\|scf\\.while\\|scf\\.if\\|scf\\.for\\|scf\\.condition\\|save\\|return\\|requires\\|reduce_scatter\\|recv\\|param\\|or\\|not\\|mod\\|mesh\\|locality\\|loc\\|load\\|launch\\|lanes\\|kernel\\|iter_args\\|into\\|in\\|import\\|if\\|grid\\|func\\.return\\|func\\.func\\|func\\.call\\|func\\|from\\|form\\|for\\|exactly\\|else\\|do\\|check\\|call\\|and\\|all_reduce\\|all_gather\\|affine_map\\)\\_>")
(defconst xt-type-regexp "\\_<\\(?:u8\\|u64\\|u4\\|u32\\|u16\\|token\\|tf32\\|nbarrier\\|index\\|i8\\|i64\\|i4\\|i32\\|i16\\|i1\\|f8E8M0\\|f8E5M2\\|f8E4M3\\|f64\\|f4E2M1\\|f32\\|f16\\|bf16\\|\\(?:xetile\\.\\)?tile\\|vector\\|memref\\|joint_matrix\\|\\(?:xegpu\\.\\)?tensor_desc\\)\\_>")
(defconst xt-op-regexp "\\_<\\(?:\\(?:xetile\\|xegpu\\|vector\\|scf\\|memref\\|math\\|gpu\\|arith\\)\\.\\)?\\(?:xori\\|workgroup_id\\|wi_data_length\\|view\\|vector\\.transpose\\|vector\\.step\\|vector\\.broadcast\\|update_tile_offset\\|update_offsets\\|update_offset\\|update_nd_offset\\|unpack\\|uitofp\\|trunci\\|truncf\\|trunc\\|transpose\\|transfer_write\\|transfer_read\\|transfer_gather\\|topk\\|to_simt\\|to_simd\\|to_layout\\|tile_mma_scaled\\|tile_mma\\|tanh\\|subview\\|subi\\|subgroup_reduce\\|subgroup_id\\|subgroup_barrier\\|subf\\|stride\\|store_tile\\|store_scatter\\|store_nd\\|store\\|sqrt\\|split\\|splat\\|sort\\|sitofp\\|sinh\\|sin\\|shuffle\\|shrui\\|shrsi\\|shli\\|shape_cast\\|set_wi_data\\|select\\|scheduling_barrier\\|scan\\|rsqrt\\|roundeven\\|round\\|reverse\\|reshape\\|remui\\|remsi\\|remf\\|reduction\\|print\\|prefetch_tile\\|prefetch_nd\\|prefetch\\|powf\\|pow\\|pack\\|ori\\|nest\\|negf\\|nbarrier_wait\\|nbarrier_arrive\\|muli\\|mulf\\|minui\\|minsi\\|minnumf\\|minimumf\\|mfence\\|maxui\\|maxsi\\|maxnumf\\|maximumf\\|log2\\|log1p\\|log10\\|log\\|load_tile\\|load_nd\\|load_gather\\|lane_id\\|joint_matrix_store\\|joint_matrix_prefetch\\|joint_matrix_mad\\|joint_matrix_load\\|joint_matrix_fill\\|joint_matrix_copy\\|joint_matrix_coordinates\\|joint_matrix_apply\\|join\\|iree_vector_ext\\.transfer_gather\\|iree_vector_ext\\.to_simt\\|iree_vector_ext\\.to_simd\\|iree_vector_ext\\.to_layout\\|iota\\|interleave\\|insert_strided_slice\\|insert\\|init_tile\\|init_nbarrier\\|index_cast\\|histogram\\|get_wi_data\\|fptoui\\|fptosi\\|fma\\|floordivsi\\|floor\\|fence\\|extui\\|extsi\\|extract_strided_slice\\|extract\\|extf\\|expm1\\|expand_shape\\|exp2\\|exp\\|erf\\|dpas\\|divui\\|divsi\\|divf\\|dim\\|deinterleave\\|create_tdesc\\|create_nd_tdesc\\|create_nbarrier\\|create_mask\\|cos\\|convert_layout\\|conv_layout\\|contract\\|constant\\|concat\\|compile_hint\\|collapse_shape\\|cmpi\\|cmpf\\|ceildivui\\|ceildivsi\\|ceil\\|cast\\|broadcast\\|block_id\\|bitcast\\|barrier\\|atomic_rmw\\|atomic_cas\\|atan\\|async_wait\\|async_copy\\|async_commit\\|associative_scan\\|associative_reduce\\|assert\\|andi\\|alloc_slm\\|alloc_nbarrier\\|addi\\|addf\\|absi\\|absf\\)\\_>")
(defconst xt-host-regexp "\\_<\\(xori\\|where\\|trunc\\|transpose\\|tanh\\|sum\\|sqrt\\|sort\\|softmax\\|sinh\\|sin\\|shrui\\|shrsi\\|shli\\|rsqrt\\|roundeven\\|round\\|reshape\\|remui\\|remsi\\|ranks\\|rank\\|random\\|prod\\|pow\\|out\\|ori\\|minui\\|minnumf\\|min\\|mean\\|maxui\\|maxnumf\\|max\\|matmul\\|log2\\|log1p\\|log10\\|log\\|iota\\|ints\\|identity\\|gather\\|fma\\|floordivsi\\|floor\\|fill\\|expm1\\|exp2\\|exp\\|erf\\|divui\\|divsi\\|dim\\|cumsum\\|cos\\|ceildivui\\|ceildiv\\|ceil\\|cast\\|before\\|atan\\|argmin\\|argmax\\|andi\\|address\\|abs\\)\\_>\\s-*(")

(defvar xt-font-lock-keywords
  `((,xt-keyword-regexp . font-lock-keyword-face)
    ("\\_<\\(?:true\\|false\\|nan\\|inf\\)\\_>" . font-lock-constant-face)
    (,xt-type-regexp . font-lock-type-face)
    (,xt-op-regexp . font-lock-builtin-face)
    (,xt-host-regexp 1 font-lock-builtin-face)
    ("@[A-Za-z_][A-Za-z0-9_.$=]*" . font-lock-function-name-face)
    ("%[A-Za-z0-9_.]+" . font-lock-variable-name-face)
    ("[#!][A-Za-z_][A-Za-z0-9_.]*" . font-lock-type-face)
    ("\\$[A-Za-z_][A-Za-z0-9_]*" . font-lock-preprocessor-face)))

(defvar xt-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?. "_" table)
    (dolist (sigil '(?% ?# ?@ ?$ ?!)) (modify-syntax-entry sigil "'" table))
    (dolist (operator '(?< ?> ?= ?+ ?- ?*)) (modify-syntax-entry operator "." table))
    table))

(defvar xt-indent-offset 2)
(defvar xt-continuation-offset 4)

(defun xt--continues-p ()
  "Whether this line goes on with the statement above."
  (save-excursion
    (back-to-indentation)
    (and (not (looking-at "//\\|$"))
     (or (looking-at "->\\|[:+*/<>=,)-]\\|\\_<\\(?:and\\|or\\|mod\\|grid\\|requires\\|subgroups\\|lanes\\|iter_args\\|to\\|step\\|into\\)\\_>")
        (progn
          (forward-comment (- (point-max)))
          (memq (char-before) '(?, ?= ?\( ?\[)))))))

(defun xt-indent-line ()
  "Indent as `xtc --format' does: by blocks, and four for continued statements."
  (interactive)
  (let* ((state (save-excursion (syntax-ppss (line-beginning-position))))
         ;; Braces only: those of blocks hold lines of their own.
         (depth (let ((n 0)) (dolist (open (nth 9 state) n) (when (eq (char-after open) ?{) (setq n (1+ n))))))
         (closes (save-excursion (back-to-indentation) (eq (char-after) ?})))
         (column (max 0 (+ (* xt-indent-offset (- depth (if closes 1 0)))
                           (if (and (not closes) (not (nth 4 state)) (xt--continues-p)) xt-continuation-offset 0)))))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

(declare-function eglot-format-buffer "eglot")
(declare-function eglot-managed-p "eglot")

(defun xt--format-before-save ()
  (when (and xt-format-on-save (fboundp 'eglot-managed-p) (eglot-managed-p)) (eglot-format-buffer)))

;;;###autoload
(define-derived-mode xt-mode prog-mode "xt"
  "Major mode for xt, the language of tile kernels."
  (setq-local font-lock-defaults '(xt-font-lock-keywords))
  (setq-local comment-start "// " comment-end "" comment-start-skip "//+\\s-*")
  (setq-local indent-line-function #'xt-indent-line indent-tabs-mode nil tab-width 2 fill-column 120)
  (setq-local imenu-generic-expression
              '(("Kernels" "^\\(?:kernel\\|func\\(?:\\.func\\)?\\)\\s-+@\\([A-Za-z0-9_.]+\\)" 1)
                ("Tests" "^test\\s-+\"\\([^\"]+\\)\"" 1)
                ("Layouts" "^#\\([A-Za-z0-9_.]+\\)\\s-*=" 1)))
  (setq-local compile-command (concat "xtc --check --color=never " (and buffer-file-name (shell-quote-argument buffer-file-name))))
  (add-hook 'before-save-hook #'xt--format-before-save nil t))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.xt\\'" . xt-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'xt-mode (lambda (&rest _) xt-server-command))))

(defvar compilation-error-regexp-alist-alist)
(defvar compilation-error-regexp-alist)
(with-eval-after-load 'compile
  (add-to-list 'compilation-error-regexp-alist-alist '(xt "^ +--> \\([^:\n]+\\):\\([0-9]+\\):\\([0-9]+\\)$" 1 2 3))
  (add-to-list 'compilation-error-regexp-alist 'xt))

(provide 'xt-mode)
;;; xt-mode.el ends here
