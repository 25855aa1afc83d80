export type CsvValue = string | number | boolean | null | undefined;

/** Spreadsheets run cells that begin with these as formulas; a value from outside must not become one. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of RFC 4180, with its line break. Null and undefined are empty; text that looks like a formula is quoted with '. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}
