"""The plots on a page."""

import pytest

from golden_cases import GOLDEN
from render.test_html import sound
from tallystick import Report
from tallystick.glossary import glossaries
from tallystick.render.charts import COLOURS, plots
from tallystick.render.html import page
from tallystick.render.layout import clean


@pytest.mark.parametrize("case", ["selective/pass", "classification/fail", "release/pass-two-candidates"])
def test_each_plot_is_a_figure_with_its_words_and_the_table_behind_it(case: str) -> None:
    report = Report.load(GOLDEN / case / "report.json")
    read = sound(page(report, glossaries(report)))
    figures = [attributes for tag, attributes in read.elements if tag == "svg" and "role" in attributes]
    assert len(figures) == read.tags()["figure"] == len(plots(report)) > 0
    for plot in plots(report):
        assert clean(plot.about) in read.seen
    assert all(float(each["width"]) > 100 for each in figures)


def test_a_page_gives_each_colour_of_the_plots_for_light_and_for_dark() -> None:
    report = Report.load(GOLDEN / "selective" / "pass" / "report.json")
    text = page(report, {})
    for name, (light, dark) in COLOURS.items():
        assert f"{name}:{light};" in text
        assert f"{name}:{dark};" in text
