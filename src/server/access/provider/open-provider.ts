import type { ProviderCheck } from '@/domain/sign-in-provider';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { cache } from '../../lib/cache';
import { clock } from '../../lib/clock';
import { unseal } from '../../lib/crypto';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { OidcError } from '../../providers/oidc/oidc-error';
import { OidcProvider } from '../../providers/oidc/provider';
import { OIDC_ID, type OidcSettingsRow } from '../queries/provider';

/** For so long a provider's description and keys are not asked for again; keys that are new are found all the same. */
const KEPT_MS = 600_000;

/** Anyone may start a sign-in: each attempt must not query a provider that is down. */
const FAILURE_KEPT_MS = 5000;

const providers = cache<Promise<OidcProvider>, { now: number; until: number }>({
  name: 'sign_in_provider',
  maxEntries: 1,
  isFresh: ({ until }, { now }) => until > now && until - now <= KEPT_MS,
  keepsFailures: true,
});

/** The configured provider, its description read at most every ten minutes. @throws OidcError */
export async function openSignInProvider(row: OidcSettingsRow): Promise<OidcProvider> {
  const key = `${row.version} ${row.issuer} ${row.client_id}`;
  const now = clock.now().getTime();
  const seal = { now, until: now + KEPT_MS };
  return providers.load(key, seal, () => {
    const provider = open(row);
    provider.catch(() => {
      seal.until = clock.now().getTime() + FAILURE_KEPT_MS;
    });
    return provider;
  });
}

function open(row: OidcSettingsRow): Promise<OidcProvider> {
  const { client_secret_encrypted: sealed, client_secret_key_id: key_id } = row;
  const client_secret = sealed !== null && key_id !== null ? unseal({ sealed, key_id }, OIDC_ID) : null;
  const { issuer, client_id } = row;
  return OidcProvider.open({ issuer, client_id, client_secret }, env().FABRIC_ALLOW_PRIVATE_TARGETS);
}

/**
 * What the provider at an issuer reports about itself, before storing it. @throws AppError `refused` with the problem
 */
export async function checkSignInProvider(scope: Scope<'*'>, issuer: string): Promise<ProviderCheck> {
  const access = { issuer, client_id: 'check', client_secret: null };
  const note = (after: { issuer: string; usable: boolean }) =>
    db.transaction((tx) =>
      recordAudit(tx, scope, {
        action: 'settings.sign_in_provider_checked',
        object_kind: 'settings',
        object_id: OIDC_ID,
        after,
      }),
    );
  try {
    const described = (await OidcProvider.open(access, env().FABRIC_ALLOW_PRIVATE_TARGETS)).describe();
    await note({ issuer, usable: true });
    return described;
  } catch (cause) {
    if (!(cause instanceof OidcError)) throw cause;
    await note({ issuer, usable: false });
    const message = `${cause.message} ${cause.remedy}`;
    throw new AppError('refused', message, { cause, errors: [{ field: 'issuer', message }] });
  }
}
