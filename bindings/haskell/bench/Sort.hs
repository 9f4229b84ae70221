{-# LANGUAGE BangPatterns #-}

-- | An external merge sort of a file of 32 MiB with 64-bit numbers: blocks of 1 MiB are read,
-- sorted and written as runs; then eight runs at a time are merged, with a buffer of 1 MiB for
-- each block that is read or written. A buffer is acquired for each block, as @hGet@ makes a new
-- byte string.
module Sort (sort) where

import Buffers
import Control.Exception (bracket)
import Control.Monad
import Control.Monad.Primitive (RealWorld)
import Data.Bits (shiftL, shiftR, xor)
import Data.Primitive.Array
import Data.Primitive.ByteArray
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, castPtr)
import Foreign.Storable (peekElemOff, pokeElemOff)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO

blockBytes, blockWords, blocks, fanIn :: Int
blockBytes = 1048576
blockWords = blockBytes `quot` 8
blocks = 32
fanIn = 8

sort :: Way -> IO Int
sort way = do
  folder <- getTemporaryDirectory
  let temporary use = bracket (openBinaryTempFile folder "sort") close (use . snd)
      close (path, file) = hClose file >> removeFile path
  temporary $ \a -> temporary $ \b -> do
    mapM_ (`hSetBuffering` NoBuffering) [a, b]
    generate a
    sortBlocks way a b
    mergePasses way 1 b a

-- | Fills the file with numbers that look random.
generate :: Handle -> IO ()
generate file = do
  buffer <- acquire Pool blockBytes
  withBuffer buffer $ \p -> foldM_ (fill p) 88172645463325252 [1 .. blocks]
  done buffer
  where
    fill :: Ptr Word8 -> Word64 -> Int -> IO Word64
    fill p seed _ = do
      let go !i !x
            | i == blockWords = pure x
            | otherwise = pokeElemOff (castPtr p) i x >> go (i + 1) (next x)
      x <- go 0 seed
      hPutBuf file p blockBytes
      pure x
    next x0 = x3
      where
        x1 = x0 `xor` (x0 `shiftL` 13)
        x2 = x1 `xor` (x1 `shiftR` 7)
        x3 = x2 `xor` (x2 `shiftL` 17)

sortBlocks :: Way -> Handle -> Handle -> IO ()
sortBlocks way from to = do
  hSeek from AbsoluteSeek 0
  replicateM_ blocks $ do
    buffer <- acquire way blockBytes
    withBuffer buffer $ \p -> do
      _ <- hGetBuf from p blockBytes
      quicksort (castPtr p) 0 (blockWords - 1)
      hPutBuf to p blockBytes
    done buffer

quicksort :: Ptr Word64 -> Int -> Int -> IO ()
quicksort p = go
  where
    go !low !high
      | high - low < 16 = insertion low (low + 1) high
      | otherwise = do
          pivot <- peekElemOff p ((low + high) `quot` 2)
          split <- partition pivot low high
          go low split
          go (split + 1) high
    partition :: Word64 -> Int -> Int -> IO Int
    partition pivot = step
      where
        step !i !j = do
          i' <- up i
          j' <- down j
          if i' >= j'
            then pure j'
            else do
              x <- peekElemOff p i'
              y <- peekElemOff p j'
              pokeElemOff p i' y
              pokeElemOff p j' x
              step (i' + 1) (j' - 1)
        up !i = do { x <- peekElemOff p i; if x < pivot then up (i + 1) else pure i }
        down !j = do { x <- peekElemOff p j; if x > pivot then down (j - 1) else pure j }
    insertion !low !i !high = when (i <= high) $ do
      x <- peekElemOff p i
      sink low x i
      insertion low (i + 1) high
    sink !low !x !i
      | i == low = pokeElemOff p i x
      | otherwise = do
          y <- peekElemOff p (i - 1)
          if y <= x then pokeElemOff p i x else pokeElemOff p i y >> sink low x (i - 1)

-- | A run that is read: its block in memory, or none at its end. The place in the block, the next
-- block of the file and the one behind the last stand in `numbers`, three for each run.
data Runs = Runs
  { source :: !Handle
  , buffers :: !(MutableArray RealWorld (Maybe Buffer))
  , numbers :: !(MutableByteArray RealWorld)
  , heads :: !(MutableByteArray RealWorld)
  }

