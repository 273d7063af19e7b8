"""Pages with the player, to save, to open and to show in a notebook."""

import html as _html
import os


class Page:
    """A page that plays a recording: one file, offline, in any browser. A notebook shows it by itself."""

    def __init__(self, html, title="Cairn"):
        self.html = html
        self.title = title

    def save(self, path):
        """Writes the page; returns its path."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)
        return os.fspath(path)

    def open(self, path="view.html"):
        """Writes the page and shows it in the browser, where there is one."""
        import webbrowser

        webbrowser.open("file://" + os.path.abspath(self.save(path)))
        return path

    def _repr_html_(self):
        return (f'<iframe title="{_html.escape(self.title)}" allowfullscreen style="width:100%;height:480px;border:0" '
                f'srcdoc="{_html.escape(self.html)}"></iframe>')

    def __repr__(self):
        return f"<cairn.Page '{self.title}', {len(self.html) / 1e6:.2f} MB>"
