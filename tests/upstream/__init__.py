"""What the API server itself answers: the recorded answers, the program that records them, and commands to ask again."""
