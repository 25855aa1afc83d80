import type { SecondFactorKind } from '@/domain/sign-in-method';
import { decodeBase32 } from '../../auth/base32';
import { matchTotp } from '../../auth/totp';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { unseal } from '../../lib/crypto';
import { findSecondFactor, spendRecoveryCode, spendStep } from '../queries/second-factors';
import { hashRecoveryCode } from '../sign-in/recovery-codes';

/**
 * Uses up a code of a user whose second factor is set up: six digits of the app, else a recovery code. Lock the user
 * before. @returns what it was, or null when it is wrong or was used already
 */
export async function spendCode(tx: Tx, userId: string, code: string): Promise<SecondFactorKind | null> {
  const at = clock.now();
  if (!/^\d{6}$/.test(code)) {
    return (await spendRecoveryCode(tx, userId, hashRecoveryCode(code), at.toISOString())) ? 'recovery_code' : null;
  }
  const factor = await findSecondFactor(tx, userId);
  if (!factor?.confirmed_at) return null;
  const { secret_encrypted: sealed, secret_key_id: key_id } = factor;
  const step = matchTotp(decodeBase32(unseal({ sealed, key_id }, userId)), code, at, factor.last_step);
  return step !== null && (await spendStep(tx, userId, step)) ? 'totp' : null;
}
