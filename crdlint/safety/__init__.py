"""Protection against hostile input and interrupted runs: limits for work, atomic writes, and other programs run safely."""
