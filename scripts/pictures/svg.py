"""What the pictures have in common: a palette that reads on light and dark pages, and text in SVG."""

from xml.sax.saxutils import escape

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def text(x, y, content, css="", anchor="start"):
    style = f' class="{css}"' if css else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{style} xml:space="preserve">{escape(content)}</text>'


def document(width, height, title, style, body):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n" + "\n".join(body) + "\n</svg>\n"
    )
