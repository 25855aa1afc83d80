import { AccountEmail } from '@/domain/auth';
import type { ProviderProblem } from '@/domain/sign-in-provider';
import { recordAudit } from '../../audit/record';
import type { Origin } from '../../auth/scope';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import type { ProviderClaims } from '../../providers/oidc/read-claims';
import type { OidcSettingsRow } from '../queries/sign-in-provider';
import { findIdentity, insertIdentity, listIdentities, lockSubject, noteIdentityUse } from '../queries/user-identities';
import { lockUser, type UserRow } from '../queries/user-list';
import { findCredentials, insertUser } from '../queries/users';

type Found = { user: UserRow } | { problem: ProviderProblem; account: { id: string; email: string } | null };

const SYSTEM = { kind: 'system', id: null, name: 'sign-in provider' } as const;

const refused = (problem: ProviderProblem, account: { id: string; email: string } | null = null): Found => ({
  problem,
  account: account && { id: account.id, email: account.email },
});

async function locked(tx: Tx, id: string): Promise<UserRow> {
  const row = await lockUser(tx, id);
  if (!row) throw new Error('the account that was just written is not there');
  return row;
}

/** Ties an account to what the provider means by a subject. */
async function link(
  tx: Tx,
  user: { id: string; email: string },
  claims: ProviderClaims,
  origin: Origin,
): Promise<void> {
  const { issuer, subject, email } = claims;
  await insertIdentity(tx, { user_id: user.id, issuer, subject, email, last_used_at: clock.now().toISOString() });
  await recordAudit(
    tx,
    { actor: SYSTEM, origin },
    {
      action: 'user.identity_linked',
      object_kind: 'user',
      object_id: user.id,
      object_name: user.email,
      after: { issuer, subject, email },
    },
  );
}

/**
 * The account of whoever the provider vouches for, locked: by issuer and subject; else by an email address that the provider
 * verified, when linking is allowed and the account belongs to nobody there; else a new one, when that is allowed. An
 * address alone never gets in.
 */
export async function findAccount(
  tx: Tx,
  settings: Pick<OidcSettingsRow, 'create_users' | 'link_by_email'>,
  claims: ProviderClaims,
  origin: Origin,
): Promise<Found> {
  await lockSubject(tx, claims.issuer, claims.subject);
  const identity = await findIdentity(tx, claims.issuer, claims.subject);
  if (identity) {
    const user = await locked(tx, identity.user_id);
    if (!user.active) return refused('inactive', user);
    await noteIdentityUse(tx, identity.id, claims.email, clock.now().toISOString());
    return { user };
  }
  const email = AccountEmail.safeParse(claims.email);
  if (!email.success || !(settings.create_users || settings.link_by_email)) return refused('unknown_account');
  // Before anything is looked up: who only claims an address must not learn whether it has an account.
  if (!claims.email_verified) return refused('email_not_verified');
  const known = await findCredentials(email.data, tx);
  if (known) {
    if (!settings.link_by_email) return refused('email_taken', known);
    const user = await locked(tx, known.id);
    if (!user.active) return refused('inactive', user);
    if ((await listIdentities(tx, user.id)).length > 0) return refused('email_taken', user);
    await link(tx, user, claims, origin);
    return { user };
  }
  if (!settings.create_users) return refused('unknown_account');
  const created = { id: newId(), email: email.data, name: claims.name ?? '' };
  await insertUser(tx, { ...created, password_hash: null });
  await recordAudit(
    tx,
    { actor: SYSTEM, origin },
    {
      action: 'user.created',
      object_kind: 'user',
      object_id: created.id,
      object_name: created.email,
      after: { email: created.email, name: created.name, active: true, assignments: [] },
    },
  );
  await link(tx, created, claims, origin);
  return { user: await locked(tx, created.id) };
}
