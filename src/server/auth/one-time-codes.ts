import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { RECOVERY_CODES } from '@/domain/second-factor';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 base 32 without padding. */
export function encodeBase32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += ALPHABET[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}

/** The bytes of what `encodeBase32` wrote. @throws Error for anything else */
export function decodeBase32(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const letter of text) {
    const five = ALPHABET.indexOf(letter);
    if (five < 0) throw new Error('expected base 32');
    value = (value << 5) | five;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = value >>> bits;
    at += 1;
    value &= (1 << bits) - 1;
  }
  return bytes;
}

/** RFC 6238 as every authenticator app knows it: SHA-1, six digits, 30 seconds. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the present one whose codes count: clocks and fingers are slow. */
const DRIFT = 1;

/** A new shared secret of 160 bits. */
export const newTotpSecret = (): Buffer => randomBytes(20);

/** The code of one time step. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

export const stepAt = (at: Date): number => Math.floor(at.getTime() / 1000 / STEP_SECONDS);

/**
 * The time step whose code was given, or null. Steps up to `lastStep` are used up, so a code read over the user's
 * shoulder cannot be used again.
 */
export function matchTotp(secret: Uint8Array, code: string, at: Date, lastStep: number | null): number | null {
  const given = Buffer.from(code);
  const now = stepAt(at);
  let found: number | null = null;
  // Always check all steps: the timing must not reveal which one matched.
  for (let step = now - DRIFT; step <= now + DRIFT; step += 1) {
    const right = Buffer.from(totpCode(secret, step));
    const same = right.length === given.length && timingSafeEqual(right, given);
    if (same && (lastStep === null || step > lastStep)) found ??= step;
  }
  return found;
}

/** The address that an authenticator app reads from a QR code. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const issuer = 'Fabric';
  const query = new URLSearchParams({
    secret: encodeBase32(secret),
    issuer,
    algorithm: 'SHA1',
    digits: String(DIGITS),
    period: String(STEP_SECONDS),
  });
  return `otpauth://totp/${issuer}:${encodeURIComponent(account)}?${query}`;
}

/** New codes of 120 random bits, in groups of four as people write them down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => encodeBase32(randomBytes(15)).match(/.{4}/g)?.join('-') ?? '');
}

/**
 * What is stored: from 112 random bits a plain hash is enough (ASVS 5.0, 6.5.2). Codes of 80 bits that were handed out before
 * work until they are used or replaced. Hyphens and case do not matter.
 */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.replaceAll('-', '').toUpperCase()).digest('hex');
}
