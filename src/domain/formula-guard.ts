/** What a spreadsheet runs as a formula, also behind blanks, and whatever apostrophes are in front. */
const FORMULA = /^'*[\s"]*[=+\-@]/;
/** At the beginning of a text also what ends a cell or line: a formula may follow. */
const FIRST = /^'*(?:[\s"]*[=+\-@]|[\t\r\n])/;

/**
 * A formula behind what a spreadsheet may take for the end of a cell or line. Where the decimal sign is a comma, it separates by `;` and
 * sees no quotes but those at the beginning of such a cell.
 */
const INNER = /[;\t\r\n](?='*[\s"]*[=+\-@])/g;

/** A text that no spreadsheet runs: an apostrophe goes in front of each formula. */
export function guardFormulas(text: string): string {
  const inner = text.replace(INNER, "$&'");
  return FIRST.test(text) ? `'${inner}` : inner;
}

/** The text from which `guardFormulas` made this one. One that it did not make loses an apostrophe in front of each formula. */
export function unguardFormulas(guarded: string): string {
  let text = guarded;
  // From the end, so that what follows a place is as it was.
  for (let at = text.length - 1; at > 0; at--) {
    const isGuard = text[at] === "'" && /[;\t\r\n]/.test(text[at - 1] ?? '') && FORMULA.test(text.slice(at + 1));
    if (isGuard) text = text.slice(0, at) + text.slice(at + 1);
  }
  return text.startsWith("'") && FIRST.test(text.slice(1)) ? text.slice(1) : text;
}
