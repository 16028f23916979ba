"""What the pictures have in common: a palette that reads on light and dark pages, text in SVG, boxes and arrows."""

from xml.sax.saxutils import escape

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

# The style of diagrams.
DIAGRAM = f"""
text {{ font: 12.5px {FONT}; fill: #24292f; }}
.name {{ font-weight: 700; font-size: 13.5px; }}
.small {{ font-size: 11.5px; }}
.zone {{ fill: #f6f8fa; stroke: #8c959f; stroke-dasharray: 5 4; }}
.box, .client {{ fill: #ffffff; stroke: #57606a; }}
.wasm {{ fill: #ddf4ff; stroke: #0969da; }}
.arrow {{ fill: none; stroke: #57606a; stroke-width: 1.6; marker-end: url(#head); }}
.head {{ fill: #57606a; }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #e6edf3; }}
  .zone {{ fill: #161b22; stroke: #6e7681; }}
  .box, .client {{ fill: #0d1117; stroke: #8b949e; }}
  .wasm {{ fill: #0c2d4a; stroke: #58a6ff; }}
  .arrow {{ stroke: #8b949e; }}
  .head {{ fill: #8b949e; }}
}}
"""

# What arrows end in.
HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
)


def text(x, y, content, css="", anchor="start"):
    style = f' class="{css}"' if css else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{style} xml:space="preserve">{escape(content)}</text>'


def box(x, y, width, height, css, title, lines):
    """A box with its title and lines of text; the title of a zone stands above it."""
    parts = [f'<rect class="{css}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>']
    centre = x + width / 2
    if css == "zone":
        return parts + [text(centre, y - 10, title, "name", "middle")]
    parts.append(text(centre, y + 20 if lines else y + height / 2 + 5, title, "name", "middle"))
    return parts + [text(centre, y + 39 + 17 * i, line, "small", "middle") for i, line in enumerate(lines)]


def arrow(points, label="", place=None, anchor="", css="arrow"):
    path = " L".join(f"{x} {y}" for x, y in points)
    parts = [f'<path class="{css}" d="M{path}"/>']
    return parts + ([text(*place, label, "small", anchor)] if place else [])


def document(width, height, title, style, body, description=""):
    described = f"<desc>{escape(description)}</desc>\n" if description else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n{described}<style>{style}</style>\n" + "\n".join(body) + "\n</svg>\n"
    )
