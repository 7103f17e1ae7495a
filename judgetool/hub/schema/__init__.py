"""The hub's SQL: ``0001.sql`` makes schema 1, each later number is the step to it.

``doors.sql`` holds what is made anew each time: functions, policies, rights.
"""
