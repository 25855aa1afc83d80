import { randomBytes } from 'node:crypto';
import type { SecondFactorNeeded } from '@/domain/second-factor';
import type { SignInMethod } from '@/domain/sign-in-method';
import { hashToken } from '../../auth/session-tokens';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { countRecoveryCodes, findSecondFactor, insertChallenge } from '../queries/second-factors';
import { CHALLENGE_SECONDS } from './challenge-seconds';

/** Asks for a code when the user has set up a second factor; null: nothing to ask for. Lock the user before. `family_id` is that of the sign-in to be. */
export async function challengeIfEnrolled(
  tx: Tx,
  userId: string,
  method: SignInMethod,
  family_id: string | null = null,
): Promise<SecondFactorNeeded | null> {
  const factor = await findSecondFactor(tx, userId);
  if (!factor?.confirmed_at) return null;
  const challenge_token = randomBytes(32).toString('base64url');
  const at = clock.now();
  await insertChallenge(tx, {
    user_id: userId,
    token_hash: hashToken(challenge_token),
    method,
    family_id,
    created_at: at.toISOString(),
    expires_at: new Date(at.getTime() + CHALLENGE_SECONDS * 1000).toISOString(),
  });
  const recovery = (await countRecoveryCodes(tx, userId)) > 0;
  return {
    second_factor: {
      challenge_token,
      methods: recovery ? ['totp', 'recovery_code'] : ['totp'],
      expires_in: CHALLENGE_SECONDS,
    },
  };
}
