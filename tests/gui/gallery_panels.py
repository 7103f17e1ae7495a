"""The widgets of the work as pages of the gallery: grade bar, values, explanation."""

from PySide6.QtWidgets import (
    QVBoxLayout,
    QWidget,
)

from judgetool.core.scale import numbered_scale, scale_preset
from judgetool.gui.widgets.banner import BannerText
from judgetool.gui.widgets.buttons import Pill, Segment, Segmented
from judgetool.gui.widgets.explain_table import (
    ExplainRow,
    ExplainTable,
    ShownExplanation,
    explain_section,
)
from judgetool.gui.widgets.grade_bar import GradeBar
from judgetool.gui.widgets.live_values import LiveHead, LiveValues, MeasureRow
from judgetool.gui.widgets.small_charts import SessionChart, SessionPoint, session_section


def stack(*widgets: QWidget, width: int = 838) -> QWidget:
    """Return the widgets under each other."""
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    for widget in widgets:
        column.addWidget(widget)
    page.resize(width, page.sizeHint().height())
    return page


def grade_bars() -> QWidget:
    """Return the grade bar in its states."""
    plain = GradeBar()
    plain.set_scale(scale_preset("0-3"))
    given = GradeBar()
    given.set_scale(scale_preset("0-3"))
    given.set_given(2, actions={"flag"})
    closed = GradeBar()
    closed.set_scale(scale_preset("0-3"))
    closed.set_judging(is_judging=False)
    yandex = GradeBar()
    yandex.set_scale(scale_preset("yandex"))
    yandex.set_given(0)
    many = GradeBar()
    many.set_scale(numbered_scale("many", [f"Level {place}" for place in range(10)]))
    focus = GradeBar()
    focus.set_scale(scale_preset("binary"))
    focus.set_room("focus")
    focus.set_hint("Next after a grade", "next unjudged")
    low = GradeBar()
    low.set_scale(scale_preset("0-3"))
    low.set_room("low")
    banner = GradeBar()
    banner.set_scale(scale_preset("0-3"))
    banner.show_banner(
        BannerText(
            "bad",
            "Not saved: the disk is full. ‘Quick beef chilli’ has no grade until this is settled.",
            (("retry", "Retry"), ("elsewhere", "Save elsewhere…")),
        )
    )
    return stack(plain, given, closed, yandex, many, focus, low, banner)


def narrow_bars() -> QWidget:
    """Return the grade bar at narrow widths."""
    page = QWidget()
    top = 0
    for width in (740, 680, 620, 420, 330):
        bar = GradeBar(page)
        bar.set_scale(scale_preset("0-3"))
        bar.setGeometry(0, top, width, 60)
        top += 68
    page.resize(760, top)
    return page


def small_parts() -> QWidget:
    """Return pills and the segmented switch."""
    views = Segmented(
        (
            Segment("list", "List", "list", "Ctrl+1"),
            Segment("focus", "Focus", "file-text", "Ctrl+2"),
            Segment("whatif", "What-if", "arrow-up-down", "Ctrl+3"),
            Segment("compare", "Compare", "columns-2", "Ctrl+4"),
        )
    )
    on = Pill("All", 20)
    on.setChecked(True)
    crossed = Pill("Flagged", 1234, has_cross=True)
    crossed.setChecked(True)
    return stack(views, on, Pill("To do", 5), crossed, width=400)


