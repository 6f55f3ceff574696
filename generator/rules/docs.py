"""A rule's section of its family's documentation: what `explain` prints."""

HEADING = "\n## "


def section(rule_id: str, text: str) -> str:
    """The section of docs/rules/<family>.md with the rule's id as its heading; nothing where there is none."""
    for part in f"\n{text}".split(HEADING)[1:]:
        heading, _, body = part.partition("\n")
        if heading.strip() == rule_id:
            return f"## {rule_id}\n\n{body.strip()}\n"
    return ""
