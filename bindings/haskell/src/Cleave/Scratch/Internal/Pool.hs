{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- The pool behind "Cleave.Scratch.Pool".
--
-- A pool has a bin for each pair of a capability and a size class, a stack of free arrays. Its
-- invariants, which @test\/Unit.hs@ holds it to:
--
-- [P1] An array is in one bin, once, or with one user.
-- [P2] All arrays of a bin have the size of its class; an array whose user shrunk it is not taken
-- back.
-- [P3] @held@ is the sum of the sizes in all bins, or more for the moment of a call.
-- [P4] @held@ is at most the limit at the end of each call that gives.
-- [P5] While something is in a bin, a canary is out, or a call is about to send one.
--
-- An exception between a change of a bin and that of @held@ would break P3 for good, and one before
-- a canary is out P5. So these changes are masked. They never block.
--
-- Whatever a user does to an array, it stays a live object like any other. Nothing here
-- is unsafe for the collector.
--
-- To find out about collections of the old generation, the pool watches an object of its own: it
-- lets go of this /canary/ once that is old, and the finalizer of a weak pointer to it runs after
-- the next collection of where it is. That it is old is known when the finalizers of two young
-- objects in a row have run, since GHC promotes what survives two collections.
module Cleave.Scratch.Internal.Pool
  ( Pool
  , newPool
  , defaultPool
  , limit
  , setLimit
  , heldBytes
  , emptyPool
  , dropIdle
  , takeArray
  , giveArray
  , foreignPtrOf
  ) where

import Cleave.Scratch.Internal.SizeClass
import Control.Concurrent (getNumCapabilities, myThreadId, threadCapability)
import Control.Exception (mask_)
import Control.Monad (forM_, unless, void, when)
import Control.Monad.Primitive (RealWorld)
import Data.Bits ((.&.))
import Data.IORef
import Data.Primitive.Array
import Data.Primitive.ByteArray
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.Ptr (ptrToIntPtr)
import GHC.Conc (getNumProcessors)
import GHC.Exts
  ( Int (I#)
  , byteArrayContents#
  , casIntArray#
  , fetchAddIntArray#
  , isTrue#
  , unsafeCoerce#
  , (==#)
  )
import GHC.ForeignPtr (ForeignPtr (ForeignPtr), ForeignPtrContents (PlainPtr))
import GHC.IO (IO (IO))
import System.IO.Unsafe (unsafePerformIO)

-- | Free arrays of one capability and one size class.
data Bin
  = Bin
      -- How many there are.
      !Int
      -- The fewest since idle ones were dropped last: so many were not needed meanwhile.
      !Int
      -- The one that was given last comes first.
      [MutableByteArray RealWorld]

-- | A pool of large arrays.
data Pool = Pool
  { poolColumns :: !Int
  -- ^ How many capabilities have bins of their own.
  , poolBins :: !(Array (IORef Bin))
  -- ^ The bin of a capability and a class at @column * classes + class@.
  , poolWords :: !(MutableByteArray RealWorld)
  -- ^ The numbers below.
  , poolCanary :: !(IORef (Maybe (IORef ())))
  -- ^ What the pool waits to see collected.
  }

-- Places in 'poolWords': bytes in the bins, the most that may be there, and 1 while a canary is
-- out. They are changed by atomic operations, each of which is a full barrier in GHC; none of them
-- publishes an array, that is what the bins' atomic modification does.
heldAt, limitAt, watchedAt :: Int
heldAt = 0
limitAt = 1
watchedAt = 2

-- | A new pool that keeps at most so many bytes.
newPool :: Int -> IO Pool
newPool most = do
  capabilities <- getNumCapabilities
  processors <- getNumProcessors
  let columns = max capabilities processors
      bins = columns * classes
  array <- newArray bins (error "Cleave.Scratch.Pool: no bin")
  forM_ [0 .. bins - 1] $ \i -> newIORef (Bin 0 0 []) >>= writeArray array i
  frozen <- unsafeFreezeArray array
  numbers <- newByteArray 24
  writeByteArray numbers heldAt (0 :: Int)
  writeByteArray numbers limitAt most
  writeByteArray numbers watchedAt (0 :: Int)
  canary <- newIORef Nothing
  pure (Pool columns frozen numbers canary)

-- | The pool that the whole program shares. It keeps at most 64 MiB unless 'setLimit' says
-- otherwise.
defaultPool :: Pool
defaultPool = unsafePerformIO (newPool (64 * 1024 * 1024))
{-# NOINLINE defaultPool #-}

-- | The most bytes that the pool keeps; what is in use does not count.
limit :: Pool -> IO Int
limit pool = readByteArray (poolWords pool) limitAt

-- | Sets 'limit'. What the pool keeps already, it keeps.
setLimit :: Pool -> Int -> IO ()
setLimit pool = writeByteArray (poolWords pool) limitAt

-- | How many bytes the pool keeps now.
heldBytes :: Pool -> IO Int
heldBytes pool = readByteArray (poolWords pool) heldAt

-- | Adds to 'heldAt' and returns the sum.
addHeld :: Pool -> Int -> IO Int
addHeld pool d@(I# d#) = case poolWords pool of
  MutableByteArray numbers -> IO $ \s -> case heldAt of
    I# at -> case fetchAddIntArray# numbers at d# s of (# s', old #) -> (# s', I# old + d #)

-- | An array of at least so many bytes, from the pool if it has one. It holds what its last user
-- left. Whoever takes an array and does not give it back leaves it to the collector.
--
-- Cost: O(1); O(capabilities) if there is none, and then that of a new array.
--
-- Throws 'Control.Exception.ErrorCall' when the number is negative.
takeArray :: Pool -> Int -> IO (MutableByteArray RealWorld)
takeArray pool n
  | n < 0 = errorWithoutStackTrace ("Cleave.Scratch.Pool: an array of " ++ show n ++ " bytes")
  | n < leastPooled || n > mostPooled = newAlignedPinnedByteArray n alignment
  | otherwise = do
      let !c = classFor n
          size = sizeOfClass c
      found <- mask_ $ do
        column <- ownColumn pool
        found <- search c column (poolColumns pool)
        case found of
          Just _ -> found <$ addHeld pool (negate size)
          Nothing -> pure Nothing
      case found of
        Just array -> pure array
        Nothing -> newAlignedPinnedByteArray size alignment
  where
    -- The own bin first, then those of others.
    search :: SizeClass -> Int -> Int -> IO (Maybe (MutableByteArray RealWorld))
    search _ _ 0 = pure Nothing
    search c column left = do
      found <- pop (binAt pool column c)
      case found of
        Nothing -> search c (if column == 0 then poolColumns pool - 1 else column - 1) (left - 1)
        _ -> pure found
{-# NOINLINE takeArray #-}

-- | That of a cache line, and what vector instructions want.
alignment :: Int
alignment = 64

pop :: IORef Bin -> IO (Maybe (MutableByteArray RealWorld))
pop bin = do
  -- A look first, since most searches end at an empty bin.
  Bin n _ _ <- readIORef bin
  if n == 0
    then pure Nothing
    else atomicModifyIORef' bin $ \b -> case b of
      Bin count least (array : rest) -> (Bin (count - 1) (min least (count - 1)) rest, Just array)
      Bin _ _ [] -> (b, Nothing)

-- | Gives an array back that 'takeArray' made, or any other. The pool keeps it if it has one of its
-- sizes, is pinned at a multiple of 64 and there is room below the limit; otherwise it is left to
-- the collector.
--
-- Cost: O(1).
--
-- Requires: nobody uses the array any more, and it is given once. Given twice, it would have two
-- users.
giveArray :: Pool -> MutableByteArray RealWorld -> IO ()
giveArray pool array = do
  size <- getSizeofMutableByteArray array
  case classOf size of
    Just c | isAligned array -> mask_ $ do
      held <- addHeld pool size
      most <- limit pool
      if held > most
        then void (addHeld pool (negate size))
        else do
          column <- ownColumn pool
          atomicModifyIORef' (binAt pool column c) $ \(Bin count least arrays) ->
            (Bin (count + 1) least (array : arrays), ())
          watch pool
    _ -> pure ()
{-# NOINLINE giveArray #-}

-- | Whether it is pinned, and where 'takeArray' promises an array to be.
isAligned :: MutableByteArray RealWorld -> Bool
isAligned array =
  isMutableByteArrayPinned array
    && ptrToIntPtr (mutableByteArrayContents array) .&. fromIntegral (alignment - 1) == 0

binAt :: Pool -> Int -> SizeClass -> IORef Bin
binAt pool column c = indexArray (poolBins pool) (column * classes + c)

-- | The column of the capability that this thread is on. It may move at any time, which costs
-- no more than meeting another thread.
ownColumn :: Pool -> IO Int
ownColumn pool = do
  (capability, _) <- myThreadId >>= threadCapability
  pure (if capability < poolColumns pool then capability else capability `rem` poolColumns pool)

-- | Leaves all that the pool keeps to the collector.
emptyPool :: Pool -> IO ()
emptyPool = dropFromBins (\count _ -> count)

-- | Leaves to the collector what was not needed since this was done last. The pool does it
-- by itself after each collection of the old generation.
dropIdle :: Pool -> IO ()
dropIdle = dropFromBins (\_ least -> least)

-- | Drops so many arrays of each bin, those that were given first, as the function makes of its
-- count and its least count.
dropFromBins :: (Int -> Int -> Int) -> Pool -> IO ()
dropFromBins number pool =
  forM_ [0 .. poolColumns pool - 1] $ \column -> forM_ [0 .. classes - 1] $ \c -> do
    let bin = binAt pool column c
    Bin n _ _ <- readIORef bin
    unless (n == 0) $ mask_ $ do
      dropped <- atomicModifyIORef' bin $ \(Bin count least arrays) ->
        let gone = number count least
            left = count - gone
            -- Forced, so that the bin does not hold the dropped ones by a thunk.
            !kept = firstOf left arrays
         in (Bin left left kept, gone)
      void (addHeld pool (negate (dropped * sizeOfClass c)))

-- | 'take', all of it at once.
firstOf :: Int -> [a] -> [a]
firstOf n (x : xs) | n > 0 = let !rest = firstOf (n - 1) xs in x : rest
firstOf _ _ = []

-- ---- collections of the old generation

-- | Sends a canary out unless there is one. A pool that keeps nothing has none.
watch :: Pool -> IO ()
watch pool = do
  watched <- readByteArray (poolWords pool) watchedAt
  when (watched == (0 :: Int)) $ do
    first <- swapWatched pool 0 1
    when first (sendCanary pool)

-- | Whether the word was the first number, and is the second now.
swapWatched :: Pool -> Int -> Int -> IO Bool
swapWatched pool (I# old) (I# new) = case poolWords pool of
  MutableByteArray numbers -> IO $ \s -> case watchedAt of
    I# at -> case casIntArray# numbers at old new s of
      (# s', found #) -> (# s', isTrue# (found ==# old) #)

-- | The finalizers refer to the pool, so that one that is dropped by the program lives on; but only
-- until it is empty, which is after two collections, since nobody needs what is in it.
sendCanary :: Pool -> IO ()
sendCanary pool = do
  canary <- newIORef ()
  void $ mkWeakIORef canary (canaryDied pool)
  writeIORef (poolCanary pool) (Just canary)
  letGoAfter pool 2

-- | Lets go of the canary when so many collections have passed.
letGoAfter :: Pool -> Int -> IO ()
letGoAfter pool 0 = writeIORef (poolCanary pool) Nothing
letGoAfter pool n = do
  young <- newIORef ()
  void $ mkWeakIORef young (letGoAfter pool (n - 1))

canaryDied :: Pool -> IO ()
canaryDied pool = do
  dropIdle pool
  held <- heldBytes pool
  if held > 0
    then sendCanary pool
    else do
      _ <- swapWatched pool 1 0
      -- Who gave an array since the look at `held` found a canary out, perhaps.
      now <- heldBytes pool
      when (now > 0) (watch pool)

-- | The bytes of a pinned array.
foreignPtrOf :: MutableByteArray RealWorld -> ForeignPtr a
foreignPtrOf (MutableByteArray array) =
  ForeignPtr (byteArrayContents# (unsafeCoerce# array)) (PlainPtr array)
