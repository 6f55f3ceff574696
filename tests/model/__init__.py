"""Reference models: what Kubernetes does, where tests need an answer that no command gives."""
