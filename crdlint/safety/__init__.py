"""What keeps hostile input and interrupted runs from doing harm: bounded work, whole files, other programs run safely."""
