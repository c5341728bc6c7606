"""Labels from data as charts show them: safe, short, and told apart; and as the values of a scale.

A scale looks its values up among the properties of JavaScript's Object, where a label such as `constructor`
would be found. So a value is never a label itself but its key, which is the name of no property.
"""

KEY = "="
SHOWN_OF_KEY = f"slice(datum.value, {len(KEY)})"
"""What an axis writes of a key."""


def key(shown: str) -> str:
    """Give the value of a scale that stands for a label."""
    return f"{KEY}{shown}"
