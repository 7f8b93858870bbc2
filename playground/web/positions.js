// crdlint counts characters, CodeMirror UTF-16 units: an offset of the document for a 1-based line and column.
export function offset(doc, line, column) {
  const target = doc.line(Math.min(Math.max(line, 1), doc.lines));
  let units = 0;
  let characters = column - 1;
  for (const character of target.text) {
    if (characters-- <= 0) break;
    units += character.length;
  }
  return target.from + units;
}

// The 1-based line and column, in characters, of an offset.
export function place(doc, at) {
  const line = doc.lineAt(at);
  return { line: line.number, column: [...line.text.slice(0, at - line.from)].length + 1 };
}
