-- | A runtime that looks different from what is expected is left alone: after a self-test that
-- failed, nothing is given back in this process any more, and all else works.
module Main (main) where

import Cleave.Scratch.Forget.Unsafe
import Cleave.Scratch.Runtime (support)
import Cleave.Scratch.Trim (createAndTrim, trimOutcome)
import Control.Monad
import Control.Monad.ST (stToIO)
import qualified Data.ByteString as B
import Data.Primitive.ByteArray
import Inspect
import System.Exit (die)

main :: IO ()
main = do
  failed <- failSelfTest
  expect "the self-test finds a wrong length" (failed < 0)
  blocks <- blocksInUse
  array <- newByteArray 1000000
  writeByteArray array 0 'x'
  trimmed <- stToIO (trimOutcome array 8)
  expect "trim says so" (trimmed == Kept FailedSelfTest)
  size <- getSizeofMutableByteArray array
  expect "the array is shortened all the same" (size == 8)
  x <- readByteArray array 0
  expect "it keeps its bytes" (x == 'x')
  scratch <- stToIO (newScratch 1000000)
  forgotten <- stToIO (forgetScratch scratch)
  expect "forget says so" (forgotten == Kept FailedSelfTest)
  now <- blocksInUse
  expect "nothing went back" (now >= blocks)
  string <- createAndTrim 100000 (const (pure 5000))
  expect "byte strings are copied" (B.length string == 5000)
  able <- support
  expect "support says so" (able == Just FailedSelfTest)
  broken <- audit
  expect "the counters are right" (broken <= 0)
  where
    expect what ok = unless ok $ die ("not so: " ++ what)
