;; control.scm -- continuations, dynamic-wind, exceptions.

(define (show thing) (write thing) (newline))

;; Out of a loop.
(show (call/cc (lambda (leave) (for-each (lambda (x) (if (> x 2) (leave x))) '(1 2 3 4)) 'none)))

;; A continuation is entered several times; the frames are as they were.
(define again #f)
(define entered 0)
(let ((result (list 'a (call/cc (lambda (k) (set! again k) 0)) 'b)))
  (show result)
  (if (< entered 3) (begin (set! entered (+ entered 1)) (again entered))))

;; A generator: the walk of a tree stands still between two leaves.
(define (leaves tree)
  (define return #f)
  (define (next)
    (call/cc
      (lambda (k)
        (set! return k)
        (let walk ((tree tree))
          (cond ((pair? tree) (walk (car tree)) (walk (cdr tree)))
                ((not (null? tree))
                 (call/cc (lambda (resume)
                            (set! next (lambda () (call/cc (lambda (k) (set! return k) (resume #f)))))
                            (return tree))))))
        (return 'end))))
  (lambda () (next)))
(define (same-fringe? a b)
  (let ((next-a (leaves a)) (next-b (leaves b)))
    (let loop ()
      (let ((x (next-a)) (y (next-b)))
        (cond ((not (eq? x y)) #f) ((eq? x 'end) #t) (else (loop)))))))
(show (list (same-fringe? '((a b) (c)) '(a (b (c)))) (same-fringe? '(a b) '(a c))))

;; dynamic-wind is left and entered with the continuation.
(define path '())
(define (note what) (set! path (cons what path)))
(define inside #f)
(let ()
  (dynamic-wind
    (lambda () (note 'in))
    (lambda () (call/cc (lambda (k) (set! inside k))) (note 'body))
    (lambda () (note 'out)))
  (if (< (length path) 6) (inside #f))
  (show (reverse path)))

;; Exceptions.
(show (guard (e ((symbol? e) (list 'symbol e)) ((string? e) 'string)) (raise 'oops)))
(show (guard (e ((error-object? e) (cons (error-object-message e) (error-object-irritants e))))
        (error "no good:" 1 '(2))))
(show (guard (e ((error-object? e) (error-object-message e))) (car 5)))
(show (guard (e (#f 'never)) (guard (e ((number? e) (* e 2))) (raise 21))))
(show (guard (outer ((number? outer) (list 'outer outer)))
        (guard (inner ((symbol? inner) 'wrong)) (raise 7))))
(show (with-exception-handler
        (lambda (e) 10)
        (lambda () (+ 1 (raise-continuable 'give-me-a-number)))))
(show (guard (e ((string? e) e) ((error-object? e) 'secondary))
        (with-exception-handler (lambda (e) 'returned) (lambda () (raise 'x)))))
;; What dynamic-wind closes is closed.
(define closed '())
(show (guard (e (#t (list e closed)))
        (dynamic-wind (lambda () #f) (lambda () (raise 'lost)) (lambda () (set! closed 'closed)))))
(show (guard (e (#t (error-object-message e))) (undefined-procedure 1)))
(show (guard (e (#t (error-object-message e))) ((lambda (x) x))))
(show (guard (e (#t (error-object-message e))) (+ 2305843009213693951 1)))
