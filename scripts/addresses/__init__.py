"""Addresses that move between two servers, in network namespaces: the cases of scripts/test-addresses.py."""
