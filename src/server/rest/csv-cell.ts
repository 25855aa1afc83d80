/** Spreadsheets run text that begins so as a formula, also behind blanks. */
const FORMULA = /^[\s]*[=+\-@]|^[\t\r\n]/;

/**
 * One cell after RFC 4180. Text that a spreadsheet would run gets an apostrophe in front: names and tags come from
 * guests' owners. Numbers are written as they are; null is empty; lists are joined with a blank.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
