-- | What giving memory back changes in the runtime, and the handle of the unsafe layer.
module Main (main) where

import Cleave.Scratch.Forget.Unsafe
import Cleave.Scratch.Trim (trim, trimOutcome)
import Control.Concurrent
import Control.Exception
import Control.Monad
import Control.Monad.ST (RealWorld, runST, stToIO)
import Data.IORef
import Data.Primitive.ByteArray
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)
import GHC.Stats (RTSStats (gcs), getRTSStats)
import Inspect
import System.Mem (performMajorGC, performMinorGC)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit

main :: IO ()
main = defaultMain $ testGroup "early release" [memoryTests, scratchTests, reachTests]

collectionsOf :: IO a -> IO Int
collectionsOf act = do
  before <- getRTSStats
  _ <- act
  after <- getRTSStats
  pure (fromIntegral (gcs after - gcs before))

memoryTests :: TestTree
memoryTests =
  testGroup
    "Memory"
    [ testCase "a gigabyte trimmed to one word is free at once" $ do
        before <- blocksInUse
        array <- newByteArray gigabyte
        writeByteArray array 0 (42 :: Int)
        _ <- stToIO (trim array 8)
        after <- blocksInUse
        -- A collection may come between, whose blocks are a few.
        assertBool (show (after - before)) (after - before < 300)
        readByteArray array 0 >>= (@?= (42 :: Int))
    , testCase "trim gives back all blocks but the first" $ do
        array <- newByteArray 1000000
        -- A million bytes and the header take 245 blocks of 4096 bytes.
        stToIO (trimOutcome array 1000) >>= (@?= GaveBack (244 * 4096))
        stToIO (trimOutcome array 900) >>= (@?= Kept Small)
    , testCase "a gigabyte is used again, not added" $ do
        before <- blocksInUse
        forM_ [1 .. 100 :: Int] $ \_ -> do
          scratch <- stToIO (newScratch gigabyte)
          outcome <- stToIO (forgetScratch scratch)
          assertBool (show outcome) (gaveBack outcome)
        after <- blocksInUse
        assertBool (show (after - before)) (after - before < 300)
    , testCase "arrays that are forgotten bring no collection about" $ do
        kept <- collectionsOf (replicateM_ 2000 (newByteArray 1000000 >>= touch))
        forgotten <- collectionsOf $ replicateM_ 2000 $ do
          scratch <- stToIO (newScratch 1000000)
          stToIO (writeScratch scratch 0 'x')
          stToIO (forgetScratch scratch)
        assertBool (show (kept, forgotten)) (kept >= 500 && forgotten <= 2)
    ]
  where
    gigabyte = 1024 * 1024 * 1024
    touch :: MutableByteArray RealWorld -> IO ()
    touch array = writeByteArray array 0 'x'

fails :: IO a -> IO Bool
fails act = either (\(ErrorCall _) -> True) (const False) <$> try (act >>= evaluate)

