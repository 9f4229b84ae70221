{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Cleave.Scratch.Pool.Vector
-- Description : Storable vectors whose memory comes from a pool
-- License     : MIT
-- Stability   : experimental
--
-- Mutable storable vectors as scratch. What "Cleave.Scratch.Pool" says about its arrays holds for
-- them.
--
-- > import Cleave.Scratch.Pool.Vector (withScratchVector)
-- > import qualified Data.Vector.Storable as V
-- > import qualified Data.Vector.Storable.Mutable as M
-- >
-- > median :: V.Vector Double -> Double
-- > median v = runST $ withScratchVector (V.length v) $ \m -> do
-- >   V.copy m v
-- >   sort m
-- >   M.read m (V.length v `div` 2)
module Cleave.Scratch.Pool.Vector
  ( withScratchVector
  , withScratchVectorFrom
  ) where

import Cleave.Scratch.Internal.Pool (foreignPtrOf, takeArray, giveArray)
import Cleave.Scratch.Pool (Pool, defaultPool)
import Control.Monad.ST (ST)
import Control.Monad.ST.Unsafe (unsafeIOToST)
import Data.Vector.Storable.Mutable (MVector (MVector))
import Foreign.Storable (Storable, sizeOf)
import GHC.IO (noDuplicate)

-- | Runs the function on a vector of exactly so many elements, with any values.
--
-- Throws 'Control.Exception.ErrorCall' when the number is negative, or that of the bytes is not an
-- 'Int'.
withScratchVector :: Storable a => Int -> (MVector s a -> ST s b) -> ST s b
withScratchVector = withScratchVectorFrom defaultPool
{-# INLINE withScratchVector #-}

-- | 'withScratchVector' from this pool.
withScratchVectorFrom
  :: forall a b s. Storable a => Pool -> Int -> (MVector s a -> ST s b) -> ST s b
withScratchVectorFrom pool n use
  | n < 0 || n > maxBound `quot` max 1 size = errorWithoutStackTrace noSuchVector
  | otherwise = do
      -- As in withScratchFrom.
      array <- unsafeIOToST (noDuplicate >> takeArray pool (n * size))
      result <- use (MVector n (foreignPtrOf array))
      unsafeIOToST (giveArray pool array)
      pure result
  where
    size = sizeOf (undefined :: a)
    noSuchVector = "Cleave.Scratch.Pool.Vector: a vector of " ++ show n ++ " elements"
{-# INLINE withScratchVectorFrom #-}
