"""What a picture of paper shows besides the writing: its light, its shadow, its printed lines."""
