"""Numbers that may be percentages, as budgets and upgrade policies write them."""


def rounded_up(value: int | str, total: int) -> int:
    """A number, or a percentage of a total rounded up (apimachinery intstr GetScaledValueFromIntOrPercent)."""
    return -(-int(value.removesuffix("%")) * total // 100) if isinstance(value, str) else value
