"""The basis of a fit: candidates, selection, adaptation to it, optimised inducing inputs."""
