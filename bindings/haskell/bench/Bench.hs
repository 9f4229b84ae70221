-- | One program in one way, as a line of JSON for @report.py@.
--
-- usage: bench compress|hash|sort plain|pool|trim|forget +RTS -T [other options]
module Main (main) where

import Buffers (Way)
import Compress (compress)
import Control.Monad (when)
import Data.Char (toLower, toUpper)
import GHC.Clock (getMonotonicTime)
import GHC.Stats
import Hash (hash)
import Sort (sort)
import System.CPUTime (getCPUTime)
import System.Environment (getArgs)
import System.Exit (die)
import System.IO

main :: IO ()
main = do
  args <- getArgs
  (program, way) <- case args of
    ["compress", way] -> (,) compress <$> wayOf way
    ["hash", way] -> (,) hash <$> wayOf way
    ["sort", way] -> (,) sort <$> wayOf way
    _ -> die "usage: bench compress|hash|sort plain|pool|trim|forget"
  counted <- getRTSStatsEnabled
  when (not counted) $ die "bench: run it with +RTS -T"
  start <- getMonotonicTime
  result <- program way
  end <- getMonotonicTime
  cpu <- getCPUTime
  stats <- getRTSStats
  peak <- residentPeak
  putStrLn $
    "{\"result\": " ++ show result
      ++ ", \"seconds\": " ++ show (end - start)
      ++ ", \"cpu\": " ++ show (fromIntegral cpu / 1e12 :: Double)
      ++ ", \"collections\": " ++ show (gcs stats)
      ++ ", \"major\": " ++ show (major_gcs stats)
      ++ ", \"gc_seconds\": " ++ show (fromIntegral (gc_elapsed_ns stats) / 1e9 :: Double)
      ++ ", \"heap_bytes\": " ++ show (max_mem_in_use_bytes stats)
      ++ ", \"resident_bytes\": " ++ show peak
      ++ "}"
  where
    wayOf :: String -> IO Way
    wayOf name = case reads (capital name) of
      [(way, "")] -> pure way
      _ -> die ("bench: no way " ++ name)
    capital (c : cs) = toUpper c : map toLower cs
    capital [] = []

-- | The most bytes of this process that were resident at once, or 0 where the system does not tell.
residentPeak :: IO Int
residentPeak = do
  status <- withFile "/proc/self/status" ReadMode $ \file -> do
    text <- hGetContents file
    length text `seq` pure text
  pure $ case [k | ["VmHWM:", k, "kB"] <- map words (lines status)] of
    k : _ -> 1024 * read k
    [] -> 0
