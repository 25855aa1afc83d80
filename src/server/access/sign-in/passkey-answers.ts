import { type PasskeyAnswer, type PasskeyProblem, type PasskeySite, parsePasskeySite } from '@/domain/passkeys';
import { type PasskeyRefusal, verifyAnswer } from '../../auth/webauthn';
import type { Executor, Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findPublicUrl, listPasskeyRows, type PasskeyRow, recordPasskeyUse } from '../queries/passkeys';

/** Where passkeys work, by the configured public URL. */
export async function readPasskeySite(executor: Executor) {
  const url = await findPublicUrl(executor);
  const site = parsePasskeySite(url);
  return 'problem' in site ? { ...site, url } : site;
}

/** What a user reads whose passkey signed with a counter that did not grow. */
export const PASSKEY_COUNTER_MESSAGE =
  'The counter of the passkey did not grow, so the passkey may have been copied. Use another second factor, and remove this passkey.';

const PROBLEMS: Record<PasskeyProblem, (url: string | null) => string> = {
  no_public_url: () =>
    'Passkeys need the URL of this service. An administrator sets it under Notifications › Email server.',
  not_https: (url) =>
    `Passkeys need HTTPS, but the URL of this service is ${url}. An administrator can set up HTTPS and change the URL.`,
  ip_address: (url) =>
    `Passkeys need a host name, but the URL of this service is ${url}. An administrator can change it to one with a host name.`,
};

/** @throws AppError `refused` where browsers do not offer passkeys: without host name or HTTPS */
export async function requirePasskeySite(executor: Executor): Promise<PasskeySite> {
  const site = await readPasskeySite(executor);
  if ('problem' in site) {
    throw new AppError('refused', PROBLEMS[site.problem](site.url), { extra: { reason: site.problem } });
  }
  return site;
}

/** The user's passkeys that work at the present public URL. */
export async function listUsablePasskeys(executor: Executor, userId: string): Promise<PasskeyRow[]> {
  const rows = await listPasskeyRows(executor, userId);
  if (rows.length === 0) return rows;
  const site = await readPasskeySite(executor);
  return 'problem' in site ? [] : rows.filter(({ rp_id }) => rp_id === site.rp_id);
}

/**
 * Verifies the answer of one of the user's passkeys to a challenge, which the caller has used up, and notes the use. Lock
 * the user before: of two concurrent answers with the same counter one is refused.
 */
export async function acceptPasskeyAnswer(
  tx: Tx,
  userId: string,
  answer: PasskeyAnswer,
  challenge: string | null,
): Promise<{ refused: PasskeyRefusal } | null> {
  const site = await readPasskeySite(tx);
  const passkey = (await listUsablePasskeys(tx, userId)).find(({ credential_id }) => credential_id === answer.id);
  if ('problem' in site || challenge === null || !passkey) return { refused: 'wrong_passkey' };
  const verified = await verifyAnswer(site, challenge, answer, passkey);
  if ('refused' in verified) return verified;
  await recordPasskeyUse(tx, passkey.id, { ...verified, last_used_at: clock.now().toISOString() });
  return null;
}
