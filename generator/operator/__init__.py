"""Owns what the GPU operator will do with what is declared: images it asks for, who claims a node, what reloads."""
