"""Why we may lose where we do: suspicions, unless they say that something was measured."""

__all__ = ["CAUSES"]

#: Set → the suspected cause.
CAUSES: dict[str, str] = {}
