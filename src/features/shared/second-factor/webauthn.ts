import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import type {
  PasskeyAnswer,
  PasskeyCreation,
  PasskeyCredential,
  PasskeyProblem,
  PasskeyRequest,
} from '@/domain/passkeys';
import type { SecondFactorState } from '@/domain/second-factor';
import { msg, type Translate } from '@/lib/i18n/translator';
import { type Failure, toFailure } from '@/lib/problem';

const PROBLEMS: Record<PasskeyProblem, string> = {
  no_public_url: msg('Passkeys need the URL of this service: Notifications, tab Email'),
  not_https: msg('Passkeys need HTTPS, and the URL of this service has none'),
  ip_address: msg('Passkeys need a host name, and the URL of this service has an IP address'),
};

/** Why no passkey can be created or used on this page; null when one can. */
export function passkeyObstacle(t: Translate, { origin, problem }: SecondFactorState['passkey_site']): string | null {
  if (problem !== null) return t(PROBLEMS[problem]);
  if (origin !== window.location.origin) return t('Open Fabric at {url} to use passkeys', { url: origin ?? '' });
  return browserSupportsWebAuthn() ? null : t('This browser does not support passkeys');
}

/** Asks the browser to create a passkey. @throws what `passkeyFailure` explains */
export async function createPasskey(options: PasskeyCreation): Promise<PasskeyCredential> {
  const { id, rawId, type, response } = await startRegistration({
    optionsJSON: options as PublicKeyCredentialCreationOptionsJSON,
  });
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports } };
}

/** Asks the browser for the answer of a passkey. @throws what `passkeyFailure` explains */
export async function askPasskey(options: PasskeyRequest): Promise<PasskeyAnswer> {
  const { id, rawId, type, response } = await startAuthentication({
    optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}

const REFUSALS: Readonly<Record<string, { title: string; detail: string }>> = {
  NotAllowedError: {
    title: msg('No passkey received'),
    detail: msg('The request was canceled or timed out. Try again.'),
  },
  AbortError: { title: msg('No passkey received'), detail: msg('The request was canceled or timed out. Try again.') },
  InvalidStateError: {
    title: msg('Passkey already added'),
    detail: msg('This device or security key already has a passkey for your account. Use another one.'),
  },
  SecurityError: {
    title: msg('Passkeys do not work at this address'),
    detail: msg('Open Fabric at its public URL, over HTTPS.'),
  },
  NotSupportedError: {
    title: msg('Passkey not supported'),
    detail: msg('This device cannot create a passkey for Fabric. Use another device or a security key.'),
  },
};

/** What the browser or the server said about a passkey, for people. */
export function passkeyFailure(t: Translate, error: unknown): Failure {
  const known = error instanceof Error ? REFUSALS[error.name] : undefined;
  return known ? { title: t(known.title), detail: t(known.detail) } : toFailure(error);
}
