{-# LANGUAGE BangPatterns #-}

-- | Every kind of array, size, age and operation, one after the other: what is given back, what
-- stays, and whether the collector agrees. Prints a line for each failure and one with the
-- counts.
--
-- usage: matrix [long] [+RTS any options]
--
-- Block counts are compared exactly where the runtime shows them and one capability runs. What
-- they must be is computed here from the sizes: blocks of 4 KiB, 252 to the
-- first megablock of 1 MiB and whole megablocks beyond.
module Main (main) where

import Cleave.Scratch.Forget.Unsafe
import Cleave.Scratch.Trim (trimOutcome)
import Control.Monad
import Control.Monad.ST (RealWorld, stToIO)
import Data.IORef
import Data.Primitive.ByteArray
import GHC.Conc (getNumCapabilities)
import Inspect
import System.Environment (getArgs)
import System.Exit (exitFailure)
import System.IO
import System.Mem (performMajorGC, performMinorGC)

data Kind = Kind
  { kindName :: String
  , make :: Int -> IO (MutableByteArray RealWorld)
  , makeScratch :: Int -> IO (Scratch RealWorld)
  , spareWords :: Int
  -- ^ What the runtime adds so that the array can be aligned.
  , leastBytes :: Int
  }

kinds :: [Kind]
kinds =
  [ Kind "unpinned" newByteArray (stToIO . newScratch) 0 0
  , aligned "pinned" 16 1
  , aligned "aligned to 64" 64 7
  , -- Smaller arrays of this alignment overrun their block in GHC 9.0.2 itself.
    (aligned "aligned to 4096" 4096 511) {leastBytes = 3264}
  ]
  where
    aligned name a spare =
      Kind name (`newAlignedPinnedByteArray` a) (\n -> stToIO (newAlignedScratch n a)) spare 0

data Age = Age {ageName :: String, minors :: Int, majors :: Int}

ages :: [Age]
ages = [Age "new" 0 0, Age "aged" 1 0, Age "old" 2 0, Age "after a major" 1 1]

data Operation = Forget | TrimTo Int
  deriving (Show)

block :: Int
block = 4096

-- | The sizes about which something is special: the least large ones, one and two blocks, groups
-- near a megablock, several megablocks.
longSizes, shortSizes :: [Int]
longSizes =
  [8, 100, 3000, 3264, 3272, 3300, 4080, 4081, 5000, 8192, 65536]
    ++ [246 * block, 250 * block, 251 * block - 16, 251 * block, 252 * block - 16, 252 * block]
    ++ [252 * block + 1, 253 * block, 300 * block, 507 * block, 508 * block - 16, 508 * block]
    ++ [509 * block, 3 * 1048576, 16 * 1048576]
shortSizes =
  [100, 3264, 3272, 4081, 8192, 65536, 251 * block - 16, 252 * block - 16, 252 * block + 1]
    ++ [508 * block - 16, 508 * block, 3 * 1048576]

operations :: Int -> [Operation]
operations n =
  Forget
    : [ TrimTo k
      | k <- [0, 1, 4000, 4096, 9000, n `quot` 2, n - 5000, n - 1, n]
      , k >= 0
      , k <= n
      ]

-- | How many blocks the allocator counts for so many words: it counts 252 for a megablock.
countedBlocks :: Int -> Int
countedBlocks words_
  | blocks < 252 = blocks
  | otherwise = 252 * megablocks
  where
    blocks = (words_ * 8 + block - 1) `quot` block
    megablocks = if blocks <= 252 then 1 else 1 + (blocks - 252 + 255) `quot` 256

data Tally = Tally
  { cases, failures, refused, marking :: IORef Int
  , exact :: Bool
  , headerWords :: Int
  }

count :: IORef Int -> IO ()
count r = modifyIORef' r (+ 1)

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  args <- getArgs
  capabilities <- getNumCapabilities
  blocks <- blocksInUse
  profiled <- isProfiled
  [a, b, c, d] <- replicateM 4 (newIORef 0)
  let tally = Tally a b c d (capabilities == 1 && blocks >= 0) (if profiled then 4 else 2)
      sizes = if args == ["long"] then longSizes else shortSizes
  forM_ kinds $ \kind -> forM_ sizes $ \n -> forM_ ages $ \age ->
    forM_ (operations n) $ \operation ->
      when (n >= leastBytes kind) $ runCase tally kind n age operation
  [ran, failed, none, busy] <- mapM readIORef [a, b, c, d]
  putStrLn $
    "matrix: " ++ show ran ++ " cases, " ++ show failed ++ " failures; nothing to give back "
      ++ show none
      ++ ", refused while the collector ran "
      ++ show busy
      ++ (if exact tally then "; block counts exact" else "")
  when (failed > 0) exitFailure

runCase :: Tally -> Kind -> Int -> Age -> Operation -> IO ()
runCase tally kind n age operation = do
  before <- guarded 70000 11
  case operation of
    Forget -> forgetCase tally kind n age (check before)
    TrimTo k -> trimCase tally kind n k age (check before)
  count (cases tally)
  where
    check before others = do
      ok <- and <$> sequence (before : others)
      unless ok $ failure tally kind n age operation "a neighbour changed"

failure :: Tally -> Kind -> Int -> Age -> Operation -> String -> IO ()
failure tally kind n age operation what = do
  count (failures tally)
  putStrLn $ unwords ["FAIL", kindName kind, show n, ageName age, show operation ++ ":", what]

-- | An array with a pattern, as the check that it still holds it.
guarded :: Int -> Int -> IO (IO Bool)
guarded n seed = do
  array <- newByteArray n
  fillWith (writeByteArray array) n seed
  pure (holds (readByteArray array) n n seed)
{-# NOINLINE guarded #-}

grow :: Age -> IO ()
grow age = do
  replicateM_ (minors age) performMinorGC
  replicateM_ (majors age) performMajorGC

note :: Tally -> Outcome -> IO ()
note tally outcome = case outcome of
  GaveBack _ -> pure ()
  Kept CollectorRuns -> count (marking tally)
  Kept _ -> count (refused tally)

-- | Uses the memory that was given back, collects, and looks at everything again.
aftermath :: Tally -> Kind -> Int -> Age -> Operation -> ([IO Bool] -> IO ()) -> [IO Bool] -> IO ()
aftermath tally kind n age operation check others = do
  -- At once, since a collection counts anew.
  counters
  next <- guarded (max 4000 (n `quot` 2)) 44
  check (next : others)
  performMinorGC
  check (next : others)
  when (minors age > 0) $ performMajorGC >> check (next : others)
  counters
  where
    counters = when (exact tally) $ do
      wrong <- audit
      when (wrong /= 0) $ failure tally kind n age operation ("audit says " ++ show wrong)

-- The two operations share no code after what they do: an array must be dead on every path after a
-- forget, also on those that are not taken.

forgetCase :: Tally -> Kind -> Int -> Age -> ([IO Bool] -> IO ()) -> IO ()
forgetCase tally kind n age check = do
  scratch <- makeScratch kind n
  middle <- guarded 5000 22
  fillWith (\i x -> stToIO (writeScratch scratch i x)) n 5
  grow age
  behind <- guarded 1100000 33
  was <- blocksInUse
  outcome <- stToIO (forgetScratch scratch)
  is <- blocksInUse
  note tally outcome
  let say = failure tally kind n age Forget
      words_ = headerWords tally + (n + 7) `quot` 8
      large = words_ >= 409
      counted = countedBlocks (words_ + spareWords kind)
  case outcome of
    GaveBack _ -> do
      unless large $ say "forgot a small array"
      when (exact tally && was - is /= counted) $
        say ("gave back " ++ show (was - is) ++ " blocks of " ++ show counted)
    Kept reason ->
      when (large && reason `notElem` [CollectorRuns, HiddenRuntime]) $ say (show reason)
  aftermath tally kind n age Forget check [middle, behind]
  again <- stToIO (forgetScratch scratch)
  unless (again == Kept NotAnArray) $ say ("forgotten twice: " ++ show again)

trimCase :: Tally -> Kind -> Int -> Int -> Age -> ([IO Bool] -> IO ()) -> IO ()
trimCase tally kind n k age check = do
  array <- make kind n
  middle <- guarded 5000 22
  fillWith (writeByteArray array) n 5
  grow age
  behind <- guarded 1100000 33
  front <- view array WordsBefore
  groupWas <- view array Blocks
  was <- blocksInUse
  outcome <- stToIO (trimOutcome array k)
  is <- blocksInUse
  note tally outcome
  size <- getSizeofMutableByteArray array
  -- A small pinned array in a block of its own looks like one that shares it.
  groupIs <- max 1 <$> view array Blocks
  let say = failure tally kind n age (TrimTo k)
      kept = holds (readByteArray array) n k 5
      wordsTo bytes = headerWords tally + (bytes + 7) `quot` 8
      counted = countedBlocks (wordsTo n + spareWords kind) - countedBlocks (front + wordsTo k)
      large = wordsTo n >= 409
  when (size /= k) $ say ("has " ++ show size ++ " bytes")
  case outcome of
    GaveBack bytes -> do
      when (bytes /= (groupWas - groupIs) * block) $ say "answers another number of bytes"
      when (exact tally && was - is /= counted) $
        say ("gave back " ++ show (was - is) ++ " blocks of " ++ show counted)
    Kept reason
      | not large -> when (reason /= Small) $ say (show reason)
      | reason == NothingLeft -> when (counted > 0) $ say "kept whole blocks"
      | otherwise -> unless (reason `elem` [CollectorRuns, HiddenRuntime]) $ say (show reason)
  aftermath tally kind n age (TrimTo k) check [kept, middle, behind]
  -- Once more: what is left of several blocks, and then no more.
  void $ stToIO (trimOutcome array 0)
  again <- stToIO (trimOutcome array 0)
  !left <- getSizeofMutableByteArray array
  when (gaveBack again || left /= 0) $ say ("a third time: " ++ show again)
