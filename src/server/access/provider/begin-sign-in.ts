import { OIDC_CALLBACK_PATH, type ProviderProblem } from '@/domain/sign-in-provider';
import { db } from '../../db/client';
import { logger } from '../../lib/logger';
import { OidcError } from '../../providers/oidc/oidc-error';
import type { SignInChecks } from '../../providers/oidc/provider';
import { findOidcSettings } from '../queries/sign-in-provider';
import { openSignInProvider } from './open-provider';

/**
 * Where to send a browser that wants to sign in through the provider, and what its answer will be recognised by; or why
 * that is not possible.
 */
export async function beginSignIn(
  requestId: string,
): Promise<{ url: string; checks: SignInChecks } | { problem: ProviderProblem }> {
  const settings = await findOidcSettings(db);
  if (!settings?.enabled) return { problem: 'disabled' };
  try {
    const provider = await openSignInProvider(settings);
    return await provider.begin(settings.public_url + OIDC_CALLBACK_PATH, settings.scopes);
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    logger.warn({ err: error, request_id: requestId }, 'the sign-in provider cannot be asked');
    return { problem: error.reason };
  }
}
