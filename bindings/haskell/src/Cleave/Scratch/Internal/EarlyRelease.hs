{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- |
-- The one door to @cbits\/early_release.c@: its calls, its answers as a type, and the
-- self-test that goes before the first of them.
--
-- All calls are @unsafe@ ones: the caller keeps its capability, so that no collection runs
-- meanwhile. The C code relies on that.
module Cleave.Scratch.Internal.EarlyRelease
  ( Outcome (..)
  , gaveBack
  , Reason (..)
  , explain
  , support
  , trim#
  , forget#
  , generation#
  , keepsWeakPointers
  , checking
  ) where

import GHC.Exts (Int (I#), MutableByteArray#, RealWorld, newByteArray#)
import GHC.IO (IO (IO))
import System.IO.Unsafe (unsafePerformIO)

-- | What became of the memory behind an array.
data Outcome
  = -- | So many bytes went back to the runtime, and are used again at once.
    GaveBack !Int
  | -- | Nothing went back.
    Kept !Reason
  deriving (Eq, Show)

-- | Whether memory went back.
gaveBack :: Outcome -> Bool
gaveBack (GaveBack _) = True
gaveBack (Kept _) = False

-- | Why no memory went back.
data Reason
  = -- | The array is a small one, among other objects in a block.
    Small
  | -- | It is a small pinned one, in a block with others.
    SharesABlock
  | -- | It is part of a compact region.
    InCompactRegion
  | -- | The array was forgotten before.
    NotAnArray
  | -- | The program is linked dynamically, or interpreted by GHCi; such a runtime hides what is
    -- needed. With a dynamic runtime without threads this is so only for old arrays under
    -- @--nonmoving-gc@.
    HiddenRuntime
  | -- | The collector of @--nonmoving-gc@ runs, and may be looking at the array. Or collections
    -- kept the self-test from its end; the next call tries again.
    CollectorRuns
  | -- | No whole block lies behind the part that is kept.
    NothingLeft
  | -- | This version of GHC, or this platform, is not one that the package was tested with.
    UntestedRuntime
  | -- | The self-test at first use found the runtime different from what is expected.
    FailedSelfTest
  | -- | @CLEAVE_SCRATCH_CHECK@ is set: what would be forgotten is checked and kept.
    Checking
  deriving (Bounded, Enum, Eq, Ord, Show)

-- | A sentence for a log.
explain :: Reason -> String
explain reason = case reason of
  Small -> "the array is small and shares its block with other objects"
  SharesABlock -> "the array is small and pinned, in a block with others"
  InCompactRegion -> "the array is part of a compact region"
  NotAnArray -> "the array was forgotten before"
  HiddenRuntime -> "the runtime is linked dynamically and hides what is needed"
  CollectorRuns -> "the nonmoving collector may be looking at the array"
  NothingLeft -> "no whole block lies behind the part that is kept"
  UntestedRuntime -> "this package was not tested with this version of GHC or this platform"
  FailedSelfTest -> "the self-test found the runtime different from what is expected"
  Checking -> "CLEAVE_SCRATCH_CHECK is set"

-- The calls take the array of any thread of state; the types here have room for one only.
foreign import ccall unsafe "cleave_scratch_trim"
  c_trim :: MutableByteArray# RealWorld -> Int -> IO Int

foreign import ccall unsafe "cleave_scratch_forget"
  c_forget :: MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "cleave_scratch_self_test"
  c_selfTest :: MutableByteArray# RealWorld -> Int -> Int -> IO Int

foreign import ccall unsafe "cleave_scratch_generation"
  c_generation :: MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "cleave_scratch_nonmoving"
  c_nonmoving :: IO Int

foreign import ccall unsafe "cleave_scratch_checking"
  c_checking :: IO Int

-- | Whether the environment asks for forgets to be checked and not done. Read once.
checking :: Bool
checking = unsafePerformIO ((/= 0) <$> c_checking)
{-# NOINLINE checking #-}

-- | Shortens the array to so many bytes where a whole block becomes free by that, and gives these
-- blocks back. Else it changes nothing.
trim# :: MutableByteArray# RealWorld -> Int -> IO Outcome
trim# array keep = do
  code <- c_trim array keep
  if code == untested then afterSelfTest 0 (c_trim array keep) else pure (outcome code)

-- | Gives all of the array back. See "Cleave.Scratch.Forget.Unsafe".
forget# :: MutableByteArray# RealWorld -> IO Outcome
forget# array = do
  code <- c_forget array
  if code == untested then afterSelfTest 1 (c_forget array) else pure (outcome code)

-- | The generation of a large array, 0 for the youngest.
generation# :: MutableByteArray# RealWorld -> IO (Either Reason Int)
generation# array = do
  code <- c_generation array
  pure (if code < 0 then Left (reasonOf code) else Right code)

-- | Whether weak pointers to old arrays live on when nothing leads there: with @--nonmoving-gc@.
keepsWeakPointers :: IO Bool
keepsWeakPointers = (/= 0) <$> c_nonmoving

-- | Whether this program can give memory back early: 'Nothing' if so, or what is against it.
-- Runs the self-test unless it ran before.
support :: IO (Maybe Reason)
support = do
  code <- untilDecided 0
  pure $ case compare code 0 of
    LT -> Just (reasonOf code)
    EQ -> Just CollectorRuns
    GT -> Nothing

outcome :: Int -> Outcome
outcome code
  | code > 0 = GaveBack code
  | otherwise = Kept (reasonOf code)

reasonOf :: Int -> Reason
reasonOf code
  | code < 0, index <= fromEnum (maxBound :: Reason) = toEnum index
  | otherwise = NotAnArray
  where
    index = negate code - 1

-- | The answer that asks for the self-test: the one behind those that 'Reason' knows.
untested :: Int
untested = negate (fromEnum (maxBound :: Reason) + 2)

afterSelfTest :: Int -> IO Int -> IO Outcome
afterSelfTest whole again = do
  decided <- untilDecided whole
  if decided < 0
    then pure (Kept (reasonOf decided))
    else do
      code <- again
      -- A test that met collections each time has not decided; the next call tries again.
      pure (if code == untested then Kept CollectorRuns else outcome code)
{-# NOINLINE afterSelfTest #-}

-- | Tests on new arrays until no collection came between; 0 if one came each time.
untilDecided :: Int -> IO Int
untilDecided whole = go (10 :: Int)
  where
    go 0 = pure 0
    go tries = do
      code <- selfTest whole
      if code == 0 then go (tries - 1) else pure code

-- | The array is made here and used by nothing else, so that it may be forgotten.
selfTest :: Int -> IO Int
selfTest whole = IO $ \s -> case newByteArray# size s of
  (# s', array #) -> case c_selfTest array (I# size) whole of IO test -> test s'
  where
    !(I# size) = 100000
{-# NOINLINE selfTest #-}
