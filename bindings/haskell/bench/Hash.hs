{-# LANGUAGE BangPatterns #-}

-- | A server that hashes what it is sent: each request brings 64 KiB to 1 MiB into a buffer, its
-- hash goes into a table of recent uploads, and the buffer is done with. With several
-- capabilities each has a thread that serves.
module Hash (hash) where

import Buffers
import Control.Concurrent
import Control.Monad
import Data.Bits (rotateL, xor)
import qualified Data.ByteString as B
import qualified Data.ByteString.Unsafe as B
import qualified Data.Map.Strict as Map
import Data.Word (Word64, Word8)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, castPtr)
import Foreign.Storable (peekElemOff)

requests, remembered :: Int
requests = 4000
remembered = 20000

hash :: Way -> IO Int
hash way = do
  threads <- getNumCapabilities
  ends <- forM [0 .. threads - 1] $ \me -> do
    end <- newEmptyMVar
    _ <- forkOn me (serve way me (requests `quot` threads) >>= putMVar end)
    pure end
  sum <$> mapM takeMVar ends

serve :: Way -> Int -> Int -> IO Int
serve way me count = go 1 (Map.fromList [(k, 0) | k <- [0 .. remembered - 1]])
  where
    go :: Int -> Map.Map Int Word64 -> IO Int
    go i table
      | i > count = pure $! fromIntegral (Map.foldl' xor 0 table `rem` 1000000007)
      | otherwise = do
          let n = 65536 + (i * 2654435761 + me) `rem` 983040
          buffer <- acquire way n
          !h <- withBuffer buffer $ \p -> receive p n >> hashOf p n
          done buffer
          -- The answer goes out, and the table learns of it.
          let !table' = Map.insert (fromIntegral (h `rem` fromIntegral remembered)) h table
          go (i + 1) table'

-- | Stands for recv().
receive :: Ptr Word8 -> Int -> IO ()
receive p n = B.unsafeUseAsCString upload $ \q -> copyBytes p (castPtr q) n

upload :: B.ByteString
upload = fst (B.unfoldrN 1048576 next (1 :: Word64))
  where
    next x = Just (fromIntegral (x `div` 256), x * 1103515245 + 12345)
{-# NOINLINE upload #-}

hashOf :: Ptr Word8 -> Int -> IO Word64
hashOf p n = go 0 (fromIntegral n)
  where
    words_ = n `quot` 8
    go !i !h
      | i == words_ = pure h
      | otherwise = do
          w <- peekElemOff (castPtr p) i
          go (i + 1) (rotateL (h `xor` w) 27 * 0x9e3779b97f4a7c15)
