import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { findOpenFamilies, lockFamily, revokeFamily } from '../queries/refresh-tokens';
import { deleteChallengesOf } from '../queries/second-factors';

/** Ends all sign-ins of a user but, when given, one; those that wait for a code, too. Their access tokens stop working at once. @returns how many */
export async function endSessions(tx: Tx, userId: string, except: string | null = null): Promise<number> {
  const at = clock.now().toISOString();
  const families = (await findOpenFamilies(tx, userId)).filter((family) => family !== except);
  for (const family of families) {
    await lockFamily(tx, family);
    await revokeFamily(tx, family, at);
  }
  await deleteChallengesOf(tx, userId);
  return families.length;
}
