"""A repository on disk, and what the manifest of its out/ lists."""

from pathlib import Path


def write(root: Path, texts: dict[str, str]) -> None:
    """Write files, and the folders that they need."""
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def lines(root: Path) -> list[str]:
    """The lines of the manifest of out/."""
    return (root / "out" / ".drivergate-manifest").read_text(encoding="utf-8").splitlines()[1:]