scratchTests :: TestTree
scratchTests =
  testGroup
    "Scratch"
    [ testCase "holds what was written" $ do
        let xs = runST $ do
              scratch <- newScratch 100000
              forM_ [0 .. 99] $ \i -> writeScratch scratch i (i * i)
              forM [0 .. 99] (readScratch scratch)
        xs @?= [i * i | i <- [0 .. 99 :: Int]]
    , testCase "has no element outside" $ do
        scratch <- stToIO (newScratch 100004)
        forM_ [-1, 12500, maxBound] $ \i -> do
          bad <- fails (stToIO (readScratch scratch i) :: IO Int)
          assertBool ("read " ++ show i) bad
          bad' <- fails (stToIO (writeScratch scratch i (1 :: Int)))
          assertBool ("written " ++ show i) bad'
    , testCase "is forgotten once, and empty then" $ do
        scratch <- stToIO (newScratch 100000)
        first <- stToIO (forgetScratch scratch)
        assertBool (show first) (gaveBack first)
        stToIO (forgetScratch scratch) >>= (@?= Kept NotAnArray)
        stToIO (sizeofScratch scratch) >>= (@?= 0)
        bad <- fails (stToIO (readScratch scratch 0) :: IO Int)
        assertBool "read from nothing" bad
    , testCase "says that a small array is small" $ do
        scratch <- stToIO (newScratch 100)
        stToIO (forgetScratch scratch) >>= (@?= Kept Small)
    , testCase "has an aligned address" $ do
        scratch <- stToIO (newAlignedScratch 100000 64)
        stToIO (writeScratch scratch 1 'x')
        words_ <- scratchView scratch WordsBefore
        assertBool (show words_) (words_ `elem` [0 .. 7])
        _ <- withScratchPtr scratch pure
        void (stToIO (forgetScratch scratch))
    , testCase "lives while its address is in use, also by an action without end" $ do
        scratch <- stToIO (newScratch 100000)
        stToIO (writeScratch scratch 0 (42 :: Int))
        looks <- newIORef 0
        wrong <- newIORef 0
        end <- newEmptyMVar
        thread <- forkFinally (withScratchPtr scratch (lookOn looks wrong)) (const (putMVar end ()))
        until_ ((> 100) <$> readIORef looks)
        killThread thread
        takeMVar end
        readIORef wrong >>= (@?= 0)
    , testCase "withForgottenScratch gives its result" $
        runST (withForgottenScratch 100000 (\s -> writeScratch s 3 'x' >> readScratch s 3)) @?= 'x'
    , testCase "is left to the collector by an exception" $ do
        before <- blocksInUse
        forM_ [1 .. 20 :: Int] $ \_ -> do
          bad <- fails (stToIO (withForgottenScratch 1000000 stop))
          assertBool "no exception" bad
        performMajorGC
        after <- blocksInUse
        assertBool (show (after - before)) (after - before < 300)
        audit >>= (@?= 0)
    , testCase "an alignment is refused that is none, or reaches over a block" $
        forM_ [0, 3, -1, -64, 8192, minBound] $ \alignment -> do
          bad <- fails (stToIO (newAlignedScratch 100000 alignment))
          assertBool ("made: " ++ show alignment) bad
    , testCase "a negative size is refused" $ do
        bad <- fails (stToIO (newScratch (-1)))
        assertBool "made" bad
    ]
  where
    stop _ = error "stop" >> pure ()

until_ :: IO Bool -> IO ()
until_ isSo = isSo >>= \so -> unless so (yield >> until_ isSo)

-- | Looks at the address for ever, between collections and arrays that would take its place. Counts
-- the looks, and the wrong ones.
lookOn :: IORef Int -> IORef Int -> Ptr Int -> IO ()
lookOn looks wrong p = forever $ do
  performMajorGC
  replicateM_ 20 $ do
    other <- newByteArray 100000
    setByteArray other 0 12500 (7 :: Int)
  x <- peek p
  when (x /= 42) $ modifyIORef' wrong (+ 1)
  modifyIORef' looks (+ 1)

reachTests :: TestTree
reachTests =
  testGroup
    "wouldDangle"
    [ testCase "sees nothing where there is nothing" $ do
        reach <- fresh
        reach @?= Unreached
    , testCase "sees a live reference" $ do
        box <- newIORef Nothing
        reach <- parked box
        reach @?= Reached
        still <- readIORef box
        maybe (assertFailure "gone") (void . getSizeofMutableByteArray) still
    , testCase "sees a dead old reference" $ do
        box <- newIORef Nothing
        performMajorGC
        performMajorGC
        reach <- parked box
        reach @?= Reached
    , testCase "does not know of dead references to an old array" $ do
        reach <- aged 100000
        reach @?= Unknown
    , testCase "fears nothing for a small array, which would be kept" $ do
        reach <- aged 100
        reach @?= Unreached
    ]

fresh :: IO Reach
fresh = newByteArray 100000 >>= wouldDangle

aged :: Int -> IO Reach
aged n = do
  array <- newByteArray n
  replicateM_ 3 performMinorGC
  wouldDangle array
{-# NOINLINE fresh #-}
{-# NOINLINE aged #-}

parked :: IORef (Maybe (MutableByteArray RealWorld)) -> IO Reach
parked box = do
  array <- newByteArray 100000
  writeIORef box (Just array)
  wouldDangle array
{-# NOINLINE parked #-}
