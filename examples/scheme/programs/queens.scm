;; queens.scm -- in how many ways n queens can stand on a board of n by n.

(define (safe? column distance placed)
  (or (null? placed)
      (let ((other (car placed)))
        (and (not (= other column))
             (not (= (abs (- other column)) distance))
             (safe? column (+ distance 1) (cdr placed))))))

(define (queens n)
  (let place ((row 0) (placed '()))
    (if (= row n)
        1
        (let try ((column 0) (found 0))
          (if (= column n)
              found
              (try (+ column 1)
                   (if (safe? column 1 placed)
                       (+ found (place (+ row 1) (cons column placed)))
                       found)))))))

(for-each (lambda (n) (display (queens n)) (newline)) '(1 2 3 4 5 6 7))
