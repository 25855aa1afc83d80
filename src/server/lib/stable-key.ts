import { hash } from 'node:crypto';

/** A 128-bit hash of the parts as a uuid. The parts are told apart, and null from an empty text. */
export function stableKey(parts: readonly (string | number | boolean | null)[]): string {
  const hex = hash('sha256', JSON.stringify(parts), 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
