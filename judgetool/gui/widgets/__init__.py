"""Widgets of the window that know no session: plain values in, signals out."""
