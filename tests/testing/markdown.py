"""Markdown as the sites render it that show our comments."""

from markdown_it import MarkdownIt

RENDER = MarkdownIt("gfm-like", {"linkify": False})


def shown(text: str) -> tuple[str, list[str]]:
    """The text outside of code, and every piece of code, as a reader gets them."""
    plain, codes = [], []
    for token in RENDER.parse(text):
        if token.type == "fence":
            codes.append(token.content)
        for inner in token.children or ():
            (codes if inner.type == "code_inline" else plain).append(inner.content)
        assert token.type != "html_block" or token.content.startswith("<!-- drivergate:"), token.content
    return "".join(plain), codes
