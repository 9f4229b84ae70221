{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What the safe layers promise, on any GHC: the pool, its forms for byte strings and vectors,
-- and trim.
module Main (main) where

import Cleave.Scratch.Pool
import Cleave.Scratch.Pool.ByteString
import Cleave.Scratch.Pool.Vector
import Cleave.Scratch.Runtime
import Cleave.Scratch.Trim
import Control.Concurrent
import Control.Exception
import Control.Monad
import Control.Monad.ST (RealWorld, ST, runST, stToIO)
import qualified Data.ByteString as B
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Internal as BI
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.List (foldl')
import Data.Primitive.ByteArray
import qualified Data.Vector.Storable.Mutable as M
import Data.Word (Word8)
import Foreign.Ptr (Ptr, ptrToWordPtr)
import Foreign.Storable (pokeElemOff)
import GHC.Exts (Weak#, deRefWeak#, isTrue#, mkWeakNoFinalizer#, (==#))
import GHC.IO (IO (IO))
import System.Mem (performMajorGC)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Small, again, total)

type Array = MutableByteArray RealWorld

main :: IO ()
main = defaultMain $ testGroup "cleave-scratch" [poolTests, collectionTests, formTests, trimTests]

-- | A size that is pooled.
newtype Size = Size Int deriving (Show)

instance Arbitrary Size where
  arbitrary = Size <$> oneof [choose (4000, 70000), choose (70000, 3000000)]
  shrink (Size n) = [Size m | m <- shrink n, m >= 4000]

same :: Array -> Array -> Bool
same = sameMutableByteArray

throwsError :: IO a -> IO Bool
throwsError act = do
  result <- try (act >>= evaluate)
  pure $ case result of
    Left (ErrorCall _) -> True
    Right _ -> False

-- ---- the pool

poolTests :: TestTree
poolTests =
  testGroup
    "Pool"
    [ testProperty "gives what was asked for and wastes less than a quarter" $ \(Size n) ->
        ioProperty $ do
          pool <- newPool 0
          size <- takeArray pool n >>= getSizeofMutableByteArray
          pure $ counterexample (show size) (size >= n && size < max 4097 (n + (n + 3) `div` 4))
    , testProperty "hands out again what it was given, for any size of its class" $ \(Size n) ->
        ioProperty $ do
          pool <- newPool maxBound
          array <- takeArray pool n
          size <- getSizeofMutableByteArray array
          giveArray pool array
          again <- takeArray pool size
          pure (same array again)
    , testProperty "does what its model does" modelled
    , testCase "never keeps more than its limit" $ do
        pool <- newPool 1000000
        arrays <- replicateM 20 (takeArray pool 100000)
        forM_ arrays $ \array -> do
          giveArray pool array
          held <- heldBytes pool
          most <- limit pool
          assertBool (show held) (held <= most)
        held <- heldBytes pool
        assertBool "and nearly as much" (held > 850000)
    , testCase "obeys a limit that was set" $ do
        pool <- newPool 1000000
        setLimit pool 0
        takeArray pool 100000 >>= giveArray pool
        heldBytes pool >>= (@?= 0)
    , testCase "does not take back an array that was shrunk" $ do
        pool <- newPool maxBound
        array <- takeArray pool 100000
        shrinkMutableByteArray array 90000
        giveArray pool array
        heldBytes pool >>= (@?= 0)
    , testCase "does not keep small arrays" $ do
        pool <- newPool maxBound
        takeArray pool 3000 >>= giveArray pool
        heldBytes pool >>= (@?= 0)
    , testCase "aligns to 64 bytes" $ forM_ [1, 3000, 5000, 100000, 2000000] $ \n -> do
        address <- withScratchPtr n (\(p :: Ptr Word8) -> pure (ptrToWordPtr p))
        address `mod` 64 @?= 0
    , testCase "refuses a negative size" $ do
        refused <- throwsError (withScratchIO (-1) (const (pure ())))
        assertBool "no error" refused
    , testCase "leaves an array to the collector after an exception" $ do
        pool <- newPool maxBound
        _ <- throwsError (withScratchIOFrom pool 100000 (\_ -> throwIO (ErrorCall "stop") :: IO ()))
        heldBytes pool >>= (@?= 0)
    , testCase "counts right after calls that were interrupted" interrupted
    , testCase "counts right after several threads evaluated the same" evaluatedTwice
    , testCase "takes no array that is not aligned as its own are" $ do
        pool <- newPool maxBound
        -- Of a large array without alignment, the header is at the start of a block.
        mapM_ (giveArray pool) =<< sequence [newByteArray 8192, newPinnedByteArray 8192]
        heldBytes pool >>= (@?= 0)
    , testCase "keeps what was needed since idle arrays were dropped last" $ do
        pool <- newPool maxBound
        arrays <- replicateM 5 (takeArray pool 4096)
        mapM_ (giveArray pool) arrays
        dropIdle pool
        -- Two of the five are needed now.
        needed <- replicateM 2 (takeArray pool 4096)
        mapM_ (giveArray pool) needed
        dropIdle pool
        heldBytes pool >>= (@?= 2 * 4096)
        dropIdle pool
        heldBytes pool >>= (@?= 0)
    , testCase "is empty when it was emptied" $ do
        pool <- newPool maxBound
        array <- takeArray pool 100000
        giveArray pool array
        emptyPool pool
        heldBytes pool >>= (@?= 0)
        again <- takeArray pool 100000
        assertBool "handed out after all" (not (same array again))
    , testCase "gives threads arrays of their own" threads
    ]

data Step = Take Int | Give Int
  deriving (Show)

instance Arbitrary Step where
  arbitrary = oneof [(\(Size n) -> Take n) <$> arbitrary, Give <$> choose (0, 100)]

-- The model: which arrays are out, and which are in. An array that is handed out comes from those
-- that are in, or is new; what is held is their sizes.
modelled :: [Step] -> Property
modelled steps = ioProperty $ do
  pool <- newPool most
  run pool [] [] steps
  where
    most = 3000000 :: Int

    run :: Pool -> [Array] -> [Array] -> [Step] -> IO Property
    run _ _ _ [] = pure (property True)
    run pool out inside (Take n : rest) = do
      array <- takeArray pool n
      if any (same array) out
        then pure (counterexample "handed out twice" False)
        else check pool (array : out) (filter (not . same array) inside) rest
    run pool out inside (Give i : rest)
      | null out = run pool out inside rest
      | otherwise = do
          let array = out !! (i `mod` length out)
              out' = filter (not . same array) out
          size <- getSizeofMutableByteArray array
          held <- total inside
          giveArray pool array
          check pool out' (if held + size <= most then array : inside else inside) rest

    check pool out inside rest = do
      held <- heldBytes pool
      due <- total inside
      if held /= due
        then pure (counterexample (show held ++ " held, not " ++ show due) False)
        else run pool out inside rest

    total arrays = sum <$> mapM getSizeofMutableByteArray arrays

threads :: Assertion
threads = do
  pool <- newPool 10000000
  results <- forM [1 .. 4 :: Int] $ \me -> do
    done <- newEmptyMVar
    _ <- forkFinally (worker pool me) (putMVar done)
    pure done
  outcomes <- mapM takeMVar results
  forM_ outcomes $ \outcome -> case outcome of
    Left e -> assertFailure (show e)
    Right ok -> assertBool "another thread wrote into the array" ok
  where
    worker pool me = fmap and $ forM [1 .. 500 :: Int] $ \i -> do
      let n = 4000 + (i * 7919 + me) `mod` 50000
      withScratchIOFrom pool n $ \array -> do
        let places = [0, n `div` 16, n `div` 8 - 1]
        forM_ places $ \k -> writeByteArray array k (me * 1000 + i)
        yield
        and <$> mapM (fmap (== me * 1000 + i) . readByteArray array) places

-- | Exceptions from another thread, at any point of taking and giving.
interrupted :: Assertion
interrupted = do
  pool <- newPool maxBound
  end <- newEmptyMVar
  stop <- newIORef False
  thread <- mask_ $ forkIOWithUnmask $ \unmask -> do
    let untilStopped = do
          result <- try (unmask (forever (withScratchIOFrom pool 5000 (const (pure ())))))
          stopped <- readIORef stop
          case result :: Either ErrorCall () of
            Left _ | not stopped -> untilStopped
            _ -> putMVar end ()
    untilStopped
  forM_ [1 .. 60 :: Int] $ \_ -> throwTo thread (ErrorCall "stop") >> yield
  writeIORef stop True
  throwTo thread (ErrorCall "stop")
  takeMVar end
  emptyPool pool
  heldBytes pool >>= (@?= 0)
  -- And it still hears of collections.
  takeArray pool 5000 >>= giveArray pool
  collectUntil ((== 0) <$> heldBytes pool)

-- | With several capabilities, GHC stops all but one of the threads that evaluate one thunk, in the
-- midst of what they do.
evaluatedTwice :: Assertion
evaluatedTwice = do
  pool <- newPool maxBound
  forM_ [1 .. 150] $ \k -> do
    let counts = map (countInScratch pool 3000) [k .. k + 19]
    ends <- forM [0 .. 3] $ \on -> do
      end <- newEmptyMVar
      _ <- forkOn on (mapM_ evaluate counts >> putMVar end ())
      pure end
    mapM_ takeMVar ends
    counts @?= map (+ 3000) [k .. k + 19]
  emptyPool pool
  heldBytes pool >>= (@?= 0)

-- | The sum, by so many arrays.
countInScratch :: Pool -> Int -> Int -> Int
countInScratch pool times start = runST (go times start)
  where
    go :: Int -> Int -> ST s Int
    go 0 x = pure x
    go k x = do
      y <- withScratchFrom pool 5000 (\array -> writeByteArray array 0 x >> readByteArray array 0)
      go (k - 1) $! y + 1
{-# NOINLINE countInScratch #-}

-- ---- the pool and the collector

collectionTests :: TestTree
collectionTests =
  testGroup
    "Pool and collector"
    [ testCase "an idle pool gets empty by itself" $ do
        pool <- newPool maxBound
        arrays <- replicateM 5 (takeArray pool 100000)
        mapM_ (giveArray pool) arrays
        collectUntil ((== 0) <$> heldBytes pool)
        -- And again: what was once noticed must not have worn out.
        takeArray pool 100000 >>= giveArray pool
        collectUntil ((== 0) <$> heldBytes pool)
    , testCase "a pool in use keeps what it needs" $ do
        pool <- newPool maxBound
        first <- takeArray pool 100000
        giveArray pool first
        forM_ [1 .. 30 :: Int] $ \_ -> do
          performMajorGC
          yield
          array <- takeArray pool 100000
          assertBool "it was dropped" (same array first)
          giveArray pool array
    , testCase "a pool that nobody has is collected with its arrays" $ do
        dead <- abandonedPool
        collectUntil dead
    ]

-- | Whether the contents of a pool that is dropped are gone.
abandonedPool :: IO (IO Bool)
abandonedPool = do
  pool <- newPool maxBound
  array <- takeArray pool 100000
  watch <- watchOn array
  giveArray pool array
  pure (isDead watch)
{-# NOINLINE abandonedPool #-}

-- | A weak pointer to the array itself, since boxes come and go.
data Watch = Watch (Weak# ())

watchOn :: Array -> IO Watch
watchOn (MutableByteArray array) = IO $ \s -> case mkWeakNoFinalizer# array () s of
  (# s', weak #) -> (# s', Watch weak #)

isDead :: Watch -> IO Bool
isDead (Watch weak) = IO $ \s -> case deRefWeak# weak s of
  (# s', alive, _ #) -> (# s', isTrue# (alive ==# 0#) #)

-- | Collects until it is so; finalizers run in threads of their own after a collection.
collectUntil :: IO Bool -> Assertion
collectUntil isSo = go (2000 :: Int)
  where
    go 0 = assertFailure "not after 2000 collections"
    go n = do
      performMajorGC
      threadDelay 100
      ok <- isSo
      unless ok $ go (n - 1)

-- ---- forms

formTests :: TestTree
formTests =
  testGroup
    "Forms"
    [ testCase "withScratch gives its result" $
        runST
          ( withScratch 1000000 $ \array -> do
              writeByteArray array 0 (42 :: Int)
              readByteArray array 0
          )
          @?= (42 :: Int)
    , testCase "scratch arrays inside each other are different ones" $ do
        x <- withScratchIO 50000 $ \outer -> withScratchIO 50000 $ \inner -> do
          writeByteArray outer 7 (1 :: Int)
          writeByteArray inner 7 (2 :: Int)
          readByteArray outer 7
        x @?= (1 :: Int)
    , testProperty "a vector has the length that was asked for" $ \(NonNegative n) ->
        runST (withScratchVector n (\v -> M.set v (7 :: Double) >> pure (M.length v))) === n
    , testCase "a vector too large for memory is refused" $ do
        refused <- throwsError (stToIO (withScratchVector maxBound (pure . lengthOfDoubles)))
        assertBool "no error" refused
    , testCase "a negative vector is refused" $ do
        -- Also where the number of bytes overflows to what is not negative.
        forM_ [-1, minBound, minBound `quot` 4, minBound `quot` 4 + 1] $ \n -> do
          refused <- throwsError (stToIO (withScratchVector n (pure . lengthOfDoubles)))
          assertBool ("no error: " ++ show n) refused
        refused <- throwsError (stToIO (withScratchVector (-1) (pure . lengthOfUnits)))
        assertBool "no error" refused
    , testProperty "createInScratch copies what counts" $ \(Size n) (NonNegative m) ->
        let used = m `mod` (n + 1)
         in ioProperty $ do
              string <- createInScratch n (fillTo used)
              pure (string === expected used)
    , testCase "createInScratch refuses more than there is" $ do
        refused <- throwsError (createInScratch 5000 (const (pure 5001)))
        assertBool "no error" refused
    , testProperty "buildInScratch is a strict lazy byte string" $ \(pieces :: [Int]) ->
        ioProperty $ do
          let builder = foldMap piece pieces
          string <- buildInScratch builder
          pure (string === L.toStrict (B.toLazyByteString builder))
    ]
  where
    lengthOfDoubles :: M.MVector s Double -> Int
    lengthOfDoubles = M.length
    lengthOfUnits :: M.MVector s () -> Int
    lengthOfUnits = M.length

-- | Small pieces, strings that are copied and those that are inserted as chunks.
piece :: Int -> B.Builder
piece k = case k `mod` 4 of
  0 -> B.intDec k
  1 -> B.byteString (B.replicate (abs k * 100 `mod` 3000) 1)
  2 -> B.byteString (B.replicate (abs k * 1000 `mod` 90000) 2)
  _ -> B.lazyByteString (L.replicate (fromIntegral (abs k * 999 `mod` 200000)) 3)

byteAt :: Int -> Word8
byteAt i = fromIntegral (i * 31 + i `div` 251)

fillTo :: Int -> Ptr Word8 -> IO Int
fillTo used p = used <$ forM_ [0 .. used - 1] (\i -> pokeElemOff p i (byteAt i))

expected :: Int -> B.ByteString
expected used = BI.unsafeCreate used (void . fillTo used)

-- ---- trim

trimTests :: TestTree
trimTests =
  testGroup
    "Trim"
    [ testProperty "keeps the first bytes and has the new size" $ \(Size n) (NonNegative m) ->
        let k = m `mod` (n + 1)
         in ioProperty $ do
              array <- newByteArray n
              forM_ [0 .. n - 1] $ \i -> writeByteArray array i (byteAt i)
              _ <- stToIO (trim array k)
              size <- getSizeofMutableByteArray array
              ok <- and <$> mapM (\i -> (== byteAt i) <$> readByteArray array i) [0, 97 .. k - 1]
              pure (size === k .&&. property ok)
    , testCase "says whether memory went back" $ do
        able <- support
        array <- newByteArray 1000000
        large <- stToIO (trim array 10)
        large @?= (able == Nothing)
        again <- stToIO (trim array 9)
        again @?= False
        getSizeofMutableByteArray array >>= (@?= 9)
    , testCase "says why it did not" $ do
        small <- newByteArray 100
        stToIO (trimOutcome small 50) >>= (@?= Kept Small)
        able <- support
        array <- newByteArray 100000
        outcome <- stToIO (trimOutcome array 99000)
        outcome @?= Kept (maybe NothingLeft id able)
    , testCase "refuses sizes that the array does not have" $ forM_ [-1, 100001] $ \k -> do
        array <- newByteArray 100000
        refused <- throwsError (stToIO (trim array k))
        assertBool "no error" refused
        getSizeofMutableByteArray array >>= (@?= 100000)
    , testCase "works with what is there in every thread" $ do
        done <- forM [1 .. 4 :: Int] $ \_ -> do
          end <- newEmptyMVar
          _ <- forkIO $ do
            forM_ [1 .. 200] $ \i -> do
              array <- newByteArray (100000 + i * 1000)
              stToIO (trim array (i * 100))
            putMVar end ()
          pure end
        mapM_ takeMVar done
    , testProperty "createAndTrim makes the string that was written" $ \(Size n) (NonNegative m) ->
        let used = m `mod` (n + 1)
         in ioProperty $ do
              string <- createAndTrim n (fillTo used)
              performMajorGC
              pure (string === expected used)
    , testCase "createAndTrim makes small and empty strings too" $
        forM_ [(0, 0), (10, 0), (10, 3), (10, 10), (5000, 1)] $ \(n, used) -> do
          string <- createAndTrim n (fillTo used)
          string @?= expected used
    , testCase "createAndTrim refuses more than there is, and less than nothing" $
        forM_ [5001, -1] $ \used -> do
          refused <- throwsError (createAndTrim 5000 (const (pure used)))
          assertBool "no error" refused
    , testCase "createAndTrimWith gives the other result" $ do
        (string, x) <- createAndTrimWith 100000 (\p -> (\k -> (k, 'x')) <$> fillTo 50000 p)
        (B.length string, foldl' (+) 0 (B.unpack string), x)
          @?= (50000, foldl' (+) 0 (B.unpack (expected 50000)), 'x')
    ]
