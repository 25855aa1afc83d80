import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { encodeBase32 } from './base32';

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
 * The time step whose code was given, or null. Steps up to `lastStep` are used up: whoever looked over the shoulder must
 * not be able to use a code again.
 */
export function matchTotp(secret: Uint8Array, code: string, at: Date, lastStep: number | null): number | null {
  const given = Buffer.from(code);
  const now = stepAt(at);
  let found: number | null = null;
  // All of them, always: the time must not tell which one it was.
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
