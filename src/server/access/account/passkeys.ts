import {
  type AddedPasskey,
  MAX_PASSKEYS,
  type Passkey,
  type PasskeyBegin,
  type PasskeyCreation,
  type PasskeyInput,
  type PasskeyRequest,
} from '@/domain/passkeys';
import type { SecondFactorProof } from '@/domain/second-factor';
import { assertNotLocked, loginLimits, recordFailure } from '../../auth/attempt-limits';
import type { PersonSession } from '../../auth/scope';
import { CEREMONY_SECONDS, createCreationOptions, createRequestOptions, verifyCreation } from '../../auth/webauthn';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import {
  deletePasskey,
  insertPasskey,
  isPasskeyNameTaken,
  listPasskeyRows,
  storePasskeyChallenge,
  updatePasskeyName,
} from '../queries/passkeys';
import { setFamilySecondFactor } from '../queries/refresh-tokens';
import { isSecondFactorSet } from '../queries/second-factors';
import { lockUser } from '../queries/user-list';
import { listUsablePasskeys, requirePasskeySite } from '../sign-in/passkey-answers';
import { endSessions } from '../sign-in/sessions';
import {
  auditOwnFactor,
  consumeOwnChallenge,
  ensureRecoveryCodes,
  finishRemoval,
  toPasskey,
  verifyFresh,
  verifyOwner,
} from './second-factor';

function storeChallenge(session: PersonSession, purpose: 'add' | 'prove', challenge: string): Promise<void> {
  const at = clock.now();
  return storePasskeyChallenge(db, {
    user_id: session.user.id,
    family_id: session.family_id,
    purpose,
    challenge,
    created_at: at.toISOString(),
    expires_at: new Date(at.getTime() + CEREMONY_SECONDS * 1000).toISOString(),
  });
}

const tooMany = () => new AppError('conflict', `You have ${MAX_PASSKEYS} passkeys. Remove one before you add another.`);

/**
 * What a browser needs to create a passkey. Nothing is stored but the challenge, which this sign-in can use once.
 * @throws AppError `refused` where browsers do not offer passkeys; as for the authenticator app when the sign-in is not
 * fresh
 */
export async function beginPasskey(session: PersonSession, input: PasskeyBegin): Promise<PasskeyCreation> {
  const site = await requirePasskeySite(db);
  await verifyFresh(session, input.current_password);
  const known = await listPasskeyRows(db, session.user.id);
  if (known.length >= MAX_PASSKEYS) throw tooMany();
  const here = known.filter(({ rp_id }) => rp_id === site.rp_id);
  const options = await createCreationOptions(site, session.user, here);
  await storeChallenge(session, 'add', options.challenge);
  return options;
}

async function assertNameFree(tx: Tx, userId: string, name: string, except: string | null): Promise<void> {
  if (!(await isPasskeyNameTaken(tx, userId, name, except))) return;
  const message = 'You have a passkey of this name already.';
  throw new AppError('conflict', message, { errors: [{ field: 'name', message }] });
}

/**
 * Adds the passkey that the browser created. The first factor of an account makes every sign-in ask for it, and ends all
 * other sign-ins.
 * @throws AppError `malformed` for an answer that does not fit the challenge; `conflict`; `too_many_requests`
 */
export async function addPasskey(session: PersonSession, { name, credential }: PasskeyInput): Promise<AddedPasskey> {
  const { id, email } = session.user;
  const site = await requirePasskeySite(db);
  const limits = loginLimits(email, session.origin);
  // On its own: whatever becomes of this answer, its challenge is used up.
  const challenge = await db.transaction((tx) => consumeOwnChallenge(tx, session, 'add'));
  const added = await db.transaction(async (tx) => {
    await lockUser(tx, id);
    await assertNotLocked(tx, limits);
    await assertNameFree(tx, id, name, null);
    const created = challenge === null ? null : await verifyCreation(site, challenge, credential);
    if (!created) {
      await recordFailure(tx, limits);
      return null;
    }
    if ((await listPasskeyRows(tx, id)).length >= MAX_PASSKEYS) throw tooMany();
    const first = !(await isSecondFactorSet(tx, id));
    const at = clock.now().toISOString();
    const row = await insertPasskey(tx, {
      ...created,
      transports: [...created.transports],
      user_id: id,
      name,
      rp_id: site.rp_id,
      created_at: at,
    });
    if (!row) throw new AppError('conflict', 'This passkey is registered already.');
    await auditOwnFactor(tx, session, 'auth.passkey_added', { after: { passkey: name } });
    const recovery_codes = await ensureRecoveryCodes(tx, id);
    if (first) {
      await setFamilySecondFactor(tx, session.family_id, 'passkey');
      const ended_sessions = await endSessions(tx, id, session.family_id);
      await auditOwnFactor(tx, session, 'auth.second_factor_set_up', { after: { ended_sessions } });
    }
    return { passkey: toPasskey(row), recovery_codes };
  });
  if (!added) throw new AppError('malformed', 'The passkey could not be verified, or took too long. Add it again.');
  return added;
}

/** @throws AppError `not_found`; `conflict` when another passkey of the user has the name */
export async function renamePasskey(session: PersonSession, passkeyId: string, name: string): Promise<Passkey> {
  const { id } = session.user;
  return db.transaction(async (tx) => {
    await lockUser(tx, id);
    const before = (await listPasskeyRows(tx, id)).find((row) => row.id === passkeyId);
    if (!before) throw notFound('passkey');
    await assertNameFree(tx, id, name, passkeyId);
    const row = await updatePasskeyName(tx, id, passkeyId, name);
    if (!row) throw notFound('passkey');
    if (before.name !== name) {
      const change = { before: { passkey: before.name }, after: { passkey: name } };
      await auditOwnFactor(tx, session, 'auth.passkey_renamed', change);
    }
    return toPasskey(row);
  });
}

/**
 * What a browser needs to prove with a passkey that it is its owner who changes the second factor.
 * @throws AppError `refused` where browsers do not offer passkeys, or without one for this address
 */
export async function beginPasskeyProof(session: PersonSession): Promise<PasskeyRequest> {
  const site = await requirePasskeySite(db);
  const known = await listUsablePasskeys(db, session.user.id);
  if (known.length === 0) throw new AppError('refused', 'You have no passkey for this address. Use a code.');
  const options = await createRequestOptions(site, known);
  await storeChallenge(session, 'prove', options.challenge);
  return options;
}

/**
 * Removes a passkey. When it was the last factor, the second factor is off.
 * @throws AppError `not_found`; `refused` for the last factor while a role requires one; `malformed`, `too_many_requests`
 */
export async function removePasskey(
  session: PersonSession,
  passkeyId: string,
  proof: SecondFactorProof,
): Promise<void> {
  const { id } = session.user;
  if (!(await listPasskeyRows(db, id)).some((row) => row.id === passkeyId)) throw notFound('passkey');
  await verifyOwner(session, proof);
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    const row = await deletePasskey(tx, id, passkeyId);
    if (!row) throw notFound('passkey');
    await auditOwnFactor(tx, session, 'auth.passkey_removed', { before: { passkey: row.name } });
    await finishRemoval(tx, session);
  });
}
