"""Texts that are hard to write as YAML."""

from hypothesis import strategies as st

from generator.documents.syntax import in_value

# Texts that one reader or another takes for something else: yaml.org/type (1.1), yaml.org/spec/1.2.2 10.3.2,
# go-yaml's resolve.go, and what a template language or our own marks give a meaning.
TRAPS = (
    "", " ", "  leading", "trailing  ", "-1", "+1", "0", "00", "0535", "535", "550.90", "22.10", "6.10", "1e3", "1E3",
    "1_000", "0x1f", "0o17", "0b1", "12:30", "12:30:45", "190:20:30", ".5", "5.", ".inf", "-.INF", ".nan", "NaN",
    "on", "off", "On", "yes", "No", "y", "N", "true", "True", "FALSE", "null", "Null", "NULL", "~", "=", "<<", "nULL",
    "2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43", "1-1-1", "---", "...", "--- a", "-", "?",
    "? a", ":", "a:", "a: b", "a:b", ": a", "#", "a #b", "a#b", "&a", "*a", "!a", "!!str a", "|", ">", "%YAML 1.2",
    "@a", "`a", "{", "}", "{a: b}", "[", "]", "[a]", ",", "a,b", "'", '"', "''", '""', "it's", 'say "x"', "\\", "\\n",
    "a\\", "\n", "a\n", "\na", "a\nb", "a\n\nb", "\t", "\ta", "a\tb", "\r", "a\rb", "a\r\nb", "\u0085", "a\u0085b",
    "\u2028", "a\u2029b", "\ufeff", "\ufeffa", "a\ufeffb", "\xa0", "\u200b", "é", "e\u0301", "日本語", "🚀",
    "\x00", "\x07", "\x1b[31m", "\x7f", "\x9f", "\x02", "\x03", "\x02a\x03", "\ufffe", "\uffff", "\U0001fffe", "\ue000",
    "{{ 7*7 }}", "{% raw %}", "{# a #}", "${HOME}", "$(id)", "a\nkey: x", 'a"\nkey: x', "skeletonValue0.",
    "nvidia.com/gpu", "580-6.8.0-1050-aws-ubuntu24.04", "sha256:" + "0" * 64, "word " * 40,
)  # fmt: skip
# Whole Unicode but for surrogates, which no UTF-8 holds; weighted towards the characters that mean something to YAML.
ANY = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40),
    st.text(alphabet="-+.:,?!&*#|>@`%{}[]'\"\\ \t\n\r~=<0123456789abefnostuyxNTY_/\u0085\u2028\ufeff", max_size=12),
    st.sampled_from(TRAPS),
)
CLEAN = ANY.filter(lambda value: not in_value(value))  # what our reader lets into an inventory
