"""Where a rule's documentation can be read in a browser."""

import re


def docs_url(repository: str, revision: str, rule: str) -> str:
    """The rule's heading at that revision; "" where the repository's pages have no address that is known."""
    match = re.fullmatch(r"(https://([^/@]+)/.+?)(?:\.git)?/?", repository)
    if match is None or not revision:
        return ""
    blob = "blob" if "github" in match[2] else "-/blob" if "gitlab" in match[2] else ""
    anchor = rule.replace("/", "")
    return f"{match[1]}/{blob}/{revision}/docs/rules/{rule.partition('/')[0]}.md#{anchor}" if blob else ""
