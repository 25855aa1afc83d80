/** A SHA-256 certificate fingerprint as `AA:BB:…` (32 pairs), from any usual spelling; null when it is not one. */
export function normalizeFingerprint(text: string): string | null {
  const digits = text
    .trim()
    .replace(/^sha-?256[\s:=]*(fingerprint[\s:=]*)?/i, '')
    .replace(/[\s:]/g, '');
  if (!/^[0-9a-f]{64}$/i.test(digits)) return null;
  return digits.toUpperCase().match(/../g)?.join(':') ?? null;
}
