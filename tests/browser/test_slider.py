"""The slider of thresholds."""

from typing import Any

import pytest

from browser.pages import SELECTIVE, Made, made
from browser.visits import PHONE, Opening, Scheme, Visit

RANGE = ".slider input[type='range']"


@pytest.fixture(scope="session")
def selective(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make a page with a slider."""
    return made(tmp_path_factory.mktemp("selective"), *SELECTIVE)


def points(selective: Made) -> list[dict[str, str]]:
    """Give what the report says of each threshold, from the lowest, as a page writes it."""
    result = selective.report["result"]
    return [
        {
            "threshold": str(point["threshold"]),
            "accepted": f"{point['records']} of {result['records']}",
            "coverage": f"{point['coverage']:.4f}",
            "accuracy": f"{1 - point['risk']:.4f}",
        }
        for point in sorted(result["curve"], key=lambda point: float(point["threshold"]))
    ]


def shown(there: Visit) -> dict[str, str]:
    """Give what the page says now."""
    said: dict[str, str] = there.page.evaluate(
        """Object.fromEntries([...document.querySelectorAll(".slider output")]
             .map(each => [each.dataset.shows, each.textContent]))"""
    )
    return said


def test_it_starts_where_the_report_acts(opened: Opening, selective: Made) -> None:
    result = selective.report["result"]
    first = shown(opened(selective.page))
    assert first["accepted"] == f"{result['accepted']} of {result['records']}"
    assert first["coverage"] == f"{result['coverage']:.4f}"
    assert first["accuracy"] == f"{1 - result['risk']:.4f}"
    assert float(first["threshold"]) >= selective.report["options"]["confidence_threshold"]


def test_the_keyboard_moves_it_to_the_numbers_of_the_report(opened: Opening, selective: Made) -> None:
    there, held = opened(selective.page, PHONE), points(selective)
    slider = there.page.locator(RANGE)
    slider.press("Home")
    assert shown(there) == held[0]
    for place in range(1, 30):
        slider.press("ArrowRight")
        assert shown(there) == held[place]
    slider.press("ArrowLeft")
    assert shown(there) == held[28]
    slider.press("PageUp")
    assert shown(there) == held[int(slider.input_value())] != held[28]
    slider.press("End")
    assert shown(there) == held[-1]


def test_every_place_of_it_shows_the_numbers_of_the_report(opened: Opening, selective: Made) -> None:
    there, held = opened(selective.page), points(selective)
    said: list[dict[str, Any]] = there.page.evaluate(
        """() => {
          const range = document.querySelector(".slider input");
          return Array.from({length: Number(range.max) + 1}, (_, place) => {
            range.value = place;
            range.dispatchEvent(new Event("input"));
            return Object.fromEntries([...document.querySelectorAll(".slider output")]
              .map(each => [each.dataset.shows, each.textContent]));
          });
        }"""
    )
    assert said == held


def test_the_marker_stands_at_the_threshold(opened: Opening, selective: Made) -> None:
    there, held = opened(selective.page), points(selective)
    slider, marker = there.page.locator(RANGE), there.page.locator(".slider .marker")
    low, high = (float(held[place]["threshold"]) for place in (0, -1))
    slider.press("Home")
    for place in range(4):
        path = marker.get_attribute("d") or ""
        across = 100 * (float(held[place]["threshold"]) - low) / (high - low)
        assert float(path.removeprefix("M").partition(" ")[0]) == pytest.approx(across)
        slider.press("ArrowRight")
    slider.press("End")
    assert marker.get_attribute("d") == "M100 -4V104"
    ticks = there.page.locator(".slider .ticks span").all_text_contents()
    assert [float(tick) for tick in ticks] == pytest.approx([low, (low + high) / 2, high], abs=1e-4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_numbers_at_the_lines_can_be_read(opened: Opening, selective: Made, scheme: Scheme) -> None:
    contrasts: list[float] = opened(selective.page, PHONE, scheme).page.evaluate(
        """() => {
          const light = text => {
            const parts = text.match(/[0-9.]+/g).slice(0, 3).map(part => part / 255)
              .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
          };
          const paper = light(getComputedStyle(document.body).backgroundColor);
          return [...document.querySelectorAll(".ticks span, .shares span")].map(each => {
            const ink = light(getComputedStyle(each).color);
            return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
          });
        }"""
    )
    assert len(contrasts) == 6
    assert min(contrasts) >= 4.5


def test_it_is_named_and_says_its_threshold(opened: Opening, selective: Made) -> None:
    slider = opened(selective.page).page.locator(RANGE)
    slider.press("Home")
    assert slider.get_attribute("aria-valuetext") == f"threshold {points(selective)[0]['threshold']}"
    assert "Threshold" in slider.evaluate("each => each.labels[0].textContent")


def test_the_pointer_moves_it(opened: Opening, selective: Made) -> None:
    there = opened(selective.page)
    slider = there.page.locator(RANGE)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    there.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    held = points(selective)
    assert shown(there) == held[int(slider.input_value())]
    assert abs(int(slider.input_value()) - len(held) / 2) < len(held) / 10


def test_without_scripts_there_is_the_table_in_its_place(opened: Opening, selective: Made) -> None:
    there = opened(selective.page, script=False)
    assert there.page.locator(RANGE).count() == 1
    assert not there.page.locator(RANGE).is_visible()
    table = there.page.locator("table", has=there.page.locator("caption", has_text="curve")).first
    assert table.is_visible()
    assert len(table.locator("tbody tr").all()) > 10


def test_paper_has_no_slider(opened: Opening, selective: Made) -> None:
    there = opened(selective.page)
    there.page.emulate_media(media="print")
    assert not there.page.locator(RANGE).is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_seen_and_read(opened: Opening, selective: Made, scheme: Scheme) -> None:
    assert opened(selective.page, PHONE, scheme).violations() == []
