"""Tests of judgetool."""
