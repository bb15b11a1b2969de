# Writes jupyter.ipynb beside this file with Jupyter's own library, nbformat 5.11.1 (Python 3.11).
import pathlib
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

code = new_code_cell("%%\nfmt.Println(\"<ε & δ>\")\n", id="code-1", execution_count=3, metadata={"tags": ["parameters"], "collapsed": False})
code.outputs = [
    new_output("stream", name="stdout", text="<ε & δ>\nno line end"),
    new_output("display_data", {"image/png": "iVBORw0KGgo=", "text/plain": "a figure\nof two lines",
                                "application/vnd.dplab.chart+json": {"y": [1.5, 1e-300, "+Inf"], "a": None}},
               metadata={"image/png": {"height": 288, "width": 480}}),
    new_output("execute_result", {"text/html": "<b>bold</b>"}, execution_count=3),
    new_output("error", ename="ERROR", evalue="exit status 2", traceback=["\x1b[31mexit status 2\x1b[0m"]),
]
markdown = new_markdown_cell("intro\n\n## A heading #\ntext", id="text-1", attachments={"a.png": {"image/png": "iVBORw0KGgo="}})
nb = new_notebook(cells=[markdown, code, new_code_cell("", id="empty"), new_raw_cell("raw", id="raw_1")],
                  metadata={"kernelspec": {"name": "gonb", "display_name": "Go (gonb)", "language": "go"}, "zoo": {"keeper": [1, 2.50]}})
nbformat.validate(nb)
pathlib.Path(__file__).with_name("jupyter.ipynb").write_text(nbformat.writes(nb) + "\n")
