import { guardFormulas } from '@/domain/formula-guard';

/** Text as a cell of RFC 4180 that no spreadsheet runs, whether it separates by comma, semicolon or tab. */
export function csvText(text: string): string {
  const safe = guardFormulas(text);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
