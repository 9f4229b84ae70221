-- | Sizes of pooled arrays: four to an octave, from 4 KiB to 1 GiB, so that a request wastes less
-- than a quarter of itself.
module Cleave.Scratch.Internal.SizeClass
  ( SizeClass
  , classes
  , classFor
  , classOf
  , sizeOfClass
  , leastPooled
  , mostPooled
  ) where

import Data.Bits (countLeadingZeros, finiteBitSize, unsafeShiftL, unsafeShiftR)

-- | From 0, in the order of their sizes.
type SizeClass = Int

leastBits, octaves :: Int
leastBits = 12
octaves = 18

-- | How many classes there are.
classes :: Int
classes = 4 * octaves + 1

-- | Less than this does not get memory of its own from GHC, and is not worth pooling.
leastPooled :: Int
leastPooled = 3073

-- | More than this is not pooled.
mostPooled :: Int
mostPooled = sizeOfClass (classes - 1)

-- | The bytes of each array in the class.
sizeOfClass :: SizeClass -> Int
sizeOfClass c = (4 + c `rem` 4) `unsafeShiftL` (leastBits - 2 + c `quot` 4)

-- | The least class whose arrays have so many bytes.
-- Requires: at most 'mostPooled'.
classFor :: Int -> SizeClass
classFor n
  | n <= 1 `unsafeShiftL` leastBits = 0
  | otherwise = 4 * octave + quarter
  where
    -- n - 1 is in [2^bits, 2^(bits + 1)), and its two bits below the first are the quarter.
    bits = finiteBitSize n - 1 - countLeadingZeros (n - 1)
    octave = bits - leastBits
    quarter = ((n - 1) `unsafeShiftR` (bits - 2)) - 3

-- | The class with arrays of exactly so many bytes.
classOf :: Int -> Maybe SizeClass
classOf n
  | n >= sizeOfClass 0, n <= mostPooled, sizeOfClass c == n = Just c
  | otherwise = Nothing
  where
    c = classFor n
