-- | The four ways to come by a large buffer and to be done with it.
module Buffers
  ( Way (..)
  , Buffer
  , acquire
  , withBuffer
  , done
  , produce
  ) where

import Cleave.Scratch.Forget.Unsafe
import Cleave.Scratch.Pool (defaultPool, giveArray, takeArray)
import Cleave.Scratch.Pool.ByteString (createInScratch)
import Cleave.Scratch.Trim (createAndTrim, trim)
import Control.Monad
import Control.Monad.ST (RealWorld, stToIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Internal as B
import Data.Primitive.ByteArray
import Data.Word (Word8)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr)

-- | Plain is what people write today: a new array each time, left to the collector.
data Way = Plain | Pool | Trim | Forget
  deriving (Bounded, Enum, Read, Show)

data Buffer = Array !Way !(MutableByteArray RealWorld) | Handle !(Scratch RealWorld)

acquire :: Way -> Int -> IO Buffer
acquire way n = case way of
  Pool -> Array way <$> takeArray defaultPool n
  Forget -> Handle <$> stToIO (newAlignedScratch n 16)
  _ -> Array way <$> newPinnedByteArray n

withBuffer :: Buffer -> (Ptr Word8 -> IO a) -> IO a
withBuffer (Handle scratch) use = withScratchPtr scratch use
withBuffer (Array _ array) use = do
  result <- use (mutableByteArrayContents array)
  result <$ touch array
  where
    touch a = void (getSizeofMutableByteArray a)
{-# INLINE withBuffer #-}

done :: Buffer -> IO ()
done buffer = case buffer of
  Array Pool array -> giveArray defaultPool array
  Array Trim array -> void (stToIO (trim array 0))
  Array _ _ -> pure ()
  Handle scratch -> void (stToIO (forgetScratch scratch))

-- | A byte string of at most so many bytes.
produce :: Way -> Int -> (Ptr Word8 -> IO Int) -> IO ByteString
produce way n fill = case way of
  Plain -> B.createAndTrim n fill
  Pool -> createInScratch n fill
  Trim -> createAndTrim n fill
  Forget -> do
    buffer <- acquire Forget n
    string <- withBuffer buffer $ \p -> do
      used <- fill p
      B.create used (\q -> copyBytes q p used)
    string <$ done buffer
