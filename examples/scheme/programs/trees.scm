;; trees.scm -- the shape of the classic collector benchmark: a long-lived tree and a large
;; vector stay, while short-lived trees of all depths come and go, made from the top down
;; and from the bottom up.

(define-record-type node (make-node left right) node? (left left set-left!) (right right set-right!))

(define (grown depth)
  (if (= depth 0) (make-node #f #f) (make-node (grown (- depth 1)) (grown (- depth 1)))))

(define (populate! depth tree)
  (if (> depth 0)
      (begin
        (set-left! tree (make-node #f #f))
        (set-right! tree (make-node #f #f))
        (populate! (- depth 1) (left tree))
        (populate! (- depth 1) (right tree)))))

(define (size tree) (if tree (+ 1 (size (left tree)) (size (right tree))) 0))

(define kept-depth 11)
(define kept (make-node #f #f))
(populate! kept-depth kept)
(define numbers (make-vector 20000 0.0))
(do ((i 0 (+ i 1))) ((= i 10000)) (vector-set! numbers i (/ 1.0 (+ i 1))))

(do ((depth 4 (+ depth 2)))
    ((> depth 10))
  (let ((times (quotient 8192 (expt 2 depth))))
    (do ((i 0 (+ i 1)) (nodes 0 (+ nodes (size (grown depth)))))
        ((= i times)
         (display (list depth times nodes))
         (newline)))
    (do ((i 0 (+ i 1))) ((= i times))
      (let ((tree (make-node #f #f))) (populate! depth tree)))))

(display (list (size kept) (= (vector-ref numbers 999) 0.001)))
(newline)
