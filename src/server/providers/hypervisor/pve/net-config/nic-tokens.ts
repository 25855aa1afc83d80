/**
 * One comma-separated part of a stored `netN` value. `text` is the part exactly as stored; `key` is null for a part
 * without `=` (the model of a virtual machine's card) and for an empty part, which the hypervisor skips.
 */
export type NicToken = { readonly text: string; readonly key: string | null; readonly value: string };

/** Far above anything the hypervisor prints; a longer value is not an interface. */
export const MAX_NIC_LENGTH = 2048;

function token(text: string): NicToken {
  const equals = text.indexOf('=');
  return equals < 0
    ? { text, key: null, value: text }
    : { text, key: text.slice(0, equals), value: text.slice(equals + 1) };
}

/** Splits a `netN` value. Nothing is trimmed, dropped or reordered: `formatNicTokens` gives back the same bytes. */
export const parseNicTokens = (text: string): NicToken[] => text.split(',').map(token);

export const formatNicTokens = (tokens: readonly NicToken[]): string => tokens.map(({ text }) => text).join(',');

/** The tokens with `key` set to `value`: replaced where it stands, else appended. Every other token is kept as it is. */
export function setNicToken(tokens: readonly NicToken[], key: string, value: string): NicToken[] {
  const replacement = token(`${key}=${value}`);
  return tokens.some((t) => t.key === key)
    ? tokens.map((t) => (t.key === key ? replacement : t))
    : [...tokens, replacement];
}
