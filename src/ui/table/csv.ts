import { csvText } from '@/lib/csv-cell';

export type CsvValue = string | number | boolean | null | undefined;

const csvCell = (value: CsvValue): string =>
  typeof value === 'string' ? csvText(value) : value === null || value === undefined ? '' : String(value);

/** One line of RFC 4180, with its line break. Null and undefined are empty; text that a spreadsheet would run is made harmless. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}
