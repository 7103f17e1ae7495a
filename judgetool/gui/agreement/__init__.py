"""The agreement view: how alike assessors grade, and what each of them does to the values."""