-- | Merges runs of so many blocks until there is one, and returns a number that depends on all
-- of it.
mergePasses :: Way -> Int -> Handle -> Handle -> IO Int
mergePasses way size from to
  | size >= blocks = verify way from
  | otherwise = do
      hSeek to AbsoluteSeek 0
      forM_ [0, size * fanIn .. blocks - 1] $ \first -> merge way size first from to
      mergePasses way (size * fanIn) to from

merge :: Way -> Int -> Int -> Handle -> Handle -> IO ()
merge way size first from to = do
  let starts = takeWhile (< blocks) [first + k * size | k <- [0 .. fanIn - 1]]
      runs = length starts
  state <-
    Runs from <$> newArray runs Nothing <*> newByteArray (24 * runs) <*> newByteArray (8 * runs)
  forM_ (zip [0 ..] starts) $ \(r, start) -> do
    writeByteArray (numbers state) (3 * r + 1) start
    writeByteArray (numbers state) (3 * r + 2) (min blocks (start + size))
    load way state r
  replicateM_ (sum [min blocks (s + size) - s | s <- starts]) $ do
    out <- acquire way blockBytes
    withBuffer out $ \p -> do
      forM_ [0 .. blockWords - 1] $ \i -> takeLeast way state runs (pokeElemOff (castPtr p) i)
      hPutBuf to p blockBytes
    done out

-- | Reads the next block of a run.
load :: Way -> Runs -> Int -> IO ()
load way state r = do
  old <- readArray (buffers state) r
  writeArray (buffers state) r Nothing
  mapM_ done old
  next <- readByteArray (numbers state) (3 * r + 1) :: IO Int
  end <- readByteArray (numbers state) (3 * r + 2)
  if next == end
    then writeByteArray (heads state) r (maxBound :: Word64)
    else do
      buffer <- acquire way blockBytes
      withBuffer buffer $ \p -> do
        hSeek (source state) AbsoluteSeek (fromIntegral (next * blockBytes))
        _ <- hGetBuf (source state) p blockBytes
        x <- peekElemOff (castPtr p) 0
        writeByteArray (heads state) r (x :: Word64)
      writeArray (buffers state) r (Just buffer)
      writeByteArray (numbers state) (3 * r) (0 :: Int)
      writeByteArray (numbers state) (3 * r + 1) (next + 1)

-- | Takes the least number that is not taken yet, and gives it to the action.
takeLeast :: Way -> Runs -> Int -> (Word64 -> IO ()) -> IO ()
takeLeast way state runs use = readByteArray (heads state) 0 >>= least 1 0
  where
    least :: Int -> Int -> Word64 -> IO ()
    least !k !r !x
      | k == runs = use x >> advance r
      | otherwise = do
          y <- readByteArray (heads state) k
          if y < x then least (k + 1) k y else least (k + 1) r x

    advance :: Int -> IO ()
    advance !r = do
      place <- readByteArray (numbers state) (3 * r)
      if place + 1 == blockWords
        then load way state r
        else do
          buffer <- readArray (buffers state) r
          forM_ buffer $ \b -> withBuffer b $ \p -> do
            y <- peekElemOff (castPtr p) (place + 1)
            writeByteArray (heads state) r (y :: Word64)
          writeByteArray (numbers state) (3 * r) (place + 1 :: Int)
{-# INLINE takeLeast #-}

-- | Whether the file is sorted, as a number that is the same for each way.
verify :: Way -> Handle -> IO Int
verify way from = do
  hSeek from AbsoluteSeek 0
  (_, total) <- foldM step (0, 0) [1 .. blocks]
  pure $! fromIntegral (total `shiftR` 8)
  where
    step :: (Word64, Word64) -> Int -> IO (Word64, Word64)
    step (before, sum_) _ = do
      buffer <- acquire way blockBytes
      result <- withBuffer buffer $ \p -> do
        _ <- hGetBuf from p blockBytes
        let go !i !b !s
              | i == blockWords = pure (b, s)
              | otherwise = do
                  x <- peekElemOff (castPtr p) i
                  when (x < b) $ fail "the result is not sorted"
                  go (i + 1) x (s * 31 + x)
        go 0 before sum_
      result <$ done buffer
