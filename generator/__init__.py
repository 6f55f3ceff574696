"""drivergate: keeps the GPU drivers of a Kubernetes fleet in git."""

__version__ = "0.1.0"
