"""The family operator/: what the GPU operator makes of the driver settings."""
