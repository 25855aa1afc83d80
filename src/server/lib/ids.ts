import { hash } from 'node:crypto';
import { v7 } from 'uuid';

/** A new UUIDv7: ids sort by creation, which keeps primary-key inserts local and gives lists a stable order. */
export function newId(): string {
  return v7();
}

/** A 128-bit hash of the parts as a UUID. Boundaries between parts count, and null differs from an empty text. */
export function stableKey(parts: readonly (string | number | boolean | null)[]): string {
  const hex = hash('sha256', JSON.stringify(parts), 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
