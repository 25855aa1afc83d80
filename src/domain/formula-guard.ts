/** What a spreadsheet runs as a formula: at the beginning of a cell, also behind blanks, and whatever apostrophes are in front. */
const FORMULA = /^'*[\s"]*[=+\-@]/;
/** At the beginning of a text, what separates cells and lines may be followed by one. */
const FIRST = /^'*(?:[\s"]*[=+\-@]|[\t\r\n])/;

/**
 * The places of a text at which a cell may begin: the first, and those behind what a spreadsheet may take for the end of a cell or line.
 * Where the decimal sign is a comma, it separates by `;` and sees no quotes but those at the beginning of such a cell.
 */
const isPlace = (text: string, at: number): boolean => at === 0 || /[;\t\r\n]/.test(text[at - 1] ?? '');
const isFormula = (text: string, at: number): boolean => (at === 0 ? FIRST : FORMULA).test(text.slice(at));

/** A text that no spreadsheet runs: with an apostrophe in front of each formula. */
export function guardFormulas(text: string): string {
  let guarded = text;
  // From the end, so that the places before it stay where they are.
  for (let at = text.length; at >= 0; at--) {
    if (isPlace(text, at) && isFormula(text, at)) guarded = `${guarded.slice(0, at)}'${guarded.slice(at)}`;
  }
  return guarded;
}

/** The text from which `guardFormulas` made this one. One that it did not make loses an apostrophe in front of each formula. */
export function unguardFormulas(guarded: string): string {
  let text = guarded;
  for (let at = guarded.length - 1; at >= 0; at--) {
    const without = text.slice(0, at) + text.slice(at + 1);
    if (text[at] === "'" && isPlace(text, at) && isFormula(without, at)) text = without;
  }
  return text;
}
