-- |
-- Module      : Cleave.Scratch.Runtime
-- Description : What the early release of memory answers, and whether it works here
-- License     : MIT
-- Stability   : experimental
--
-- "Cleave.Scratch.Trim" and @Cleave.Scratch.Forget.Unsafe@ reach into the runtime of
-- GHC. They do so only with a version that they were tested with, and only after a test at first
-- use found the runtime as expected. Otherwise they give nothing back, and
-- say why: never an error.
--
-- >>> support
-- Nothing
--
-- means that memory can be given back early in this program. In GHCi, whose runtime is
-- linked dynamically:
--
-- >>> support
-- Just HiddenRuntime
module Cleave.Scratch.Runtime
  ( Outcome (..)
  , gaveBack
  , Reason (..)
  , explain
  , support
  ) where

import Cleave.Scratch.Internal.EarlyRelease
