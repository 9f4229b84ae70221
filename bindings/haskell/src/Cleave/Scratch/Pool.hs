{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Cleave.Scratch.Pool
-- Description : Large scratch arrays that are used again instead of collected
-- License     : MIT
-- Stability   : experimental
--
-- Every 1 MB of large arrays that a program makes brings the next collection of GHC about, though
-- most programs make them for a moment only: a buffer to read into, to compress into, to
-- sort in. A pool keeps such arrays when they are done with and hands them out again. It
-- is plain Haskell over the public interface of GHC, so that it works with every version,
-- option and collector, and in GHCi.
--
-- > import Cleave.Scratch.Pool (withScratch)
-- > import Control.Monad.ST (runST)
-- > import Data.Primitive.ByteArray
-- >
-- > -- Counts the pairs of bytes of a text in a table of 512 KiB.
-- > mostFrequentPair :: ByteArray -> Int
-- > mostFrequentPair text = runST $ withScratch (65536 * 8) $ \table -> do
-- >   setByteArray table 0 65536 (0 :: Int)
-- >   forM_ [0 .. sizeofByteArray text - 2] $ \i -> do
-- >     let pair = 256 * byte i + byte (i + 1)
-- >     count <- readByteArray table pair
-- >     writeByteArray table pair (count + 1 :: Int)
-- >   indexOfGreatest table
-- >   where
-- >     byte i = fromIntegral (indexByteArray text i :: Word8)
--
-- == What to keep in mind
--
-- * A scratch array has __at least__ the size that was asked for, up to a quarter more (from 3073
--   bytes on it has at least 4096), and holds whatever its last user left there.
-- * It is yours until the function returns. Whoever still has it then sees the next user's bytes,
--   and writes to them; that is a wrong result, never a crash. Beware of laziness: force what was
--   read from the array, and do not return it frozen. Overwrite what is secret before you return.
-- * After an exception, also one of another thread, the array is left to the collector, since
--   something may still hold it.
-- * Arrays are pinned and their first byte is at a multiple of 64.
--
-- Forms for @ByteString@ and storable vectors are in "Cleave.Scratch.Pool.ByteString" and
-- "Cleave.Scratch.Pool.Vector". Those here use one pool that the whole program shares, and
-- those that end in @From@ use one of your own.
--
-- == What a pool costs
--
-- To take an array and give it back costs about 0.1 µs; in 'ST', deep in a recursion of a program
-- with several capabilities, some µs. Free arrays are kept apart for each
-- capability, so that threads do not meet; one that finds none of its own takes another's. A pool
-- keeps at most 'limit' bytes, 64 MiB at first. At collections of the old generation it drops
-- what nobody needed since the one before, so that an idle pool is empty after two, or after six
-- with no collection of the young generation in between. Memory in the
-- pool is alive to the collector; it is not copied or looked into.
--
-- With @--nonmoving-gc@, GHC 9.0.2 does not run the finalizers of old objects, so that the pool
-- does not learn of collections. Call 'dropIdle' where that matters.
module Cleave.Scratch.Pool
  ( -- * Scratch arrays
    withScratch
  , withScratchIO
  , withScratchPtr
  , withScratchForeignPtr

    -- * The same from a pool of your own
  , withScratchFrom
  , withScratchIOFrom
  , withScratchPtrFrom
  , withScratchForeignPtrFrom

    -- * Pools
  , Pool
  , newPool
  , defaultPool
  , limit
  , setLimit
  , heldBytes
  , emptyPool
  , dropIdle

    -- * Without a scope
  , takeArray
  , giveArray
  ) where

import Cleave.Scratch.Internal.Pool
import Control.Monad.Primitive (RealWorld)
import Control.Monad.ST (ST)
import Control.Monad.ST.Unsafe (unsafeIOToST)
import Data.Primitive.ByteArray (MutableByteArray (MutableByteArray))
import Foreign.ForeignPtr (ForeignPtr, withForeignPtr)
import Foreign.Ptr (Ptr)
import GHC.Exts (unsafeCoerce#)
import GHC.IO (noDuplicate)

-- | Runs the function on an array of at least so many bytes.
--
-- > runST $ withScratch 1000000 $ \array -> do
-- >   writeByteArray array 0 (42 :: Int)
-- >   readByteArray array 0
--
-- is 42. The array is no result: see /What to keep in mind/ above.
--
-- Throws 'Control.Exception.ErrorCall' when the number is negative.
withScratch :: Int -> (MutableByteArray s -> ST s a) -> ST s a
withScratch = withScratchFrom defaultPool
{-# INLINE withScratch #-}

-- | 'withScratch' in 'IO'.
withScratchIO :: Int -> (MutableByteArray RealWorld -> IO a) -> IO a
withScratchIO = withScratchIOFrom defaultPool
{-# INLINE withScratchIO #-}

-- | The address of at least so many bytes, at a multiple of 64, good until the action returns.
--
-- > copyFile source sink = withScratchPtr 65536 $ \buffer ->
-- >   let loop = do
-- >         n <- hGetBuf source buffer 65536
-- >         when (n > 0) (hPutBuf sink buffer n >> loop)
-- >   in loop
withScratchPtr :: Int -> (Ptr a -> IO b) -> IO b
withScratchPtr = withScratchPtrFrom defaultPool
{-# INLINE withScratchPtr #-}

-- | The same as a 'ForeignPtr', for interfaces that want one. It keeps the array alive,
-- but after the action has returned the bytes are the next user's.
withScratchForeignPtr :: Int -> (ForeignPtr a -> IO b) -> IO b
withScratchForeignPtr = withScratchForeignPtrFrom defaultPool
{-# INLINE withScratchForeignPtr #-}

-- | 'withScratch' from this pool.
withScratchFrom :: Pool -> Int -> (MutableByteArray s -> ST s a) -> ST s a
withScratchFrom pool n use = do
  -- Of two threads that evaluate the same, GHC stops one anywhere: better before it has an array.
  array <- unsafeIOToST (noDuplicate >> takeArray pool n)
  result <- use (retag array)
  unsafeIOToST (giveArray pool array)
  pure result
  where
    retag (MutableByteArray array) = MutableByteArray (unsafeCoerce# array)
{-# INLINE withScratchFrom #-}

-- | 'withScratchIO' from this pool.
withScratchIOFrom :: Pool -> Int -> (MutableByteArray RealWorld -> IO a) -> IO a
withScratchIOFrom pool n use = do
  array <- takeArray pool n
  result <- use array
  giveArray pool array
  pure result
{-# INLINE withScratchIOFrom #-}

-- | 'withScratchPtr' from this pool.
withScratchPtrFrom :: Pool -> Int -> (Ptr a -> IO b) -> IO b
withScratchPtrFrom pool n use = withScratchForeignPtrFrom pool n (`withForeignPtr` use)
{-# INLINE withScratchPtrFrom #-}

-- | 'withScratchForeignPtr' from this pool.
withScratchForeignPtrFrom :: Pool -> Int -> (ForeignPtr a -> IO b) -> IO b
withScratchForeignPtrFrom pool n use = withScratchIOFrom pool n (use . foreignPtrOf)
{-# INLINE withScratchForeignPtrFrom #-}
