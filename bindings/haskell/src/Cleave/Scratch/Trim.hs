{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Cleave.Scratch.Trim
-- Description : Shorten a large array and have the memory behind it back at once
-- License     : MIT
-- Stability   : experimental
--
-- In GHC, an array that is shortened by @shrinkMutableByteArray#@ keeps all of its memory until it
-- is dead and collected. 'trim' shortens it as well, and gives the whole blocks (4 KiB) behind
-- the part that is kept back to the runtime, where the next allocation finds them. It is
-- __safe__: the first block stays with the array, so that nothing that points to it dangles,
-- whoever holds it and whatever collector runs.
--
-- Use it where one large array is made, filled in part, and then kept for long:
--
-- > import Cleave.Scratch.Trim (trim)
-- > import Data.Primitive.ByteArray
-- >
-- > -- All primes below n, of which there may be anything up to n / 2.
-- > primesBelow :: Int -> ByteArray
-- > primesBelow n = runByteArray $ do
-- >   found <- newByteArray (8 * (n `div` 2 + 1))
-- >   count <- sieveInto found n
-- >   _ <- trim found (8 * count)
-- >   pure found
--
-- __Not__ for buffers of one size that come and go: the block that stays splits the hole, so that
-- the next array does not fit, and memory grows until the next collection. That is what
-- "Cleave.Scratch.Pool" is for.
--
-- Where memory cannot be given back (a small array, another version of GHC, GHCi) the array is
-- shortened as GHC does it. 'Cleave.Scratch.Runtime.support' tells whether this program can.
module Cleave.Scratch.Trim
  ( trim
  , trimOutcome

    -- * Byte strings
  , createAndTrim
  , createAndTrimWith
  ) where

import Cleave.Scratch.Internal.EarlyRelease
import Control.Monad (when)
import Control.Monad.Primitive (RealWorld)
import Control.Monad.ST (ST)
import Control.Monad.ST.Unsafe (unsafeIOToST)
import qualified Data.ByteString as B
import Data.ByteString (ByteString)
import qualified Data.ByteString.Internal as B
import Data.Primitive.ByteArray
import Data.Word (Word8)
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Ptr (Ptr)
import GHC.Exts (Int (I#), byteArrayContents#, shrinkMutableByteArray#, unsafeCoerce#)
import GHC.ForeignPtr (ForeignPtr (ForeignPtr), ForeignPtrContents (PlainPtr))
import GHC.ST (ST (ST))

-- | @trim array n@ shortens the array to @n@ bytes and gives the memory behind them back. 'True':
-- some memory went back. 'False': none did; the array has @n@ bytes all the same.
--
-- Bytes @[0, n)@ and their address stay. Memory goes back in blocks of 4 KiB; what is kept of
-- 1 MB or more is rounded up to 1 MiB. The collector is told: the
-- array counts less towards the next collection.
--
-- Cost: a lock and the release of one or two groups of blocks, whatever the size.
--
-- Requires: nobody uses the bytes behind @n@ any more, now or later.
--
-- Throws 'Control.Exception.ErrorCall' unless @0 <= n <= size@, and changes nothing then.
trim :: MutableByteArray s -> Int -> ST s Bool
trim array n = gaveBack <$> trimOutcome array n

-- | 'trim', with how much went back, or why nothing did.
--
-- >>> array <- stToIO (newByteArray 1000000)
-- >>> stToIO (trimOutcome array 1000)
-- GaveBack 999424
-- >>> stToIO (trimOutcome array 900)
-- Kept Small
trimOutcome :: MutableByteArray s -> Int -> ST s Outcome
trimOutcome array@(MutableByteArray array#) n@(I# n#) = do
  size <- getSizeofMutableByteArray array
  when (n < 0 || n > size) $
    errorWithoutStackTrace
      ("Cleave.Scratch.Trim.trim: " ++ show n ++ " bytes of an array of " ++ show size)
  result <-
    if size < leastLarge
      then pure (Kept Small)
      else unsafeIOToST (trim# (unsafeCoerce# array#) n)
  case result of
    GaveBack _ -> pure ()
    Kept _ -> ST $ \s -> (# shrinkMutableByteArray# array# n# s, () #)
  pure result

-- | No array of fewer bytes has a block of its own.
leastLarge :: Int
leastLarge = 3233

-- | @createAndTrim n fill@ makes a byte string of at most @n@ bytes: @fill@ writes to the address
-- it gets and returns how many bytes count.
--
-- The function of the same name in "Data.ByteString.Internal" copies the result into a new string
-- unless it has all @n@ bytes, so that there are two for a while and the large one stays until
-- the next collection. Here the string is the array that was written to, without its tail.
-- Where that would waste memory, for a result of less than a block, or where
-- 'trim' can do nothing, the result is copied.
--
-- > decompress :: ByteString -> IO ByteString
-- > decompress input = createAndTrim (256 * B.length input) (inflateInto input)
--
-- Throws 'Control.Exception.ErrorCall' if @fill@ returns less than 0 or more than @n@.
createAndTrim :: Int -> (Ptr Word8 -> IO Int) -> IO ByteString
createAndTrim n fill = fst <$> createAndTrimWith n (\p -> flip (,) () <$> fill p)
{-# INLINE createAndTrim #-}

-- | 'createAndTrim' for an action that has a result of its own.
createAndTrimWith :: Int -> (Ptr Word8 -> IO (Int, a)) -> IO (ByteString, a)
createAndTrimWith n fill = do
  array <- newPinnedByteArray (max 0 n)
  let bytes = foreignPtr array
  (used, result) <- withForeignPtr bytes fill
  when (used < 0 || used > n) $
    errorWithoutStackTrace
      ("Cleave.Scratch.Trim.createAndTrim: " ++ show used ++ " bytes of " ++ show n)
  string <- trimmed array bytes n used
  pure (string, result)
{-# INLINE createAndTrimWith #-}

trimmed :: MutableByteArray RealWorld -> ForeignPtr Word8 -> Int -> Int -> IO ByteString
trimmed array@(MutableByteArray array#) bytes n used
  | used == n = pure whole
  | used < leastLarge = pure $! B.copy whole
  | otherwise = do
      result <- trim# array# used
      case result of
        GaveBack _ -> pure whole
        Kept NothingLeft -> do
          shrinkMutableByteArray array used
          pure whole
        Kept _ -> pure $! B.copy whole
  where
    whole = B.fromForeignPtr bytes 0 used
{-# NOINLINE trimmed #-}

foreignPtr :: MutableByteArray RealWorld -> ForeignPtr Word8
foreignPtr (MutableByteArray array#) =
  ForeignPtr (byteArrayContents# (unsafeCoerce# array#)) (PlainPtr array#)
