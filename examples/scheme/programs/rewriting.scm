;; rewriting.scm -- a prover in the manner of Boyer and Moore: a formula is rewritten with
;; lemmas until it is made of `if` alone, and then tried for all values of its atoms.

(define lemmas '())
(define (lemma! left right)
  (set! lemmas (cons (list (car left) left right) lemmas)))

;; A name that begins with ? stands for any term.
(define (variable? term)
  (and (symbol? term) (char=? (string-ref (symbol->string term) 0) #\?)))

(define (match pattern term found)
  (cond ((not found) #f)
        ((variable? pattern)
         (let ((bound (assq pattern found)))
           (cond ((not bound) (cons (cons pattern term) found))
                 ((equal? (cdr bound) term) found)
                 (else #f))))
        ((and (pair? pattern) (pair? term) (eq? (car pattern) (car term))
              (= (length pattern) (length term)))
         (let loop ((patterns (cdr pattern)) (terms (cdr term)) (found found))
           (if (null? patterns)
               found
               (loop (cdr patterns) (cdr terms) (match (car patterns) (car terms) found)))))
        ((equal? pattern term) found)
        (else #f)))

(define (filled term found)
  (cond ((variable? term) (let ((bound (assq term found))) (if bound (cdr bound) term)))
        ((pair? term) (cons (car term) (map (lambda (part) (filled part found)) (cdr term))))
        (else term)))

(define (rewrite term)
  (if (not (pair? term))
      term
      (let ((whole (cons (car term) (map rewrite (cdr term)))))
        (let loop ((rest lemmas))
          (if (null? rest)
              whole
              (let ((found (and (eq? (caar rest) (car whole)) (match (cadar rest) whole '()))))
                (if found
                    (rewrite (filled (car (cddar rest)) found))
                    (loop (cdr rest)))))))))

(define (tautology? term true false)
  (cond ((or (eq? term 't) (member term true)) #t)
        ((or (eq? term 'f) (member term false)) #f)
        ((and (pair? term) (eq? (car term) 'if))
         (let ((test (cadr term)))
           (cond ((or (eq? test 't) (member test true)) (tautology? (caddr term) true false))
                 ((or (eq? test 'f) (member test false)) (tautology? (cadddr term) true false))
                 (else (and (tautology? (caddr term) (cons test true) false)
                            (tautology? (cadddr term) true (cons test false)))))))
        (else #f)))

(define (theorem? term) (tautology? (rewrite term) '() '()))

(lemma! '(and ?p ?q) '(if ?p (if ?q t f) f))
(lemma! '(or ?p ?q) '(if ?p t (if ?q t f)))
(lemma! '(not ?p) '(if ?p f t))
(lemma! '(implies ?p ?q) '(if ?p (if ?q t f) t))
(lemma! '(iff ?p ?q) '(and (implies ?p ?q) (implies ?q ?p)))
(lemma! '(if (if ?a ?b ?c) ?d ?e) '(if ?a (if ?b ?d ?e) (if ?c ?d ?e)))
(lemma! '(plus zero ?n) '?n)
(lemma! '(plus (next ?m) ?n) '(next (plus ?m ?n)))
(lemma! '(plus (plus ?a ?b) ?c) '(plus ?a (plus ?b ?c)))
(lemma! '(times zero ?n) 'zero)
(lemma! '(times (next ?m) ?n) '(plus ?n (times ?m ?n)))
(lemma! '(times (plus ?a ?b) ?c) '(plus (times ?a ?c) (times ?b ?c)))
(lemma! '(reverse (append ?a ?b)) '(append (reverse ?b) (reverse ?a)))
(lemma! '(append (append ?a ?b) ?c) '(append ?a (append ?b ?c)))
(lemma! '(length (append ?a ?b)) '(plus (length ?a) (length ?b)))
(lemma! '(length (reverse ?a)) '(length ?a))
(lemma! '(equal ?x ?x) 't)

(define (chain n)
  ;; p0 -> p1, ..., p(n-1) -> pn  implies  p0 -> pn
  (define (atom i) (list 'p i))
  (let loop ((i 0) (all 't))
    (if (= i n)
        (list 'implies all (list 'implies (atom 0) (atom n)))
        (loop (+ i 1) (list 'and (list 'implies (atom i) (atom (+ i 1))) all)))))

(define (check term) (write (theorem? term)) (newline))

(check '(or (p) (not (p))))
(check '(implies (p) (q)))
(check '(iff (not (and (p) (q))) (or (not (p)) (not (q)))))
(check '(equal (times (plus (x) (y)) (z)) (plus (times (x) (z)) (times (y) (z)))))
(check '(equal (length (reverse (append (x) (append (y) (z))))) (plus (length (z)) (plus (length (y)) (length (x))))))
(check '(equal (plus (next (next zero)) (next zero)) (next (next (next zero)))))
(check (chain 2))
(check '(implies (and (implies (p) (q)) (q)) (p)))
