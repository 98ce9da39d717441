"""Tables are found in texts whatever the names are; sentences, dates and notes are not tables."""

from __future__ import annotations

from planexec.models.policy.tables import Table, read_tables, same_name, without_notes


def test_lines_of_one_kind_are_a_table_under_the_lines_before() -> None:
    text = "[2026-01-02] Weights\nSome words.\nweights:\n- zig: 25%\n- zag: 20 %\n"
    assert read_tables(text) == (
        Table("[2026-01-02] Weights Some words. weights", "percent", (("zig", "25%"), ("zag", "20 %"))),
    )


def test_each_kind_of_value_is_a_table_of_its_own() -> None:
    text = "- zig: 25%\n- zag: Alpha, Beta\n- zog: 250,000\n- zug: 25万 (250,000)"
    assert [(table.kind, [name for name, _ in table.rows]) for table in read_tables(text)] == [
        ("percent", ["zig"]),
        ("names", ["zag"]),
        ("values", ["zog", "zug"]),
    ]


def test_what_stands_for_x_is_no_part_of_the_name() -> None:
    (table,) = read_tables("1000000 * x:\nzig (x = 25%): 250,000\nzag (x = 20%): 200,000")
    assert table.rows == (("zig", "250,000"), ("zag", "200,000"))


def test_full_width_signs_read_like_narrow_ones() -> None:
    (table,) = read_tables("权重：\n甲：25％\n乙：20％")
    assert table.rows == (("甲", "25%"), ("乙", "20%"))


def test_pairs_in_a_sentence_are_a_table() -> None:
    (table,) = read_tables("The money went to zig 40 %, zag 25 %.")
    assert table.kind == "percent" and [value for _, value in table.rows] == ["40 %", "25 %"]


def test_json_objects_are_tables_named_by_their_key() -> None:
    (table,) = read_tables('{"weights": {"zig": "25%", "zag": "20%"}}')
    assert table == Table("weights", "percent", (("zig", "25%"), ("zag", "20%")))


def test_dates_sources_and_plain_sentences_are_no_rows() -> None:
    assert read_tables("date: 2026-01-02\nsource: Volt\nJust a sentence.") == ()


def test_a_guards_note_is_left_out() -> None:
    assert without_notes("- a: 1\n[guard] search brought nothing 2 times: stop.") == "- a: 1"
    assert without_notes("[2026-01-02] Title\nx") == "[2026-01-02] Title\nx"


def test_names_match_in_singular_and_plural_and_inside_longer_ones() -> None:
    assert same_name("bank", "Banks") and same_name("地产", "房地产") and same_name("banks", "regional banks")
    assert not same_name("bank", "brokers") and not same_name("银行", "地产") and not same_name("car", "cargo ships")
