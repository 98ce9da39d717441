"""Labs: turn a dial, see at once what the agent does instead. Each lab is a plain function; panels are thin over it."""
