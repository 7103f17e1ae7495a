"""Tests of hub, with a real server."""
