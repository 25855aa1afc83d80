/** Text without control characters and line separators, runs of blanks joined, trimmed. */
export const stripControls = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
