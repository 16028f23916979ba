//! Roots that live elsewhere: object stores and web servers, behind a cache on the local disk.
