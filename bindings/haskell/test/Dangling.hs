{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Programs that hold no reference to an array when they forget it, and must not forget it all the
-- same: something dead and old, or the runtime itself, still leads there. Each is
-- run in children of this process:
--
--   * with forget it must die, or show a result that another array's owner put there;
--   * with trim, which is safe, it must end well;
--   * with forget under CLEAVE_SCRATCH_CHECK=1 it must end well, and be told of its mistake
--     unless that cannot be found out: a weak pointer does not keep what it refers to.
--
-- The last one is right, and must end well each time without being told anything.
--
-- usage: dangling                  all of this
--        dangling NAME forget|trim one program
module Main (main) where

import Cleave.Scratch.Forget.Unsafe
import Cleave.Scratch.Trim (trimOutcome)
import Control.Monad
import Control.Monad.ST (RealWorld, stToIO)
import Data.IORef
import Data.List (isInfixOf)
import Data.Primitive.ByteArray
import Foreign.StablePtr (newStablePtr)
import GHC.Exts (Weak#, deRefWeak#, isTrue#, mkWeakNoFinalizer#, (==#))
import GHC.IO (IO (IO))
import System.Environment
import System.Exit
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import System.Process

type Array = MutableByteArray RealWorld

-- | How a program lets go of an array.
type LetGo = Array -> IO Outcome

data Program = Program
  { programName :: String
  , run :: LetGo -> IO ()
  , mistake :: Mistake
  }

data Mistake = None | Found | NotFound
  deriving (Eq)

programs :: [Program]
programs =
  [ Program "an-old-reference" oldReference Found
  , Program "a-lazy-field" lazyField Found
  , Program "a-weak-pointer" weakPointer NotFound
  , Program "a-stable-pointer" stablePointer Found
  , Program "forgotten-twice" forgottenTwice Found
  , Program "no-reference" noReference None
  ]

main :: IO ()
main = do
  args <- getArgs
  case args of
    [] -> examine
    [name, way] | [program] <- filter ((== name) . programName) programs -> do
      run program (if way == "forget" then letGoByForget else letGoByTrim)
      putStrLn "done"
    _ -> hPutStrLn stderr "usage: dangling [NAME forget|trim]" >> exitFailure

letGoByForget, letGoByTrim :: LetGo
letGoByForget array = stToIO (forgetLargeMutableByteArray array)
letGoByTrim array = stToIO (trimOutcome array 0)
{-# NOINLINE letGoByForget #-}
{-# NOINLINE letGoByTrim #-}

-- ---- the programs

size :: Int
size = 1000000

-- | A record with a buffer, as a handle of a library may be.
data Session = Session {buffer :: IORef (Maybe Array), number :: !Int}

-- | The session is dropped after its buffer was forgotten, and nobody overwrote the reference. It
-- is old, and was written to since the last collection, so the next one still follows it.
oldReference :: LetGo -> IO ()
oldReference letGo = do
  sessions <- forM [1 .. 50] $ \i -> (`Session` i) <$> newIORef Nothing
  performMajorGC
  performMajorGC
  mapM_ (use letGo) sessions
  churn
{-# NOINLINE oldReference #-}

use :: LetGo -> Session -> IO ()
use letGo session = do
  array <- newByteArray size
  writeIORef (buffer session) (Just array)
  writeByteArray array 0 (number session)
  void (letGo array)
{-# NOINLINE use #-}

data Lazy = Lazy {table :: Array, label :: !Int}

-- | The array is made when a field of an old record is evaluated.
lazyField :: LetGo -> IO ()
lazyField letGo = do
  records <- forM [1 .. 50] lazyRecord
  performMajorGC
  performMajorGC
  forM_ records $ \record -> do
    writeByteArray (table record) 0 (label record)
    void (letGo (table record))
  churn
{-# NOINLINE lazyField #-}

lazyRecord :: Int -> IO Lazy
lazyRecord i = pure (Lazy (unsafePerformIO (newByteArray (size + i))) i)
{-# NOINLINE lazyRecord #-}

data Watch = Watch (Weak# ())

-- | A weak pointer whose key is the array: it must be dead at the end.
weakPointer :: LetGo -> IO ()
weakPointer letGo = do
  watches <- replicateM 50 $ do
    array <- newByteArray size
    watch <- watchOn array
    watch <$ letGo array
  churn
  alive <- filterM isAlive watches
  unless (null alive) $ die "a weak pointer to nothing never died"
{-# NOINLINE weakPointer #-}

watchOn :: Array -> IO Watch
watchOn (MutableByteArray array) = IO $ \s -> case mkWeakNoFinalizer# array () s of
  (# s', weak #) -> (# s', Watch weak #)
{-# NOINLINE watchOn #-}

isAlive :: Watch -> IO Bool
isAlive (Watch weak) = IO $ \s -> case deRefWeak# weak s of
  (# s', alive, _ #) -> (# s', isTrue# (alive ==# 1#) #)

-- | A stable pointer that nobody will read.
stablePointer :: LetGo -> IO ()
stablePointer letGo = do
  replicateM_ 50 $ do
    array <- newByteArray size
    _ <- newStablePtr array
    void (letGo array)
  churn
{-# NOINLINE stablePointer #-}

-- | The second forget frees the array that was given the same memory in between.
forgottenTwice :: LetGo -> IO ()
forgottenTwice letGo = do
  first <- newByteArray size
  _ <- letGo first
  second <- newByteArray size
  writeByteArray second 5 (4242 :: Int)
  _ <- letGo first
  third <- newByteArray size
  writeByteArray third 5 (1 :: Int)
  x <- readByteArray second 5
  y <- readByteArray third 5
  when ((x, y) /= (4242 :: Int, 1 :: Int)) $ die ("another owner wrote: " ++ show (x, y))
{-# NOINLINE forgottenTwice #-}

noReference :: LetGo -> IO ()
noReference letGo = do
  forM_ [1 .. 50] $ \i -> do
    array <- newByteArray size
    writeByteArray array 0 (i :: Int)
    x <- readByteArray array 0
    void (letGo array)
    when (x /= i) $ die "another owner wrote"
  churn
{-# NOINLINE noReference #-}

-- | Small objects and collections; the memory that was given back becomes theirs.
churn :: IO ()
churn = do
  kept <- newIORef []
  let fill = forM_ [1 .. 40000 :: Int] $ \i -> modifyIORef' kept ((i :) . take 10)
  fill
  performMajorGC
  fill
  recent <- readIORef kept
  when (sum recent < 0) $ die "impossible"
{-# NOINLINE churn #-}

-- ---- the examination

data Ending = Died Int | Failed | EndedWell Bool
  deriving (Eq, Show)

-- | Runs a program in a child, with the options of this process, and says how it ended; and if
-- well, whether it was told of a mistake.
child :: Program -> String -> Bool -> IO Ending
child program way checked = do
  self <- getExecutablePath
  inherited <- getEnvironment
  let variables = [("CLEAVE_SCRATCH_CHECK", if checked then "1" else "0")]
      command =
        (proc self [programName program, way])
          { env = Just (variables ++ filter ((`notElem` map fst variables) . fst) inherited)
          }
  (code, output, errors) <- readCreateProcessWithExitCode command ""
  pure $ case code of
    ExitFailure n | n < 0 -> Died (negate n)
    ExitSuccess | output == "done\n" -> EndedWell ("still reached" `isInfixOf` errors)
    _ -> Failed

examine :: IO ()
examine = do
  results <- forM programs $ \program -> do
    forgotten <- child program "forget" False
    trimmed <- child program "trim" False
    checked <- child program "forget" True
    let ok =
          endedWell forgotten == (mistake program == None)
            && trimmed == EndedWell False
            && checked == EndedWell (mistake program == Found)
    putStrLn $
      (if ok then "ok   " else "FAIL ") ++ programName program ++ ": forget " ++ show forgotten
        ++ ", trim "
        ++ show trimmed
        ++ ", checked "
        ++ show checked
    pure ok
  unless (and results) exitFailure
  where
    endedWell (EndedWell _) = True
    endedWell _ = False
