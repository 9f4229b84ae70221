-- | A compressor loop: blocks of a log of 256 KiB each, compressed by zlib one after the other into
-- a buffer of the greatest size that zlib may need. The last hundred results are kept.
module Compress (compress) where

import Buffers
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Unsafe as B
import Control.Monad
import Data.IORef
import Data.Word (Word8)
import Foreign.C.Types
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr, castPtr)
import Foreign.Storable (peek, poke)

foreign import ccall unsafe "compressBound" c_bound :: CULong -> CULong

foreign import ccall unsafe "compress2"
  c_compress :: Ptr Word8 -> Ptr CULong -> Ptr Word8 -> CULong -> CInt -> IO CInt

blockSize, blocks, kept :: Int
blockSize = 262144
blocks = 750
kept = 100

-- | Returns a number that depends on all results.
compress :: Way -> IO Int
compress way = do
  recent <- newIORef []
  total <- newIORef 0
  forM_ [1 .. blocks] $ \i -> do
    result <- deflate way (block i)
    modifyIORef' total (+ B.length result)
    modifyIORef' recent (\rs -> result : take (kept - 1) rs)
  last_ <- readIORef recent
  n <- readIORef total
  pure $! n + sum (map (fromIntegral . B.last) last_)

deflate :: Way -> B.ByteString -> IO B.ByteString
deflate way input = produce way (fromIntegral bound) $ \out -> alloca $ \size -> do
  poke size bound
  code <- B.unsafeUseAsCStringLen input $ \(p, n) ->
    c_compress out size (castPtr p) (fromIntegral n) 1
  when (code /= 0) $ fail ("zlib: " ++ show code)
  fromIntegral <$> peek size
  where
    bound = c_bound (fromIntegral (B.length input))

-- | A window into a log, a different one for each number.
block :: Int -> B.ByteString
block i = B.take blockSize (B.drop ((i * 7919) `rem` blockSize) logText)

logText :: B.ByteString
logText = B.take (2 * blockSize) $ C.pack $ concatMap line [0 .. 20000 :: Int]
  where
    line k =
      "2026-01-" ++ show (10 + k `rem` 20) ++ " request " ++ show (k * 7919 `rem` 10007)
        ++ (if k `rem` 7 == 0 then " failed\n" else " served\n")
{-# NOINLINE logText #-}
