import { createHash, randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '@/domain/second-factor';
import { encodeBase32 } from '../../auth/base32';

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
