"""Reading GDL: what real rule sheets and Game Managers write, and how faults are told."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens import games
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.parser import parse_expressions, parse_rules, parse_term
from ludens.propnet.gdl.recovery import read
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Function,
    Not,
    Or,
    Position,
    Rule,
    RuleSheet,
    Variable,
)


def test_a_rule_becomes_head_and_body() -> None:
    (rule,) = parse_rules("(<= (next (cell ?x b)) (true (cell ?x b)) (not (does red (mark ?x))))").rules
    assert rule.head == Atom("next", (Function("cell", (Variable("x"), Constant("b"))),))
    assert rule.body == (
        Atom("true", (Function("cell", (Variable("x"), Constant("b"))),)),
        Not(Atom("does", (Constant("red"), Function("mark", (Variable("x"),))))),
    )


def test_connectives_nest_and_take_any_number_of_arguments() -> None:
    (rule,) = parse_rules("(<= p (or (and q (not (or r s t))) (distinct ?a 1) (or u)))").rules
    inner = And((Atom("q"), Not(Or((Atom("r"), Atom("s"), Atom("t"))))))
    assert rule.body == (Or((inner, Distinct(Variable("a"), Constant("1")), Or((Atom("u"),)))),)


def test_keywords_are_known_in_any_case_and_other_symbols_keep_theirs() -> None:
    upper = parse_rules("(ROLE RED) (Init (Cell A)) (<= TERMINAL (NOT (True (Cell A))) (OR Open (Distinct A a)))")
    lower = parse_rules("(role RED) (init (Cell A)) (<= terminal (not (true (Cell A))) (or Open (distinct A a)))")
    assert upper == lower
    assert parse_rules("(nextFile a)") != parse_rules("(nextfile a)")


def test_a_constant_may_be_spelled_like_a_keyword() -> None:
    (rule,) = parse_rules("(<= (legal RANDOM (Or NOT Init)) (TRUE (not Distinct)))").rules
    assert str(rule) == "(<= (legal RANDOM (Or NOT Init)) (true (not Distinct)))"


def test_a_word_that_starts_like_a_keyword_is_a_name() -> None:
    assert parse_rules("(<= p (note a) (organ b) (android c) (distinctive d))").rules[0].body[0] == Atom(
        "note", (Constant("a"),)
    )


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("(<= (role x))", "(role x)"),
        ("(<= (some_win))", "some_win"),
        ("(<= p (some_win))", "(<= p some_win)"),
        ("(p (f))", "(p f)"),
        ("(a;comment )\n b) ; the end", "(a b)"),
        ("(a ; old Macintosh\rb)\r\n(c)", "(a b) c"),
        ("\ufeff(\ta\u00a0b\x0c)", "(a b)"),
        ("(p(q)r)", "(p (q) r)"),
    ],
)
def test_spellings_found_in_the_wild_mean_the_same(odd: str, plain: str) -> None:
    assert parse_rules(odd) == parse_rules(plain)


@pytest.mark.parametrize("symbol", ["-1", "a>b", ">", "été", "a?b", "<=>", "<=x", "3.5", "a'b", "+"])
def test_unusual_symbols_are_constants(symbol: str) -> None:
    assert parse_rules(f"(p {symbol})").rules[0].head == Atom("p", (Constant(symbol),))


def test_places_count_lines_and_columns_from_one() -> None:
    sheet = parse_rules("; title\r\n(role red)\r\n(<= (legal red a)\r  p\n  (distinct a b))")
    role, legal = sheet.rules
    assert (role.position, legal.position) == (Position(2, 1), Position(3, 1))
    assert legal.head.position == Position(3, 5)
    assert [getattr(part, "position", None) for part in legal.body] == [Position(4, 3), Position(5, 3)]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("(role red", 1, 10, "missing ')'"),
        ("(role red))", 1, 11, "found ')'"),
        ("(<= (p a) (q b)\n(<= (r c))", 2, 2, "found '<='"),
        ("(<= p (not q r))", 1, 14, "found 'r'"),
        ("(<= p (distinct a))", 1, 18, "found ')'"),
        ("(<= p ?x)", 1, 7, "found '?x'"),
        ("(p ?)", 1, 4, "found '?'"),
        ("()", 1, 2, "a name"),
        ("(<=)", 1, 4, "a name"),
        ("((p))", 1, 2, "a name"),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(GdlError, match=re.escape(words)) as caught:
        parse_rules(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("opening", ["(", "(p ", "(<= p (not ", "(<= p (or (and q "])
@pytest.mark.parametrize("parse", [parse_rules, parse_term, parse_expressions])
def test_nesting_a_hundred_thousand_deep_is_an_error(parse, opening: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(GdlError):
        parse(opening * 100_000 + ")" * 200_000)


def test_deep_nesting_says_where_it_goes_too_deep() -> None:
    with pytest.raises(GdlError, match=r"line 1, column 301: .* nested deeper than 100"):
        parse_rules("(p " * 100_000 + ")" * 100_000)


def test_a_term_is_read_alone() -> None:
    assert parse_term(" (move 1 ?x (noop)) ") == Function("move", (Constant("1"), Variable("x"), Constant("noop")))
    with pytest.raises(GdlError, match="nothing more"):
        parse_term("a b")


def test_expressions_keep_every_spelling() -> None:
    assert parse_expressions("(PLAY id (NIL ?x)) <= ()") == [["PLAY", "id", ["NIL", "?x"]], "<=", []]


constants = st.sampled_from(["a", "1", "-3", "RED", "not", "Or", "x>y", "role", "ü"]).map(Constant)
terms = st.recursive(
    constants | st.sampled_from(["x", "Y", "1"]).map(Variable),
    lambda parts: st.builds(
        Function, st.sampled_from(["f", "and", "G"]), st.lists(parts, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=5,
)
atoms = st.builds(Atom, st.sampled_from(["p", "Legal2", "true", "next"]), st.lists(terms, max_size=3).map(tuple))
formulas = st.recursive(
    atoms | st.builds(Distinct, terms, terms),
    lambda parts: (
        st.builds(Not, parts)
        | st.builds(Or, st.lists(parts, min_size=1, max_size=3).map(tuple))
        | st.builds(And, st.lists(parts, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=6,
)
sheets = st.lists(st.builds(Rule, atoms, st.lists(formulas, max_size=3).map(tuple)), max_size=4).map(
    lambda rules: RuleSheet(tuple(rules))
)


@given(sheets)
def test_a_sheet_printed_and_read_again_is_the_same(sheet: RuleSheet) -> None:
    assert parse_rules(str(sheet)) == sheet


@given(st.data())
@settings(max_examples=150)
def test_damaged_text_gives_a_sheet_or_a_clear_error(data: st.DataObject) -> None:
    text = bytearray(games.read("tic_tac_toe").encode())
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    for parse in (parse_rules, parse_expressions):
        try:
            parse(text.decode("latin-1"))
        except GdlError as error:
            assert error.line > 0 and error.column > 0


@given(st.text(alphabet="()?;<= \n\rapno\ufeffr", max_size=30))
@settings(max_examples=300)
def test_any_text_gives_a_sheet_or_a_clear_error(text: str) -> None:
    try:
        sheet = parse_rules(text)
    except GdlError as error:
        assert str(error).startswith("line ")
    else:
        assert parse_rules(str(sheet)) == sheet


@pytest.mark.parametrize("character", ["\0", "\ud800", "\udfff"])
def test_a_word_holds_no_character_that_a_text_cannot_hold(character: str) -> None:
    with pytest.raises(GdlError, match="line 2, column 8"):
        parse_rules(f"(role red)\n(init a{character}b)")


def test_a_rule_inside_a_rule_is_explained_by_the_parenthesis_that_is_missing() -> None:
    with pytest.raises(GdlError, match=r"line 2, column 2: found '<=' .* is a '\)' missing before it\?"):
        parse_rules("(<= terminal (true (x 3))\n(<= (goal a 100) terminal)")


@pytest.mark.parametrize("text", ["(p ?{})) (q)", "((?{}", "(p a) ?{}", "(p{} (q a)\n(r b)"])
def test_errors_quote_no_more_of_a_word_than_fits_a_line(text: str) -> None:
    endless = text.format("a" * 100_000)
    with pytest.raises(GdlError) as caught:
        parse_rules(endless)
    assert all(len(str(error)) < 200 for error in (caught.value, *read(endless).faults))
