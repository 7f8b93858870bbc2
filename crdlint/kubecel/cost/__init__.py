"""What rules cost: the figures, why they are what they are, and which limits would bring them down."""
