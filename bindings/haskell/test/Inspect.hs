{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | What @inspect.c@ sees, and arrays with a pattern that shows every foreign write.
module Inspect
  ( -- * The runtime
    blocksInUse
  , audit
  , isProfiled
  , View (..)
  , view
  , scratchView

  , failSelfTest

    -- * Patterns
  , fillWith
  , holds
  ) where

import Control.Monad (when)
import Data.Primitive.ByteArray (MutableByteArray (MutableByteArray), newByteArray)
import GHC.Exts (MutableByteArray#, RealWorld)
import GHC.IO (IO (IO))
import GHC.ST (ST (ST))

import qualified Cleave.Scratch.Forget.Unsafe as F

foreign import ccall unsafe "inspect_blocks_in_use" blocksInUse :: IO Int

foreign import ccall unsafe "inspect_audit" audit :: IO Int

foreign import ccall unsafe "inspect_is_profiled" c_isProfiled :: IO Int

foreign import ccall unsafe "inspect_array"
  c_array :: MutableByteArray# RealWorld -> Int -> IO Int

isProfiled :: IO Bool
isProfiled = (/= 0) <$> c_isProfiled

foreign import ccall unsafe "cleave_scratch_self_test"
  c_selfTest :: MutableByteArray# RealWorld -> Int -> Int -> IO Int

-- | Makes the self-test find something wrong: an array of another length than it was told of.
failSelfTest :: IO Int
failSelfTest = do
  MutableByteArray array <- newByteArray 100000
  c_selfTest array 50000 0

-- | What can be asked about a large array.
data View = Blocks | Generation | IsNew | IsNonmoving | WordsBefore
  deriving (Enum)

view :: MutableByteArray RealWorld -> View -> IO Int
view (MutableByteArray array) what = c_array array (fromEnum what)

-- | The same, of a handle's array.
scratchView :: F.Scratch RealWorld -> View -> IO Int
scratchView scratch what = IO $ \s -> case F.withScratchArray# scratch ask of ST act -> act s
  where
    ask array t = case c_array array (fromEnum what) of IO act -> act t

-- | Every how many bytes a word of the pattern stands. The last word of an array has one too.
stride :: Int
stride = 512

-- | Writes the pattern of a seed to an array of so many bytes, by a function that writes words.
fillWith :: (Int -> Int -> IO ()) -> Int -> Int -> IO ()
fillWith write n seed = do
  let go i = when (i + 8 <= n) $ write (i `quot` 8) (seed + i) >> go (i + stride)
  go 0
  when (n >= 8) $ write (n `quot` 8 - 1) (seed * 3 + 1)
{-# INLINE fillWith #-}

-- | Whether the first @k@ bytes of an array that was filled with @n@ bytes still have the pattern.
holds :: (Int -> IO Int) -> Int -> Int -> Int -> IO Bool
holds read_ n k seed = go 0
  where
    lastWord = (n `quot` 8 - 1) * 8
    go i
      | i + 8 > k =
          if n >= 8 && k >= n then (== seed * 3 + 1) <$> read_ (n `quot` 8 - 1) else pure True
      | i == lastWord = go (i + stride)
      | otherwise = do
          x <- read_ (i `quot` 8)
          if x == seed + i then go (i + stride) else pure False
{-# INLINE holds #-}
