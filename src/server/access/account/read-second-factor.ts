import type { SecondFactorState } from '@/domain/second-factor';
import type { PersonSession } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findFamilyStart } from '../queries/refresh-tokens';
import { countRecoveryCodes, findSecondFactor } from '../queries/second-factors';
import { findCredentials, findUserWithRoles } from '../queries/users';

/** For so long after signing in nobody is asked again for what they just proved. */
const FRESH_SECONDS = 600;

/** Whether the session's user signed in a moment ago. */
export async function isFresh(session: PersonSession): Promise<boolean> {
  const since = await findFamilyStart(db, session.user.id, session.family_id);
  return since !== null && clock.now().getTime() - Date.parse(since) <= FRESH_SECONDS * 1000;
}

/** One's own second factor. */
export async function readSecondFactor(session: PersonSession): Promise<SecondFactorState> {
  const { id, email } = session.user;
  const [found, account, factor, recovery_codes_left, fresh] = await Promise.all([
    findUserWithRoles(db, id, clock.now().toISOString()),
    findCredentials(email),
    findSecondFactor(db, id),
    countRecoveryCodes(db, id),
    isFresh(session),
  ]);
  if (!found || !account) throw new AppError('unauthenticated', 'Sign in to continue.');
  return {
    enrolled_at: factor?.confirmed_at ?? null,
    recovery_codes_left,
    required_by: [...found.second_factor.required_by],
    has_password: account.password_hash !== null,
    proof_needed: !fresh,
  };
}
