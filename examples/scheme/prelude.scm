;; prelude.scm -- what of the language is written in it. The build makes it a part of the program.

(define-syntax when
  (syntax-rules () ((_ test form ...) (if test (begin form ...)))))
(define-syntax unless
  (syntax-rules () ((_ test form ...) (if (not test) (begin form ...)))))
(define-syntax let*
  (syntax-rules ()
    ((_ (first second . rest) form ...) (let (first) (let* (second . rest) form ...)))
    ((_ bindings form ...) (let bindings form ...))))
(define-syntax letrec
  (syntax-rules ()
    ((_ ((name what) ...) form ...) (let () (define name what) ... (let () form ...)))))
(define-syntax letrec* (syntax-rules () ((_ . rest) (letrec . rest))))
(define-syntax do
  (syntax-rules ()
    ((_ ((name first . next) ...) (test result ...) form ...)
     (let %again ((name first) ...)
       (if test
           (begin result ...)
           (begin form ... (%again (%next name . next) ...)))))))
(define-syntax %next
  (syntax-rules () ((_ name) name) ((_ name next) next)))
(define-syntax case
  (syntax-rules () ((_ key clause ...) (let ((%key key)) (%case clause ...)))))
(define-syntax %case
  (syntax-rules (else =>)
    ((_) (if #f #f))
    ((_ (else => f)) (f %key))
    ((_ (else form ...)) (begin form ...))
    ((_ (data => f) rest ...) (if (memv %key 'data) (f %key) (%case rest ...)))
    ((_ (data form ...) rest ...) (if (memv %key 'data) (begin form ...) (%case rest ...)))))

(define (caadr x) (car (cadr x)))
(define (cdadr x) (cdr (cadr x)))
(define (cadar x) (cadr (car x)))
(define (cddar x) (cddr (car x)))
(define (boolean? x) (or (eq? x #t) (eq? x #f)))
(define (exact-integer? x) (and (number? x) (exact? x)))
(define (inexact? x) (not (exact? x)))
(define inexact->exact exact)
(define exact->inexact inexact)
(define (nan? x) (not (= x x)))
(define (positive? x) (> x 0))
(define (negative? x) (< x 0))
(define (abs x) (if (> x 0) x (- 0 x)))
(define (gcd . numbers)
  (define (gcd2 a b) (if (zero? b) (abs a) (gcd2 b (remainder a b))))
  (fold-left gcd2 0 numbers))
(define (list-tail list n)
  (cond ((eqv? n 0) list)
        ((pair? list) (list-tail (cdr list) (- n 1)))
        (else (error "list-tail: the list is too short"))))
(define (list-ref list n) (car (list-tail list n)))
(define (list-copy list) (if (pair? list) (cons (car list) (list-copy (cdr list))) list))
(define (jiffies-per-second) 1000000)

(define (map f first . rest)
  (define (map1 f list)
    (let loop ((list list) (made '()))
      (if (pair? list) (loop (cdr list) (cons (f (car list)) made)) (reverse made))))
  (define (any-end? lists)
    (and (pair? lists) (or (not (pair? (car lists))) (any-end? (cdr lists)))))
  (if (null? rest)
      (map1 f first)
      (let loop ((lists (cons first rest)) (made '()))
        (if (any-end? lists)
            (reverse made)
            (loop (map1 cdr lists) (cons (apply f (map1 car lists)) made))))))

(define (for-each f first . rest)
  (if (null? rest)
      (let loop ((list first))
        (if (pair? list) (begin (f (car list)) (loop (cdr list)))))
      (begin (apply map f first rest) #t)))

(define (vector-map f first . rest)
  (list->vector (apply map f (vector->list first) (map vector->list rest))))
(define (vector-for-each f first . rest)
  (apply for-each f (vector->list first) (map vector->list rest)))
(define (string-for-each f first . rest)
  (apply for-each f (string->list first) (map string->list rest)))
(define (string-map f first . rest)
  (list->string (apply map f (string->list first) (map string->list rest))))

(define (error message . irritants) (raise (%condition message irritants)))

;; The thunks of dynamic-wind that are entered, newest first. A continuation remembers them;
;; whoever calls it leaves and enters what lies between.
(define %winds '())

(define (%rewind to)
  (define (common a b la lb)
    (cond ((> la lb) (common (cdr a) b (- la 1) lb))
          ((< la lb) (common a (cdr b) la (- lb 1)))
          ((eq? a b) a)
          (else (common (cdr a) (cdr b) (- la 1) (- lb 1)))))
  (let ((shared (common %winds to (length %winds) (length to))))
    (let leave ()
      (if (not (eq? %winds shared))
          (let ((after (cdar %winds)))
            (set! %winds (cdr %winds))
            (after)
            (leave))))
    (let enter ((list to))
      (if (not (eq? list shared))
          (begin
            (enter (cdr list))
            ((caar list))
            (set! %winds list))))))

(define (dynamic-wind before thunk after)
  (before)
  (set! %winds (cons (cons before after) %winds))
  (call-with-values thunk
    (lambda results
      (set! %winds (cdr %winds))
      (after)
      (apply values results))))

(define (call-with-current-continuation f)
  (let ((winds %winds))
    (%call/cc
      (lambda (k)
        (f (lambda results
             (if (not (eq? winds %winds)) (%rewind winds))
             (apply k results)))))))
(define call/cc call-with-current-continuation)

(define-syntax let-values
  (syntax-rules ()
    ((_ () body ...) (let () body ...))
    ((_ ((names what) rest ...) body ...)
     (call-with-values (lambda () what) (lambda names (let-values (rest ...) body ...))))))
(define-syntax let*-values
  (syntax-rules () ((_ bindings body ...) (let-values bindings body ...))))
(define-syntax receive
  (syntax-rules ()
    ((_ names what body ...) (call-with-values (lambda () what) (lambda names body ...)))))

;; The box of a promise is a pair: whether it is done, and its value or how to get that. One
;; that goes on as another shares its box, so that both are computed once.
(define-record-type promise (%make-promise box) promise? (box %box %set-box!))
(define-syntax delay-force
  (syntax-rules () ((_ what) (%make-promise (cons #f (lambda () what))))))
(define-syntax delay
  (syntax-rules () ((_ what) (delay-force (make-promise what)))))
(define (make-promise what) (if (promise? what) what (%make-promise (cons #t what))))
(define (force promise)
  (cond ((not (promise? promise)) promise)
        ((car (%box promise)) (cdr (%box promise)))
        (else
          (let ((next ((cdr (%box promise)))))
            (if (not (car (%box promise)))
                (begin (set-car! (%box promise) (car (%box next)))
                       (set-cdr! (%box promise) (cdr (%box next)))
                       (%set-box! next (%box promise))))
            (force promise)))))

;; (guard (e clause ...) body ...)
(define-syntax guard
  (syntax-rules ()
    ((_ (name clause ...) body ...)
     ((call/cc
        (lambda (%leave)
          (with-exception-handler
            (lambda (%raised)
              ((call/cc
                 (lambda (%back)
                   (%leave
                     (lambda ()
                       (let ((name %raised))
                         (%guard-clauses (%back (lambda () (raise-continuable %raised)))
                                         clause ...))))))))
            (lambda ()
              (call-with-values (lambda () body ...)
                (lambda %results (%leave (lambda () (apply values %results)))))))))))))
(define-syntax %guard-clauses
  (syntax-rules (else)
    ((_ again clause ... (else form ...)) (cond clause ... (else form ...)))
    ((_ again clause ...) (cond clause ... (else again)))))

(define-syntax assert
  (syntax-rules () ((_ what) (if (not what) (error "an assertion does not hold:" 'what)))))

(define (list-index fits? list)
  (let loop ((list list) (i 0))
    (cond ((null? list) #f) ((fits? (car list)) i) (else (loop (cdr list) (+ i 1))))))
(define (fold-left f made list)
  (if (null? list) made (fold-left f (f made (car list)) (cdr list))))
(define (filter fits? list)
  (let loop ((list list) (made '()))
    (cond ((null? list) (reverse made))
          ((fits? (car list)) (loop (cdr list) (cons (car list) made)))
          (else (loop (cdr list) made)))))
(define (iota n) (let loop ((i (- n 1)) (made '())) (if (< i 0) made (loop (- i 1) (cons i made)))))

(define (square x) (* x x))
(define (lcm . numbers)
  (fold-left (lambda (a b) (if (zero? b) 0 (* (quotient a (gcd a b)) (abs b)))) 1 numbers))
(define truncate-quotient quotient)
(define truncate-remainder remainder)
(define floor-remainder modulo)
(define (floor-quotient a b) (quotient (- a (modulo a b)) b))
(define (%all-same? same? first rest)
  (or (null? rest) (and (same? first (car rest)) (%all-same? same? first (cdr rest)))))
(define (boolean=? first . rest) (%all-same? eq? first rest))
(define (symbol=? first . rest) (%all-same? eq? first rest))
(define (make-list n . fill)
  (let loop ((n n) (made '()))
    (if (> n 0) (loop (- n 1) (cons (if (pair? fill) (car fill)) made)) made)))
(define (list-set! list n what) (set-car! (list-tail list n) what))
(define (vector-append . all) (list->vector (apply append (map vector->list all))))
(define (string->vector s . range) (list->vector (apply string->list s range)))
(define (vector->string v . range) (list->string (apply vector->list v range)))
(define (string-upcase s) (string-map char-upcase s))
(define (string-downcase s) (string-map char-downcase s))
(define-syntax case-lambda
  (syntax-rules ()
    ((_ (formals form ...) ...) (lambda %all (%case-lambda (formals form ...) ...)))))
(define-syntax %case-lambda
  (syntax-rules ()
    ((_) (error "no clause takes these arguments:" %all))
    ((_ (formals form ...) rest ...)
     (if (%fit? 'formals %all) (apply (lambda formals form ...) %all) (%case-lambda rest ...)))))
(define (%fit? formals all)
  (cond ((null? formals) (null? all))
        ((pair? formals) (and (pair? all) (%fit? (cdr formals) (cdr all))))
        (else #t)))
