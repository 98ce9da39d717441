"""What the labs share whose picture is lanes: the picture, printed and moving, and the sentence as `repr`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planexec.show.lanes import Lane, lanes_picture, lanes_svg

if TYPE_CHECKING:
    from planexec.show.picture import Picture


class LaneView:
    """A view with `lanes`, a `title` that states the finding, a `text`, and the name of its `axis`."""

    lanes: tuple[Lane, ...]
    axis = "seconds"

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def text(self) -> str:
        raise NotImplementedError

    @property
    def picture(self) -> Picture:
        return lanes_picture(self.lanes, self.title, self.axis)

    @property
    def svg(self) -> str:
        return lanes_svg(self.lanes, self.title, self.axis)

    def __repr__(self) -> str:
        return self.text
