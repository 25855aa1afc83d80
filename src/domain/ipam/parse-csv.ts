/** One record of a CSV file with the line on which it begins; the first line of the file is 1. */
export type CsvRecord = { line: number; cells: string[] };

/**
 * Reads a CSV file after RFC 4180: commas, quotes doubled inside quotes, line breaks of any kind. Empty lines are left out.
 * @returns the records, and the line of a quote that is never closed
 */
export function parseCsv(text: string): { records: CsvRecord[]; unclosed: number | null } {
  const records: CsvRecord[] = [];
  const end = text.length;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  let unclosed: number | null = null;
  while (at < end) {
    const record: CsvRecord = { line, cells: [] };
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        const opened = line;
        at += 1;
        for (;;) {
          const quote = text.indexOf('"', at);
          const part = text.slice(at, quote < 0 ? end : quote);
          for (const char of part) if (char === '\n') line += 1;
          cell += part;
          if (quote < 0) {
            unclosed ??= opened;
            at = end;
            break;
          }
          at = quote + 1;
          if (text[at] !== '"') break;
          cell += '"';
          at += 1;
        }
      }
      // Text behind a closing quote belongs to the cell, as spreadsheets read it.
      let stop = at;
      while (stop < end && text[stop] !== ',' && text[stop] !== '\n' && text[stop] !== '\r') stop += 1;
      cell += text.slice(at, stop);
      record.cells.push(cell);
      at = stop;
      if (text[at] === ',') {
        at += 1;
        continue;
      }
      if (text[at] === '\r') at += 1;
      if (text[at] === '\n') at += 1;
      line += 1;
      break;
    }
    if (record.cells.length > 1 || record.cells[0]?.trim() !== '') records.push(record);
  }
  return { records, unclosed };
}
