import type { Tx } from '../../db/client';
import { seal, unseal } from '../../lib/crypto';
import { logger } from '../../lib/logger';
import { insertProviderSession, type ProviderSessionRow } from '../queries/provider-sessions';

/** What the ID token of a sign-in is bound to. */
export const providerSessionContext = (familyId: string) => `provider_session:${familyId}`;

type Kept = { family_id: string; user_id: string; issuer: string; id_token: string };

/** Keeps the ID token of a sign-in, which the provider asks for when somebody signs out there. */
export function keepProviderSession(tx: Tx, { id_token, ...row }: Kept): Promise<void> {
  const { sealed, key_id } = seal(id_token, providerSessionContext(row.family_id));
  return insertProviderSession(tx, { ...row, id_token_encrypted: sealed, secret_key_id: key_id });
}

/** The ID token of a sign-in; null when the present key does not open it: signing out works without. */
export function openIdToken({ family_id, id_token_encrypted: sealed, secret_key_id: key_id }: ProviderSessionRow) {
  try {
    return unseal({ sealed, key_id }, providerSessionContext(family_id));
  } catch (error) {
    logger.warn({ err: error }, 'the ID token of a sign-in cannot be decrypted');
    return null;
  }
}
