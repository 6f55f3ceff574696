"""Groups of verbs. A verb's module is imported when the verb is called: the list of verbs needs none of them."""

from importlib import import_module
from typing import Any

import typer
from typer._click import Command, Context, HelpFormatter
from typer._click.shell_completion import CompletionItem
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


class Verb(TyperCommand):
    """The name of a verb and its line in the list of verbs; `load` makes the command itself.

    `function` of the module `module` of this package has the verb's options in its signature. A `deferred` one
    returns such a function: its module must not need typer.
    """

    def __init__(self, name: str, line: str, module: str, function: str, *, deferred: bool = False) -> None:
        super().__init__(name=name, short_help=line, rich_markup_mode=None)
        self.module = module
        self._function, self._deferred = function, deferred

    def load(self) -> Command:
        """The command with its options. Imports the verb's module."""
        function = getattr(import_module(f"generator.cli.{self.module}"), self._function)
        single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        single.command(self.name)(function() if self._deferred else function)
        return get_command(single)


class Verbs(TyperGroup):
    """A group of verbs; `default` is the verb that is meant where none is named."""

    def __init__(self, *, default: str | None = None, **settings: Any) -> None:
        super().__init__(**{**settings, "rich_markup_mode": None})
        self._default = default

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Puts the default verb in front of arguments that begin with no verb."""
        if (
            self._default is None
            or (ctx.resilient_parsing and not args)
            or (args and (args[0] in self.commands or args[0] in {"--help", "-h"}))
        ):
            return super().parse_args(ctx, args)
        return super().parse_args(ctx, [self._default, *args])

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The verb that the arguments name, loaded."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, Verb) else command, rest

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Verbs and options of the group, and what the default verb takes."""
        items = super().shell_complete(ctx, incomplete)
        default = self.commands.get(self._default or "")
        if isinstance(default, Verb):
            command = default.load()
            with command.make_context(default.name, [], parent=ctx, resilient_parsing=True) as context:
                items += command.shell_complete(context, incomplete)
        return items

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The list of verbs, each with its whole line: typer cuts lines off that are wider than the terminal."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands[name].short_help or "") for name in self.list_commands(ctx)])
