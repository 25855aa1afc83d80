import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { OIDC_SIGNED_OUT_PATH, type SignedOut } from '@/domain/sign-in-provider';
import type { OpenScope } from '../../auth/scope';
import { db } from '../../db/client';
import { logger } from '../../lib/logger';
import { OidcError } from '../../providers/oidc/oidc-error';
import { findOidcSettings } from '../queries/sign-in-provider';
import { type EndedSignIn, logout } from '../sign-in/logout';
import { openIdToken } from '../sign-in/provider-session';
import { openSignInProvider } from './open-provider';

/** `state` is what the browser brings back from the provider. */
export type ProviderSignOut = SignedOut & { state: string | null };

const NONE: ProviderSignOut = { provider_session: 'none', provider_url: null, state: null };
const KEPT: ProviderSignOut = { ...NONE, provider_session: 'kept' };

/** Nobody waits longer for a provider that is asked for its addresses. */
const PATIENCE_MS = 3000;

async function atProvider(scope: OpenScope, ended: readonly EndedSignIn[]): Promise<ProviderSignOut> {
  const through = ended.find(({ method }) => method === 'oidc');
  const settings = through ? await findOidcSettings(db) : null;
  if (!through || !settings?.enabled || !settings.sign_out_at_provider) return NONE;
  const { provider_session: held } = through;
  // Of a provider that was configured before nothing is known any more.
  if (held && held.issuer !== settings.issuer) return KEPT;
  const late = delay(PATIENCE_MS, null, { ref: false });
  try {
    const provider = await Promise.race([openSignInProvider(settings), late]);
    const state = randomBytes(32).toString('base64url');
    const redirect_uri = settings.public_url + OIDC_SIGNED_OUT_PATH;
    const url = provider?.endSession({ id_token: held && openIdToken(held), redirect_uri, state }) ?? null;
    return url === null ? KEPT : { provider_session: 'ends', provider_url: url, state };
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    logger.warn({ err: error, request_id: scope.origin.request_id }, 'the sign-in provider cannot be asked');
    return KEPT;
  }
}

/**
 * Ends the sign-ins that the caller proved to hold, whatever the provider does, and says where the browser ends its session at
 * the provider: when the sign-in came from there, and the settings ask for it.
 */
export async function signOut(scope: OpenScope, held: Parameters<typeof logout>[1]): Promise<ProviderSignOut> {
  return atProvider(scope, await logout(scope, held));
}
