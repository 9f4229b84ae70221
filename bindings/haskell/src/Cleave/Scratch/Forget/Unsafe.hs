{-# LANGUAGE CPP #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Cleave.Scratch.Forget.Unsafe
-- Description : Give a whole large array back, at the risk of the program
-- License     : MIT
-- Stability   : experimental
--
-- There only with the Cabal flag @unsafe-forget@.
--
-- A large array that is forgotten is taken from the collector and its memory is used again at
-- once, as after C's @free@. Nothing else has the cost of this: no collection comes earlier
-- because of scratch arrays, and memory does not grow. And nothing else here can crash the
-- program.
--
-- = The contract
--
-- Not using the array any more is __not enough__. What is needed is:
--
-- __No object of the heap, whether alive or dead, points to the array when it is forgotten.__
--
-- The reason is that a collection of the young generation follows pointers from /dead/ objects of
-- older generations, if they were written to. Each of these is ordinary code, holds no reference
-- any more when it forgets, and crashes at a later collection:
--
-- * The array was put into an old 'Data.IORef.IORef', @MVar@ or mutable array, and that
--   was dropped without being overwritten.
-- * The array is the value of a lazy field or a top-level thunk that was evaluated after its
--   record had become old.
-- * A weak or stable pointer or a stable name refers to the array.
--
-- Also unsafe, as with any @free@: another thread still uses the array; a read of it is still to
-- be done lazily (after @unsafeFreeze@, say); foreign code still has its address; it is forgotten
-- twice; an asynchronous exception interrupted a lazy computation that holds it.
--
-- 'Scratch' is the way to use this module: it keeps the array where it cannot leave a trace by
-- accident, and lets one caller forget it, once. The raw functions are for library authors who
-- look at the Core that GHC makes of their code.
--
-- = Before you rely on it
--
-- Run the program, optimized as it is shipped, with @CLEAVE_SCRATCH_CHECK=1@. Then nothing is
-- forgotten. Instead each array is watched through a collection of the young generation, and if
-- something still reaches it, alive or dead, standard error says so with the place of the call.
-- That is slow; it finds the cases above (an array that is old already is watched through a full
-- collection, which finds living references only, and with @--nonmoving-gc@ none).
--
-- Consider "Cleave.Scratch.Pool" first: it is nearly as fast and always safe.
module Cleave.Scratch.Forget.Unsafe
  ( -- * Scratch arrays with a handle
    Scratch
  , newScratch
  , newAlignedScratch
  , withForgottenScratch
  , forgetScratch
  , sizeofScratch
  , readScratch
  , writeScratch
  , withScratchPtr
  , withScratchArray#

    -- * Raw
  , forgetLargeMutableByteArray
  , forgetLargeMutableByteArray#

    -- * For development
  , Reach (..)
  , wouldDangle

    -- * Answers
  , Outcome (..)
  , gaveBack
  , Reason (..)
  , explain
  ) where

import Cleave.Scratch.Internal.EarlyRelease
import Control.Monad (unless, when)
import Control.Monad.Primitive (PrimMonad (PrimState), unsafeIOToPrim)
import Control.Monad.ST (ST)
import Control.Monad.ST.Unsafe (unsafeIOToST)
import Data.Bits ((.&.))
import Data.Primitive.ByteArray (MutableByteArray (MutableByteArray))
import Data.Primitive.Types (Prim (readByteArray#, writeByteArray#), sizeOf)
import GHC.Exts
  ( Int (I#)
  , MutableArrayArray#
  , MutableByteArray#
  , Ptr (Ptr)
  , RealWorld
  , State#
  , Weak#
  , byteArrayContents#
  , casIntArray#
  , deRefWeak#
  , getSizeofMutableByteArray#
  , isTrue#
#if __GLASGOW_HASKELL__ >= 900
  , keepAlive#
#else
  , touch#
#endif
  , mkWeakNoFinalizer#
  , newAlignedPinnedByteArray#
  , newArrayArray#
  , newByteArray#
  , readMutableByteArrayArray#
  , runRW#
  , unsafeCoerce#
  , writeIntArray#
  , writeMutableByteArrayArray#
  , (/=#)
  )
import GHC.IO (IO (IO))
import GHC.ST (ST (ST))
import GHC.Stack (HasCallStack, callStack, prettyCallStack)
import System.IO (hPutStrLn, stderr)
import System.Mem (performMajorGC, performMinorGC)

-- | A large array that is used through this handle alone, and forgotten through it.
--
-- The array stands in a slot of the handle, unboxed. Nothing else points to it as long as only
-- functions of this module see it; to forget it empties the slot first. So a handle may be
-- kept anywhere, grow old, and be dropped anywhere. A handle that is dropped without being
-- forgotten, after an exception for instance, is collected with its array as usual.
data Scratch s
  = -- The slot, and a word that is 1 while the slot is full.
    Scratch (MutableArrayArray# s) (MutableByteArray# s)

-- | A scratch array of so many bytes. They have no defined value yet.
newScratch :: Int -> ST s (Scratch s)
newScratch n = do
  checkSize "newScratch" n
  case n of I# n# -> wrap (newByteArray# n#)
{-# INLINE newScratch #-}

-- | A pinned one, whose first byte is at a multiple of the second number, a power of two up to
-- 4096: behind the first block, GHC would not find the array again.
--
-- Throws 'Control.Exception.ErrorCall' for any other alignment.
newAlignedScratch :: Int -> Int -> ST s (Scratch s)
newAlignedScratch n alignment = do
  checkSize "newAlignedScratch" n
  unless (alignment > 0 && alignment <= 4096 && alignment .&. (alignment - 1) == 0) $
    errorWithoutStackTrace
      ("Cleave.Scratch.Forget.Unsafe.newAlignedScratch: alignment to " ++ show alignment)
  case (n, alignment) of (I# n#, I# a#) -> wrap (newAlignedPinnedByteArray# n# a#)
{-# INLINE newAlignedScratch #-}

checkSize :: String -> Int -> ST s ()
checkSize name n =
  when (n < 0) $
    errorWithoutStackTrace ("Cleave.Scratch.Forget.Unsafe." ++ name ++ ": " ++ show n ++ " bytes")

wrap :: (State# s -> (# State# s, MutableByteArray# s #)) -> ST s (Scratch s)
wrap new = ST $ \s0 -> case new s0 of
  (# s1, array #) -> case newArrayArray# 1# s1 of
    (# s2, slot #) -> case writeMutableByteArrayArray# slot 0# array s2 of
      s3 -> case newByteArray# 8# s3 of
        (# s4, full #) -> case writeIntArray# full 0# 1# s4 of
          s5 -> (# s5, Scratch slot full #)
{-# INLINE wrap #-}

-- | Runs the function on a new scratch array and forgets it afterwards. After an exception the
-- array is left to the collector.
--
-- > checksum :: ByteString -> Word32
-- > checksum input = runST $ withForgottenScratch 65536 $ \table -> do
-- >   forM_ [0 .. 16383] $ \i -> writeScratch table i (entry i)
-- >   foldTable table input
withForgottenScratch :: HasCallStack => Int -> (Scratch s -> ST s a) -> ST s a
withForgottenScratch n use = do
  scratch <- newScratch n
  result <- use scratch
  _ <- forgetScratch scratch
  pure result
{-# INLINE withForgottenScratch #-}

-- | Gives the array back, once: for all later calls, 'NotAnArray' is the reason not to. Whatever
-- the answer, the handle is empty afterwards. What could not be given back is collected as usual.
--
-- Requires: nobody is using the array; see the top of this page for what else.
forgetScratch :: HasCallStack => Scratch s -> ST s Outcome
forgetScratch (Scratch slot full) =
  -- One caller finds the word at 1. It is the only one to read the slot from then on.
  ST $ \s0 -> case casIntArray# full 0# 1# 0# s0 of
    (# s1, old #)
      | isTrue# (old /=# 1#) -> (# s1, Kept NotAnArray #)
      | otherwise -> case readMutableByteArrayArray# slot 0# s1 of
          (# s2, array #) -> case empty of
            MutableByteArray none ->
              case writeMutableByteArrayArray# slot 0# (unsafeCoerce# none) s2 of
                s3 -> case forget array of ST act -> act s3
{-# NOINLINE forgetScratch #-}

-- | What is in the slots of handles that were forgotten.
empty :: MutableByteArray RealWorld
empty = case runRW# (newByteArray# 0#) of (# _, array #) -> MutableByteArray array
{-# NOINLINE empty #-}

-- | The number of bytes; 0 once it is forgotten.
sizeofScratch :: Scratch s -> ST s Int
sizeofScratch scratch =
  withScratchArray# scratch $ \array s -> case getSizeofMutableByteArray# array s of
    (# s', n #) -> (# s', I# n #)
{-# INLINE sizeofScratch #-}

-- | The element with this number, counted in elements as "Data.Primitive.ByteArray" does.
--
-- Throws 'Control.Exception.ErrorCall' when there is none, as after 'forgetScratch'.
readScratch :: forall a s. Prim a => Scratch s -> Int -> ST s a
readScratch scratch i@(I# i#) = do
  checkIndex "readScratch" scratch i (sizeOf (undefined :: a))
  withScratchArray# scratch $ \array s -> readByteArray# array i# s
{-# INLINE readScratch #-}

-- | Writes the element with this number.
--
-- Throws 'Control.Exception.ErrorCall' when there is none, and changes nothing then.
writeScratch :: forall a s. Prim a => Scratch s -> Int -> a -> ST s ()
writeScratch scratch i@(I# i#) x = do
  checkIndex "writeScratch" scratch i (sizeOf x)
  withScratchArray# scratch $ \array s -> (# writeByteArray# array i# x s, () #)
{-# INLINE writeScratch #-}

checkIndex :: String -> Scratch s -> Int -> Int -> ST s ()
checkIndex name scratch i bytes = do
  n <- sizeofScratch scratch
  unless (i >= 0 && i < n `quot` bytes) (noElement name i n)
{-# INLINE checkIndex #-}

noElement :: String -> Int -> Int -> ST s a
noElement name i n =
  errorWithoutStackTrace $
    "Cleave.Scratch.Forget.Unsafe." ++ name ++ ": element " ++ show i ++ " of an array of "
      ++ show n ++ " bytes"
{-# NOINLINE noElement #-}

-- | Runs the action on the address of the array, which must be pinned or large (3.3 kB), and keeps
-- the array alive meanwhile. The address must not be used afterwards.
withScratchPtr :: forall a b. Scratch RealWorld -> (Ptr a -> IO b) -> IO b
withScratchPtr scratch use =
  IO $ \s -> case withScratchArray# scratch step of ST act -> act s
  where
    step :: MutableByteArray# RealWorld -> State# RealWorld -> (# State# RealWorld, b #)
    step array t = case use (Ptr (byteArrayContents# (unsafeCoerce# array))) of
#if __GLASGOW_HASKELL__ >= 900
      -- What comes after an action that never returns is dropped, a touch as well.
      IO act -> keepAlive# array t act
#else
      IO act -> case act t of
        (# t', result #) -> case touch# array t' of t'' -> (# t'', result #)
#endif
    {-# INLINE step #-}
{-# INLINE withScratchPtr #-}

-- | The array itself, for primitive operations. It must not leave the function, in no
-- box and no closure.
withScratchArray#
  :: Scratch s -> (MutableByteArray# s -> State# s -> (# State# s, a #)) -> ST s a
withScratchArray# (Scratch slot _) use = ST $ \s -> case readMutableByteArrayArray# slot 0# s of
  (# s', array #) -> use array s'
{-# INLINE withScratchArray# #-}

-- | The primitive that was proposed for GHC: takes a large array from the collector and gives
-- its memory back, or does nothing where the array does not own its memory.
--
-- Requires: no object of the heap, whether alive or dead, points to the array, and none
-- of the code that follows mentions it, on no branch.
forgetLargeMutableByteArray# :: MutableByteArray# s -> State# s -> State# s
forgetLargeMutableByteArray# array s0 = case forget array of
  ST act -> case act s0 of (# s1, _ #) -> s1
{-# NOINLINE forgetLargeMutableByteArray# #-}

-- | The same for the boxed array, with an answer. The box is an object that points to the array:
-- it must be one that the compiler removes, or die young. With a debugging runtime and @-DS@, a box
-- that grew old is an error even if it is dead.
forgetLargeMutableByteArray :: HasCallStack => MutableByteArray s -> ST s Outcome
forgetLargeMutableByteArray (MutableByteArray array) = forget array
{-# INLINE forgetLargeMutableByteArray #-}

forget :: HasCallStack => MutableByteArray# s -> ST s Outcome
forget array
  | checking = unsafeIOToST (checkedForget (prettyCallStack callStack) (unsafeCoerce# array))
  | otherwise = unsafeIOToST (forget# (unsafeCoerce# array))
{-# INLINE forget #-}

checkedForget :: String -> MutableByteArray# RealWorld -> IO Outcome
checkedForget place array = do
  reach <- reachOf array
  when (reach == Reached) $
    hPutStrLn stderr $
      "cleave-scratch: a forgotten array is still reached, by something alive or by a dead\n"
        ++ "object of an older generation; its memory would be used twice\n"
        ++ place
  pure (Kept Checking)
{-# NOINLINE checkedForget #-}

-- | What still leads to an array.
data Reach
  = -- | Nothing: it may be forgotten. Or the array does not own its memory, and would be kept.
    Unreached
  | -- | Something alive, or something dead that is old.
    Reached
  | -- | Nothing alive; about dead objects nothing can be said, since the array is old itself. With
    -- @--nonmoving-gc@ nothing at all can be said of an old array.
    Unknown
  deriving (Eq, Show)

-- | Whether something would dangle if the array was forgotten here. Frees nothing, and runs a
-- collection, of the young generation if the array is in it. For tests and development.
--
-- Requires: none of the code that follows mentions the array, since that would count as well.
wouldDangle :: PrimMonad m => MutableByteArray (PrimState m) -> m Reach
wouldDangle (MutableByteArray array) = unsafeIOToPrim (reachOf (unsafeCoerce# array))
{-# INLINE wouldDangle #-}

data Watch = Watch (Weak# ())

-- The weak pointer lives as long as something else leads to the array, where a collection looks
-- for that: one of the young generation does not among old arrays, and the nonmoving collector
-- keeps the weak pointers to its own.
reachOf :: MutableByteArray# RealWorld -> IO Reach
reachOf array = do
  generation <- generation# array
  case generation of
    Left reason | reason `elem` [Small, SharesABlock, InCompactRegion, NotAnArray] -> pure Unreached
    _ -> do
      Watch watch <- IO $ \s -> case mkWeakNoFinalizer# array () s of
        (# s', w #) -> (# s', Watch w #)
      let isReached = IO $ \s -> case deRefWeak# watch s of
            (# s', alive, _ #) -> (# s', isTrue# (alive /=# 0#) #)
      performMinorGC
      reached <- isReached
      case (reached, generation) of
        (False, _) -> pure Unreached
        (True, Right 0) -> pure Reached
        _ -> do
          performMajorGC
          still <- isReached
          keeps <- keepsWeakPointers
          pure (if still && not keeps then Reached else Unknown)
{-# NOINLINE reachOf #-}
