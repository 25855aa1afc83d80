/** What a spreadsheet runs as a formula at the beginning of a cell, also behind blanks. */
const FORMULA = /^[\s"]*[=+\-@]|^[\t\r\n]/;

/**
 * The same behind what a spreadsheet may take for the end of a cell or line. Where the decimal sign is a comma, it separates by `;`
 * and sees no quotes but those at the beginning of such a cell.
 */
const INNER_FORMULA = /[;\t\r\n](?=[\s"]*[=+\-@])/g;

/** Text as a cell of RFC 4180 that no spreadsheet runs, whether it separates by comma, semicolon or tab: an apostrophe goes in front. */
export function csvText(text: string): string {
  const inner = text.replace(INNER_FORMULA, "$&'");
  const safe = FORMULA.test(inner) ? `'${inner}` : inner;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
