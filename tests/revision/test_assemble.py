"""What a revision is assembled from, and what it carries."""

from datetime import date

from generator.declared.inventory import ENDINGS
from generator.revision.assemble import assemble, unrendered
from generator.revision.declaration import declare
from tests.testing.inventories import files
from tests.testing.judging import bytes_of


def test_the_day_of_a_declaration_is_that_of_its_revision() -> None:
    texts = bytes_of(files())
    assert all(path.endswith(ENDINGS) for path in texts)
    days = (date(2026, 3, 31), date(2031, 1, 1))
    for day in days:
        declaration = declare(texts, day=day)
        assert declaration.day == day
        assert unrendered(declaration).day == day
        assert assemble(declaration, lambda paths: {}, {}).day == day
