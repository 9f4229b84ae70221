;; buffers.scm -- strings and large bytevectors, and what forgetting them does.

(define (show . things) (for-each display things) (newline))

;; Words of a text, counted.
(define (words text)
  (let loop ((chars (string->list text)) (word '()) (made '()))
    (define (with-word) (if (null? word) made (cons (list->string (reverse word)) made)))
    (cond ((null? chars) (reverse (with-word)))
          ((char-alphabetic? (car chars)) (loop (cdr chars) (cons (char-downcase (car chars)) word) made))
          (else (loop (cdr chars) '() (with-word))))))
(define (count-words text)
  (let loop ((rest (words text)) (counts '()))
    (if (null? rest)
        counts
        (let ((known (assoc (car rest) counts)))
          (if known
              (begin (set-cdr! known (+ 1 (cdr known))) (loop (cdr rest) counts))
              (loop (cdr rest) (cons (cons (car rest) 1) counts)))))))
(write (count-words "The cat and the dog, and the bird."))
(newline)

;; A run-length coder over a buffer of its own for each message.
(define size 100000)
(define (encode from)
  (let ((to (make-bytevector (* 2 (bytevector-length from)))))
    (let loop ((i 0) (at 0))
      (if (= i (bytevector-length from))
          (let ((made (bytevector-copy to 0 at)))
            (bytevector-forget! to)
            made)
          (let ((byte (bytevector-u8-ref from i)))
            (let run ((j i))
              (if (and (< j (bytevector-length from)) (< (- j i) 255) (= (bytevector-u8-ref from j) byte))
                  (run (+ j 1))
                  (begin
                    (bytevector-u8-set! to at byte)
                    (bytevector-u8-set! to (+ at 1) (- j i))
                    (loop j (+ at 2))))))))))
(define (decoded-length coded)
  (do ((i 1 (+ i 2)) (sum 0 (+ sum (bytevector-u8-ref coded i)))) ((> i (bytevector-length coded)) sum)))
(define message (make-bytevector 3000 7))
(bytevector-fill! message 9 1000 1010)
(define coded (encode message))
(show (bytevector-length coded) " " (decoded-length coded))

;; A thousand scratch buffers of 100,000 bytes: each is free before the next is made, and
;; they cause no collection.
(gc)
(define before-bytes (gc-large-bytes))
(define before (gc-collections))
(define (use-scratch i)
  (let ((scratch (make-bytevector size)))
    (bytevector-u8-set! scratch (- size 1) (modulo i 256))
    (let ((last (bytevector-u8-ref scratch (- size 1))))
      (bytevector-forget! scratch)
      last)))
(define sum 0)
(do ((i 0 (+ i 1))) ((= i 1000)) (set! sum (+ sum (use-scratch i))))
(define after (gc-collections))
(show sum " " (= before-bytes (gc-large-bytes)))

;; Who still has a forgotten bytevector gets an error, and no other memory.
(define kept (make-bytevector size 1))
(define box (vector kept))
(show (bytevector-forget! kept) " " (bytevector-forget! kept) " " (bytevector-forget! (bytevector 1 2)))
(show (guard (e ((error-object? e) (error-object-message e))) (bytevector-u8-ref (vector-ref box 0) 0)))

;; The tail of a buffer goes back alone.
(define long (make-bytevector size 5))
(show (bytevector-trim! long 10000) " " (bytevector-length long) " " (bytevector-u8-ref long 9999) " "
      (- (gc-large-bytes) before-bytes))
(show (guard (e ((error-object? e) 'out-of-range)) (bytevector-u8-ref long 10000)))
