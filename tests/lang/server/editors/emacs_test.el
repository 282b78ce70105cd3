;;; emacs_test.el --- xt-mode as a user loads it  -*- lexical-binding: t; -*-
;; emacs --batch -L …/editors/emacs -l emacs_test.el; the folder with the tree is XT_ROOT.  With XT_LSP the real server is
;; driven through eglot as well.  Prints what fails; the last line is "ok" or "failed".

(require 'xt-mode)
(defvar failed nil)
(defvar root (getenv "XT_ROOT"))

(defun check (good what)
  (unless good (setq failed t) (princ (format "FAIL %s\n" what))))
(defun check-equal (found expected what)
  (check (equal found expected) (format "%s: `%s', not `%s'" what found expected)))

(defun face-of (line word)
  "The face of WORD in the first line that has LINE."
  (goto-char (point-min))
  (if (not (search-forward line nil t)) 'no-such-text
    (goto-char (line-beginning-position))
    (search-forward word)
    (get-text-property (match-beginning 0) 'face)))

(defmacro part (&rest body)
  `(condition-case problem (progn ,@body) (error (check nil (format "%S" problem)))))

(part
 (find-file (expand-file-name "examples/01_gemm.xt" root))
 (check-equal major-mode 'xt-mode "mode")
 (check-equal comment-start "// " "comment-start")
 (font-lock-ensure)
 (dolist (row '(("kernel @gemm" "kernel" font-lock-keyword-face)
                ("kernel @gemm" "@gemm" font-lock-function-name-face)
                ("kernel @gemm" "%A" font-lock-variable-name-face)
                ("kernel @gemm" "memref" font-lock-type-face)
                ("%ta  = init_tile" "init_tile" font-lock-builtin-face)
                ("%ta  = init_tile" "#mp_a" font-lock-type-face)
                ("for %k" "step" font-lock-keyword-face)
                ("load \"A.npy\"" "\"A.npy\"" font-lock-string-face)
                ("load \"A.npy\"" "$M" font-lock-preprocessor-face)
                ("random(seed" "random" font-lock-builtin-face)
                ("// C = A" "C = A" font-lock-comment-face)))
   (check-equal (face-of (nth 0 row) (nth 1 row)) (nth 2 row) (format "face of %s" (nth 1 row))))
 (check (assoc "Kernels" (imenu-default-create-index-function)) "imenu has kernels"))

;; What is formatted is indented already.
(part
 (dolist (file (directory-files (expand-file-name "examples" root) t "\\.xt\\'"))
   (with-temp-buffer
     (insert-file-contents file)
     (xt-mode)
     (let ((before (buffer-string)))
       (let ((inhibit-message t)) (indent-region (point-min) (point-max)))
       (let ((old (split-string before "\n")) (new (split-string (buffer-string) "\n")) (line 1) (above ""))
         (while old
           ;; Comments that go on below another are the formatter's.
           (unless (and (string-match-p "^ *//" (car old)) (string-match-p "[^ ].*//" above))
             (check-equal (car new) (car old) (format "%s:%d indented" file line)))
           (setq above (car old) old (cdr old) new (cdr new) line (1+ line))))))))

(part
 (require 'compile)
 (with-temp-buffer
   (insert "error[XT0202]: no value is called `%x`\n  --> a/b.xt:2:14\n")
   (goto-char (point-min))
   (check (re-search-forward (nth 1 (assq 'xt compilation-error-regexp-alist-alist)) nil t) "compilation finds the place")
   (check-equal (list (match-string 1) (match-string 2) (match-string 3)) '("a/b.xt" "2" "14") "place of a message")))

(defun wait-for (what condition)
  (let ((n 0))
    (while (and (< n 2000) (not (funcall condition))) (accept-process-output nil 0.01) (setq n (1+ n)))
    (check (funcall condition) what)))

(defun drive-server ()
  (let ((file (make-temp-file "xt" nil ".xt" "kernel @k() {\n  print \"x\", %nothing\n}\n")))
    (setq eglot-sync-connect 20 eglot-autoshutdown nil)
    (find-file file)
    (let ((inhibit-message t)) (eglot-ensure) (run-hooks 'post-command-hook))
    (wait-for "eglot manages the buffer" #'eglot-managed-p)
    (flymake-start)
    (wait-for "a diagnostic arrives" #'flymake-diagnostics)
    (let ((d (car (flymake-diagnostics))))
      (when d
        (check-equal (line-number-at-pos (flymake-diagnostic-beg d)) 2 "line of the diagnostic")
        (check (string-match-p "%nothing" (flymake-diagnostic-text d)) "text of the diagnostic")))
    (goto-char (point-min))
    (search-forward "%nothing")
    (replace-match "   1")
    (when (eglot--server-capable :documentFormattingProvider)
      (let ((inhibit-message t)) (eglot-format-buffer))
      (goto-char (point-min))
      (check (search-forward "  print \"x\", 1\n" nil t) "the formatted line"))
    (eglot--signal-textDocument/didChange)
    (wait-for "it goes when it is mended" (lambda () (flymake-start) (null (flymake-diagnostics))))
    (let ((inhibit-message t)) (eglot-shutdown (eglot-current-server)))))

(part
 (require 'package)
 (let ((inhibit-message t)) (package-initialize))
 (cond ((not (getenv "XT_LSP")) (princ "skipped: no server\n"))
       ((not (require 'eglot nil t)) (princ "skipped: no eglot\n"))
       (t (drive-server))))

(princ (if failed "failed\n" "ok\n"))
;;; emacs_test.el ends here
