"""Builders, fakes and keys shared by the tests."""
