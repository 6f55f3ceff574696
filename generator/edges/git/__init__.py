"""Git's own command line: the index, commits, differences, history. Nothing here writes to the user's repository."""
