//! bytes.rs -- Rust's `bytes` as a peer of `cleave bench`: arrays, by the contract of bench/peer.h.
//!
//!     bench/peers/build DIR OUT              with the sources in DIR/bytes
//!
//! A `BytesMut` is a view of a counted buffer, and fills the four words of a handle.
use bytes::BytesMut;
use std::mem::{size_of, ManuallyDrop};

type Handle = ManuallyDrop<BytesMut>;
const _: () = assert!(size_of::<Handle>() == 4 * size_of::<usize>());
const WORD: usize = size_of::<u32>();

extern "C" {
    fn malloc_trim(pad: usize) -> i32;
}

/// # Safety
/// `made` is a place for a handle.
#[no_mangle]
pub unsafe extern "C" fn cleave_peer_make(made: *mut Handle, n: usize) {
    let mut cells = BytesMut::with_capacity(n * WORD);
    // Any bytes are elements.
    cells.set_len(n * WORD);
    made.write(ManuallyDrop::new(cells));
}

/// # Safety
/// `a` is a live array, `right` a place for a handle.
#[no_mangle]
pub unsafe extern "C" fn cleave_peer_cut(a: *mut Handle, half: usize, right: *mut Handle) {
    right.write(ManuallyDrop::new((*a).split_off(half * WORD)));
}

/// # Safety
/// Both are live arrays.
#[no_mangle]
pub unsafe extern "C" fn cleave_peer_join(a: *mut Handle, right: *mut Handle) {
    (*a).unsplit(ManuallyDrop::into_inner(right.read()));
}

/// # Safety
/// `a` is a live array.
#[no_mangle]
pub unsafe extern "C" fn cleave_peer_free(a: *mut Handle) {
    ManuallyDrop::drop(&mut *a);
}

/// # Safety
/// `a` is a live array.
#[no_mangle]
pub unsafe extern "C" fn cleave_peer_data(a: *mut Handle) -> *mut u32 {
    (*a).as_mut_ptr().cast()
}

#[no_mangle]
pub extern "C" fn cleave_peer_purge() {
    // Safety: it may be called at any time.
    unsafe { malloc_trim(0) };
}
