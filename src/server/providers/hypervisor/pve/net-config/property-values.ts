/** A value inside a property string that is not what its key allows. `message` names key and value. */
export class PropertyValueError extends Error {}

/** Booleans inside property strings; at top level only 0 and 1 are allowed. */
export function parsePropertyBoolean(key: string, value: string): boolean {
  if (/^(1|on|yes|true)$/i.test(value)) return true;
  if (/^(0|off|no|false)$/i.test(value)) return false;
  throw new PropertyValueError(`${key}=${value} is not a boolean`);
}

/** A decimal integer in [min, max]. */
export function parsePropertyInteger(key: string, value: string, min: number, max: number): number {
  const number = /^[+-]?\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new PropertyValueError(`${key}=${value} is not a whole number from ${min} to ${max}`);
  return number;
}

/** The value when it has the shape asked for. */
export function parsePropertyText(key: string, value: string, shape: RegExp): string {
  if (!shape.test(value)) throw new PropertyValueError(`${key}=${value} has an unknown form`);
  return value;
}
