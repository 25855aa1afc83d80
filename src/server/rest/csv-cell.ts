import { csvText } from '@/lib/csv-cell';

/**
 * One cell after RFC 4180. Text that a spreadsheet would run is made harmless: names and tags come from guests' owners. Numbers
 * are written as they are; null is empty; lists are joined with a blank.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return csvText(Array.isArray(value) ? value.join(' ') : String(value));
}
