import { createHash, randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '@/domain/second-factor';
import { encodeBase32 } from './base32';

/** New codes of 80 random bits, in groups of four as people write them down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => encodeBase32(randomBytes(10)).match(/.{4}/g)?.join('-') ?? '');
}

/** What is stored: 80 random bits are too many to be found again from a plain hash. Hyphens and case do not matter. */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.replaceAll('-', '').toUpperCase()).digest('hex');
}
