const QUOTED = /["\\]/g;

/**
 * Values as the text of a PostgreSQL array, for `${pgArray(values)}::text::inet[]`: one parameter however many rows, and no
 * conversion per value on the way.
 */
export function pgArray(values: readonly (string | number | boolean | null)[]): string {
  const items = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'string' ? `"${value.replace(QUOTED, '\\$&')}"` : String(value);
  });
  return `{${items.join(',')}}`;
}
