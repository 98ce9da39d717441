"""Small notebooks for tests: cells, outputs, and a file that is in order unless told otherwise."""

import nbformat

from planexec.course import form, hosted


def code(source, *tags, outputs=(), count=None):
    cell = nbformat.v4.new_code_cell(source, outputs=list(outputs), execution_count=count)
    cell.metadata = nbformat.from_dict({"tags": list(tags)} if tags else {})
    return cell


def prose(source):
    return nbformat.v4.new_markdown_cell(source)


def stream(text, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


def shown(**data):
    named = {kind.replace("_", "/", 1).replace("svgxml", "svg+xml"): value for kind, value in data.items()}
    return nbformat.v4.new_output("display_data", data=named)


def store(folder, *cells, name="small.ipynb", normal=True, guard=True):
    """Write a notebook of `cells`, in normal form unless told otherwise, the guard in front unless told otherwise."""
    first = [code(hosted.guard(), hosted.TAG)] if guard else []
    notebook = nbformat.v4.new_notebook(cells=[*first, *cells])
    path = folder / name
    path.write_text(form.text(form.normalise(notebook) if normal else notebook), encoding="utf-8")
    return path
