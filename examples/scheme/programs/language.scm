;; language.scm -- each part of the language once.

(define (show . things) (for-each display things) (newline))
(define (show-written thing) (write thing) (newline))

;; Numbers.
(show (+ 1 2 3) " " (- 10 1 2) " " (* 2 3 4) " " (/ 12 4) " " (/ 1 4) " " (- 5))
(show (quotient -7 2) " " (remainder -7 2) " " (modulo -7 2) " " (expt 2 40) " " (gcd 12 18))
(show (sqrt 49) " " (sqrt 2.25) " " (exact (floor 2.5)) " " (round 3.5) " " (max 1 2.5) " " (abs -3))
(show (number->string 255 16) " " (string->number "1e3") " " (string->number "x") " " #xff)
(show (= 1 1.0) " " (eqv? 1 1.0) " " (< 1 2 3) " " (< 1 3 2) " " (exact->inexact 1))

;; Lists, quasiquotation, equality.
(show-written `(1 ,(+ 1 1) ,@(list 3 4) (nested ,(car '(5))) . tail))
(show-written (append '(1 2) '(3) '() '(4 . 5)))
(show-written (list (reverse '(1 2 3)) (list-tail '(1 2 3) 2) (list-ref '(a b c) 1) (length '(1 2))))
(show-written (list (memq 'c '(a b c d)) (member "b" '("a" "b")) (assq 'b '((a 1) (b 2))) (assoc 2.0 '((2 x)))))
(show-written (list (equal? '(1 #(2 "x")) (list 1 (vector 2 "x"))) (eq? '() '()) (eq? "a" "b")))
(show-written (map (lambda (x y) (* x y)) '(1 2 3) '(4 5 6)))

;; Characters and strings.
(show-written (list #\a #\space (char->integer #\A) (integer->char 955) (char-upcase #\q)))
(show-written (string-append "ab" "cd\n" (substring "hello" 1 3)))
(show-written (list (string<? "abc" "abd") (string=? "x" "x" "y") (string->list "abc") (string->symbol "sym")))
(show (string-length "λx") " " (string-ref "λx" 0) " " (list->string (reverse (string->list "stressed"))))

;; Vectors and bytevectors.
(define v (make-vector 3 'x))
(vector-set! v 1 '(y))
(show-written (list v (vector-map (lambda (n) (* n n)) #(1 2 3)) (vector->list #(1 2 3) 1)))
(show-written (list (bytevector 1 2 255) (bytevector-append (bytevector 1) (bytevector 2)) (utf8->string (bytevector 104 105))))

;; Binding and control.
(define (count-to n)
  (define (go i made) (if (= i 0) made (go (- i 1) (cons i made))))
  (go n '()))
(show-written (let* ((a 1) (b (+ a 1))) (letrec ((even? (lambda (n) (or (= n 0) (odd? (- n 1)))))
                                                 (odd? (lambda (n) (and (> n 0) (even? (- n 1))))))
                                          (list a b (even? 100) (count-to 4)))))
(show-written (do ((i 0 (+ i 1)) (made '() (cons i made))) ((= i 4) made)))
(show-written (map (lambda (x) (case x ((1 2) 'few) ((3) => (lambda (n) (* n n))) (else 'many))) '(1 2 3 4)))
(show-written (cond ((assv 2 '((1 a) (2 b))) => cadr) (else 'none)))
(show-written (call-with-values (lambda () (values 1 2 3)) list))
(show-written (let-values (((q r) (values 7 2)) ((x) (values 'x))) (list q r x)))
(show-written ((lambda (a . rest) (list a rest)) 1 2 3))
(show-written (apply + 1 2 '(3 4)))

;; Tail calls leave nothing behind.
(define (loop n) (cond ((= n 0) 'done) (else (loop (- n 1)))))
(show-written (loop 300000))
(define (ping n) (if (= n 0) 'pong (pong (- n 1))))
(define (pong n) (if (= n 0) 'ping (ping (- n 1))))
(show-written (ping 100001))
;; And other calls use the heap, not the stack.
(define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))
(show-written (deep 100000))

;; Macros.
(define-syntax swap!
  (syntax-rules () ((_ a b) (let ((kept a)) (set! a b) (set! b kept)))))
(define-syntax my-let
  (syntax-rules () ((_ ((name what) ...) form ...) ((lambda (name ...) form ...) what ...))))
(define one 1)
(define two 2)
(swap! one two)
(show-written (my-let ((a one) (b two)) (list a b)))

;; Records, promises.
(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))
(define p (make-point 1 2))
(set-point-x! p 10)
(show-written (list (point? p) (point? 1) (point-x p) (point-y p)))
(define times 0)
(define lazy (delay (begin (set! times (+ times 1)) times)))
(show-written (list (force lazy) (force lazy)))
