"""What actions do: one handler for each group of the table, one method for each action.

Handlers know the window, the session and the prompter; they hold no state of the
project and do no painting.
"""
