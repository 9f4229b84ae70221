{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- | Random steps of several threads on arrays of all kinds: made, looked at, trimmed, forgotten,
-- handed over, disposed of twice, left by an exception, beside small objects and collections. Each
-- array has a pattern that is checked before and after what is done to it.
--
-- usage: stress [STEPS WORKERS SEED [async]] [+RTS any options]
--
-- With @async@ a further thread throws exceptions into the workers. STEPS is for each worker;
-- without arguments it is 2000 for each of two.
module Main (main) where

import Cleave.Scratch.Forget.Unsafe
import Cleave.Scratch.Pool (newPool, withScratchIOFrom)
import qualified Cleave.Scratch.Pool as Pool
import Cleave.Scratch.Trim (trimOutcome)
import Control.Concurrent
import Control.Exception
import Control.Monad
import Control.Monad.ST (RealWorld, stToIO)
import Data.Bits (shiftL, shiftR, xor, (.&.))
import Data.IORef
import qualified Data.Map.Strict as Map
import Data.Primitive.Array
import Data.Primitive.ByteArray
import Inspect
import System.Environment (getArgs)
import System.Exit (exitFailure)
import System.IO
import System.Mem (performMajorGC, performMinorGC)

-- | What a worker or the exchange holds.
data Held
  = Nothing_
  | -- | The array, the bytes it was filled with, those that are left, the seed.
    Boxed !(MutableByteArray RealWorld) !Int !Int !Int
  | -- | The handle, the bytes, the seed.
    Handle !(Scratch RealWorld) !Int !Int

data Interrupt = Interrupt deriving (Show)

instance Exception Interrupt

-- | A generator of random numbers; one for each thread.
newtype Random = Random (IORef Int)

seeded :: Int -> IO Random
seeded seed = do
  r <- Random <$> newIORef (seed * 2654435769 + 88172645463325252)
  r <$ replicateM_ 16 (below r 2)

below :: Random -> Int -> IO Int
below (Random state) n = do
  a <- readIORef state
  let b = a `xor` (a `shiftL` 13)
      c = b `xor` ((b `shiftR` 7) .&. 0x1ffffffffffffff)
      !d = c `xor` (c `shiftL` 17)
  writeIORef state d
  pure ((d .&. maxBound) `rem` n)

data Shared = Shared
  { exchange :: MVar [Held]
  , wrong :: IORef Int
  , tally :: IORef (Map.Map String Int)
  , pool :: Pool.Pool
  }

note :: Shared -> String -> IO ()
note shared what = atomicModifyIORef' (tally shared) $ \m -> (Map.insertWith (+) what 1 m, ())

noteOutcome :: Shared -> String -> Outcome -> IO ()
noteOutcome shared what outcome = note shared $ case outcome of
  GaveBack _ -> what
  Kept reason -> what ++ " (" ++ show reason ++ ")"

complain :: Shared -> String -> IO ()
complain shared what = do
  atomicModifyIORef' (wrong shared) (\n -> (n + 1, ()))
  putStrLn ("WRONG " ++ what)

-- | Mostly large arrays, up to some megabytes.
anySize :: Random -> IO Int
anySize r = do
  kind <- below r 100
  case () of
    _ | kind < 15 -> below r 3000
      | kind < 60 -> (+ 3000) <$> below r 60000
      | kind < 85 -> (+ 60000) <$> below r 700000
      | kind < 97 -> (+ 700000) <$> below r 1500000
      | otherwise -> (+ 2000000) <$> below r 5000000

newHeld :: Random -> IO Held
newHeld r = do
  n <- anySize r
  seed <- below r 1000000000
  kind <- below r 10
  if kind < 5
    then do
      array <- case kind of
        0 -> newPinnedByteArray n
        1 -> newAlignedPinnedByteArray n 64
        _ -> newByteArray n
      fillWith (writeByteArray array) n seed
      pure (Boxed array n n seed)
    else do
      scratch <- stToIO (if kind == 5 then newAlignedScratch n 64 else newScratch n)
      fillWith (\i x -> stToIO (writeScratch scratch i x)) n seed
      pure (Handle scratch n seed)

intact :: Held -> IO Bool
intact held = case held of
  Nothing_ -> pure True
  Boxed array n left seed -> do
    size <- getSizeofMutableByteArray array
    if size == left then holds (readByteArray array) n left seed else pure False
  Handle scratch n seed -> holds (stToIO . readScratch scratch) n n seed

slotsOfWorker :: Int
slotsOfWorker = 16

-- | One random step on a random slot.
step :: Shared -> Random -> MutableArray RealWorld Held -> IORef [Int] -> IO ()
step shared r slots live = do
  i <- below r slotsOfWorker
  held <- readArray slots i
  choice <- below r 1000
  let put = writeArray slots i
      look when_ = do
        ok <- intact held
        unless ok $ complain shared when_
      from a b = choice >= (a :: Int) && choice < b
  case () of
    _ | from 0 280 -> newHeld r >>= put >> note shared "made"
      | from 280 440 -> look "at rest" >> note shared "looked at"
      | from 440 620 -> look "before it went" >> mask_ (dispose held put)
      | from 620 720 -> mask_ (shorten held put)
      | from 720 770 -> usePool
      | from 770 860 -> churn
      | from 860 890 -> performMinorGC
      | from 890 894 -> performMajorGC >> note shared "major collections"
      | from 894 940 -> interrupted
      | from 940 985 -> mask_ (handOver held put)
      | otherwise -> mask_ (twice held put)
  where
    dispose, shorten, handOver, twice :: Held -> (Held -> IO ()) -> IO ()
    dispose held put = case held of
      Nothing_ -> pure ()
      Handle scratch _ _ -> do
        put Nothing_
        stToIO (forgetScratch scratch) >>= noteOutcome shared "forgotten"
      Boxed array n _ seed -> do
        outcome <- stToIO (trimOutcome array 0)
        put (Boxed array n 0 seed)
        noteOutcome shared "trimmed to nothing" outcome

    shorten held put = case held of
      Boxed array n left seed -> do
        k <- below r (left + 1)
        outcome <- stToIO (trimOutcome array k)
        put (Boxed array n k seed)
        noteOutcome shared "trimmed" outcome
      _ -> pure ()

    -- Two users at once would see each other's pattern.
    usePool = do
      n <- anySize r
      seed <- below r 1000000
      ok <- withScratchIOFrom (pool shared) n $ \array -> do
        fillWith (writeByteArray array) n seed
        yield
        holds (readByteArray array) n n seed
      unless ok $ complain shared "in the pool"
      note shared "pooled"

    churn = do
      n <- below r 4000
      old <- readIORef live
      let new = take 3000 ([1 .. n] ++ old)
      _ <- evaluate (length new)
      writeIORef live new

    interrupted = do
      n <- anySize r
      fails <- (== 0) <$> below r 2
      result <- try $ do
        scratch <- stToIO (newScratch n)
        fillWith (\j x -> stToIO (writeScratch scratch j x)) n 3
        when fails $ throwIO (ErrorCall "before the forget")
        stToIO (forgetScratch scratch)
      case result of
        Left (ErrorCall _) -> note shared "left by an exception"
        Right outcome -> noteOutcome shared "forgotten" outcome

    handOver held put = do
      waiting <- takeMVar (exchange shared)
      case waiting of
        (next : rest) | length waiting > 6 -> putMVar (exchange shared) rest >> put next
        _ -> do
          putMVar (exchange shared) (case held of Nothing_ -> waiting; _ -> waiting ++ [held])
          put Nothing_
      note shared "handed over"

    twice held put = case held of
      Handle scratch _ _ -> do
        put Nothing_
        _ <- stToIO (forgetScratch scratch)
        again <- stToIO (forgetScratch scratch)
        unless (again == Kept NotAnArray) $ complain shared ("forgotten twice: " ++ show again)
        note shared "disposed of twice"
      _ -> pure ()

worker :: Shared -> Int -> Int -> Int -> (forall a. IO a -> IO a) -> IO ()
worker shared seed steps number unmask = do
  r <- seeded (seed * 1000 + number)
  slots <- newArray slotsOfWorker Nothing_
  live <- newIORef []
  forM_ [1 .. steps] $ \(_ :: Int) -> do
    failures <- readIORef (wrong shared)
    when (failures < 20) $ do
      result <- try (unmask (step shared r slots live))
      case result of
        Left Interrupt -> note shared "interrupted"
        Right () -> pure ()
  forM_ [0 .. slotsOfWorker - 1] $ \i -> do
    ok <- readArray slots i >>= intact
    unless ok $ complain shared "at the end"

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  args <- getArgs
  (steps, workers, seed, async) <- case args of
    [] -> pure (2000, 2, 1, False)
    steps : workers : seed : more | more `elem` [[], ["async"]] ->
      pure (read steps, read workers, read seed, not (null more))
    _ -> hPutStrLn stderr "usage: stress [STEPS WORKERS SEED [async]]" >> exitFailure
  shared <- Shared <$> newMVar [] <*> newIORef 0 <*> newIORef Map.empty <*> newPool 20000000
  done <- replicateM workers newEmptyMVar
  threads <- mask_ $ forM (zip [0 ..] done) $ \(i, end) ->
    forkOnWithUnmask i $ \unmask ->
      uninterruptibly (worker shared seed steps i unmask) `finally` putMVar end ()
  disturber <- forkIO $ when async $ do
    r <- seeded (seed + 77)
    forever $ do
      pause <- below r 3000
      threadDelay (500 + pause)
      i <- below r workers
      throwTo (threads !! i) Interrupt
  mapM_ takeMVar done
  killThread disturber
  performMajorGC
  broken <- audit
  when (broken > 0) $ complain shared ("audit says " ++ show broken)
  counts <- readIORef (tally shared)
  failures <- readIORef (wrong shared)
  putStrLn $
    "stress: seed " ++ show seed ++ ", " ++ show failures ++ " failures; "
      ++ unwords [what ++ " " ++ show n ++ "," | (what, n) <- Map.toList counts]
  when (failures > 0) exitFailure
  where
    -- Outside of steps an interrupt waits, and a step is unmasked as a whole.
    uninterruptibly act = uninterruptibleMask_ act
