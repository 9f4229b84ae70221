-- |
-- Module      : Cleave.Scratch.Pool.ByteString
-- Description : Byte strings that are built in memory from a pool
-- License     : MIT
-- Stability   : experimental
--
-- Byte strings whose length is known only when they are there. They are built in a scratch array
-- and copied out at their exact size, so that the large array is used again and the result wastes
-- nothing. To avoid the copy of results that are large themselves, see
-- 'Cleave.Scratch.Trim.createAndTrim'.
module Cleave.Scratch.Pool.ByteString
  ( createInScratch
  , createInScratchFrom
  , buildInScratch
  , buildInScratchFrom
  ) where

import Cleave.Scratch.Internal.Pool (foreignPtrOf, giveArray, takeArray)
import Cleave.Scratch.Pool (Pool, defaultPool, withScratchPtrFrom)
import Control.Monad (when)
import Control.Monad.Primitive (RealWorld)
import qualified Data.ByteString as B
import Data.ByteString (ByteString)
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder.Extra (BufferWriter, Next (..), runBuilder)
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as B
import Data.Primitive.ByteArray
import Data.Word (Word8)
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, castPtr, plusPtr)

-- | @createInScratch n fill@ makes a byte string of at most @n@ bytes: @fill@ writes to the
-- address it gets and returns how many bytes count.
--
-- > deflate :: ByteString -> IO ByteString
-- > deflate input = createInScratch (bound (B.length input)) (deflateInto input)
--
-- Throws 'Control.Exception.ErrorCall' if @fill@ returns less than 0 or more than @n@.
createInScratch :: Int -> (Ptr Word8 -> IO Int) -> IO ByteString
createInScratch = createInScratchFrom defaultPool
{-# INLINE createInScratch #-}

-- | 'createInScratch' from this pool.
createInScratchFrom :: Pool -> Int -> (Ptr Word8 -> IO Int) -> IO ByteString
createInScratchFrom pool n fill = withScratchPtrFrom pool n $ \p -> do
  used <- fill p
  when (used < 0 || used > n) $
    errorWithoutStackTrace
      ("Cleave.Scratch.Pool.ByteString: " ++ show used ++ " bytes of " ++ show n)
  B.create used (\q -> copyBytes q p used)
{-# INLINE createInScratchFrom #-}

-- | Runs a builder into scratch memory, which grows as it needs to, and copies the result out.
-- The same as making a lazy byte string strict, without its chunks.
--
-- >>> buildInScratch (foldMap intDec [1 .. 5])
-- "12345"
buildInScratch :: Builder -> IO ByteString
buildInScratch = buildInScratchFrom defaultPool

-- | 'buildInScratch' from this pool.
buildInScratchFrom :: Pool -> Builder -> IO ByteString
buildInScratchFrom pool builder = do
  array <- takeArray pool 65536
  go array 0 (runBuilder builder)
  where
    -- The first `used` bytes of the array are the result so far.
    go :: MutableByteArray RealWorld -> Int -> BufferWriter -> IO ByteString
    go array used writer = do
      size <- getSizeofMutableByteArray array
      (written, next) <- withBytes array $ \p -> writer (p `plusPtr` used) (size - used)
      let used' = used + written
      case next of
        Done -> do
          result <- withBytes array $ \p -> B.create used' (\q -> copyBytes q p used')
          giveArray pool array
          pure result
        More least writer' -> do
          array' <- withRoom array used' least
          go array' used' writer'
        Chunk chunk writer' -> do
          let n = B.length chunk
          array' <- withRoom array used' n
          withBytes array' $ \p -> B.unsafeUseAsCString chunk $ \q ->
            copyBytes (p `plusPtr` used') (castPtr q) n
          go array' (used' + n) writer'

    -- An array with the same first bytes and room behind them.
    withRoom array used least = do
      size <- getSizeofMutableByteArray array
      if size - used >= least
        then pure array
        else do
          larger <- takeArray pool (max (2 * size) (used + least))
          copyMutableByteArray larger 0 array 0 used
          giveArray pool array
          pure larger

    withBytes :: MutableByteArray RealWorld -> (Ptr Word8 -> IO b) -> IO b
    withBytes array = withForeignPtr (foreignPtrOf array)