ROWS = (
    MeasureRow(
        "P@5",
        0.6,
        "",
        "5 of 5 judged",
        0.0,
        0.6,
        0.6,
        mean=0.7789,
        mean_change=0.0,
        mean_low=0.77,
        mean_high=0.81,
    ),
    MeasureRow(
        "P@10",
        0.4,
        "",
        "7 of 10 judged",
        0.1,
        0.4,
        0.7,
        mean=0.6579,
        mean_change=0.0053,
        mean_low=0.65,
        mean_high=0.72,
    ),
    MeasureRow(
        "R@10",
        1.0,
        "",
        "7 of 10 judged",
        0.0,
        0.28,
        1.0,
        mean=0.7455,
        mean_change=0.0,
        mean_low=0.5,
        mean_high=0.75,
    ),
    MeasureRow(
        "AP",
        0.8929,
        "",
        "7 of 20 judged",
        -0.1071,
        0.6,
        0.9,
        mean=0.7747,
        mean_change=-0.0056,
        mean_low=0.7,
        mean_high=0.82,
    ),
    MeasureRow(
        "RR",
        1.0,
        "",
        "7 of 20 judged",
        0.0,
        1.0,
        1.0,
        mean=0.8553,
        mean_change=0.0,
        mean_low=0.85,
        mean_high=0.88,
    ),
    MeasureRow(
        "nDCG@5",
        0.8811,
        "",
        "5 of 5 judged",
        -0.0704,
        0.58,
        0.9,
        mean=0.7764,
        mean_change=-0.0037,
        mean_low=0.67,
        mean_high=0.81,
    ),
    MeasureRow(
        "nDCG@10",
        0.9383,
        "",
        "7 of 10 judged",
        -0.0131,
        0.4,
        0.9383,
        mean=0.7903,
        mean_change=-0.0007,
        mean_low=0.62,
        mean_high=0.83,
    ),
    MeasureRow(
        "ERR@10",
        None,
        "No document of this query is relevant.",
        "7 of 10 judged",
        None,
        None,
        None,
        mean=0.7066,
        mean_change=0.0,
        mean_low=0.7,
        mean_high=0.75,
    ),
    MeasureRow(
        "pFound@10",
        0.9581,
        "",
        "7 of 10 judged",
        0.0006,
        0.95,
        0.97,
        mean=0.7873,
        mean_change=0.0,
        mean_low=0.78,
        mean_high=0.83,
    ),
    MeasureRow(
        "Judged@10",
        0.7,
        "",
        "share judged",
        0.1,
        0.7,
        0.7,
        mean=0.8158,
        mean_change=0.0053,
        mean_low=0.8158,
        mean_high=0.8158,
    ),
)


def live_values() -> QWidget:
    """Return the live panel at three widths."""
    page = QWidget()
    left = 0
    for width in (340, 380, 300, 220):
        panel = LiveValues(page)
        panel.set_head(LiveHead("trec_eval", 19, "last judgment"))
        panel.set_rows(ROWS)
        panel.set_current("nDCG@10")
        panel.setGeometry(left, 0, width, 460)
        left += width + 8
    page.resize(left, 460)
    return page


def explanation() -> ShownExplanation:
    """Return the explanation of the picture."""
    lines = (
        "1 3 1.000 3.000 3.000",
        "2 1 0.631 0.631 1.893",
        "3 3 0.500 1.500 0.500",
        "4 0 0.431 0.000 0.431",
        "5 0 0.387 0.000 0.000",
        "6 0 0.356 0.000 0.000",
        "7 1 0.333 0.333 0.000",
        "8 – 0.315 0.000 0.000",
        "9 – 0.301 0.000 0.000",
        "10 – 0.289 0.000 0.000",
    )
    rows = []
    for line in lines:
        cells = tuple(line.split())
        has_grade = cells[1] != "–"
        rows.append(
            ExplainRow(
                cells,
                float(cells[1]) if has_grade else None,
                is_unjudged=not has_grade,
                is_current=cells[0] == "8",
            )
        )
    return ShownExplanation(
        ("rank", "grade", "discount", "gain × disc.", "ideal"),
        tuple(rows),
        ("DCG, ideal", "", "", "5.464", "5.823"),
        "5.464 ÷ 5.823 =",
        "0.9383",
    )


def side_panel() -> QWidget:
    """Return explain and session under each other, as in the dock."""
    table = ExplainTable()
    table.set_scale(scale_preset("0-3"))
    table.set_explanation(explanation())
    explained = explain_section(table)
    explained.header.set_title("nDCG@10 explained")
    chart = SessionChart()
    points = [
        (0.95, 0.45, 0.96),
        (0.95, 0.45, 0.96),
        (0.94, 0.46, 0.95),
        (0.94, 0.5, 0.95),
        (0.9383, 0.5, 0.94),
    ]
    chart.set_points(tuple(SessionPoint(*point) for point in points), name="nDCG@10")
    session = session_section(chart)
    session.header.set_side("nDCG@10 after each step")
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(explained)
    column.addWidget(session)
    page.resize(340, 400)
    return page


PAGES = {
    "grade-bars": grade_bars,
    "narrow-bars": narrow_bars,
    "small-parts": small_parts,
    "live-values": live_values,
    "side-panel": side_panel,
}
