;; corners.scm -- where an interpreter goes wrong: names of primitives, numbers at their bounds,
;; circles, long forms, promises that share, memory that there is not.

(define (show what) (write what) (newline))
(define-syntax try
  (syntax-rules ()
    ((_ what) (guard (e ((error-object? e) (error-object-message e))) what))))

;; A variable that has a primitive is a variable.
(define before? <)
(show (before? 1 2))
(set! before? >)
(show (before? 1 2))
(define before? list)
(show (before? 1 2))
(define (change) (set! caddr 5))
(change)
(show (try (caddr '(1 2 3))))

;; Numbers.
(show (list (max 9007199254740992 9007199254740993) (min 1 2.) (abs -5) (gcd 32 -36)))
(show (list 1e400 -1e400 1e-400 (- 0.) (eqv? 0. -0.) (= 0. -0.)))
(show (try (string->number "2305843009213693952")))
(show (list 2305843009213693951 -2305843009213693952))
(show (list (floor-quotient -7 2) (floor-remainder -7 2) (truncate-quotient -7 2) (lcm 4 6)))

;; Circles and long forms.
(define (circle) (let ((l (list 1 2))) (set-cdr! (cdr l) l) l))
(show (equal? (circle) (circle)))
(show (equal? (circle) (cons 2 (circle))))
(show (try (apply + (circle))))
(show (try (list->string (circle))))
(define-syntax ten-of
  (syntax-rules ()
    ((_ (k ...) form ...)
     (k ... form ... form ... form ... form ... form ... form ... form ... form ... form ... form ...))))
(define-syntax many-of
  (syntax-rules () ((_ k form ...) (ten-of (ten-of (ten-of (ten-of (ten-of (k))))) form ...))))
(define-syntax count (syntax-rules () ((_ form ...) (length '(form ... form ...)))))
(define-syntax quasi (syntax-rules () ((_ form ...) (length `(form ... ,@(list 1 2))))))
(show (many-of count a))
(show (many-of quasi a))
(show `(1 ,@(list 2 3) . ,(+ 2 2)))
(show `(,@(list 1 2) #(3 ,@(list 4)) . 5))
(show `(1 `(2 ,(3 ,(+ 2 2)) ,@(5 ,@(list 6)))))

;; Text.
(show (map char->integer (string->list "\x41;\a\b")))
(show (list (string-upcase "abc") (vector-append #(1) #(2 3)) (make-list 2 'x)))

;; One promise goes on as another: both are computed once.
(define runs 0)
(define inner (delay (begin (set! runs (+ runs 1)) runs)))
(define outer (delay-force inner))
(show (list (force outer) (force inner) (force outer) runs))

;; Records are checked inside too, and memory that there is not is an error like others.
(define-record-type point (make-point x) point? (x point-x))
(show (try (%record-ref (make-point 1) point 1)))
(show (try (%record 5 1)))
(show (try (make-vector (expt 2 40))))
(show (try (make-bytevector (expt 2 33))))

(define area (case-lambda ((r) (* 3 r r)) ((w h) (* w h)) ((w . more) (list w more))))
(show (list (area 2) (area 2 3) (area 1 2 3)))
