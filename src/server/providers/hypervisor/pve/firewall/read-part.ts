import { ProviderError, type ProviderErrorCode } from '../../errors';
import type { FirewallPart, UnreadablePart } from '../../firewall-types';

/** Failures of the cluster or the access as a whole: every other part would meet them as well. */
const FATAL: readonly ProviderErrorCode[] = [
  'unreachable',
  'tls_untrusted',
  'tls_changed',
  'unauthorized',
  'target_refused',
];

/** The part, or null with the reason noted in `unreadable`. @throws ProviderError for faults of the cluster as a whole */
export async function readPart<T>(
  part: FirewallPart | Pick<UnreadablePart, 'part' | 'node' | 'vnet'>,
  reading: Promise<T>,
  unreadable: UnreadablePart[],
): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof ProviderError) || FATAL.includes(error.code)) throw error;
    unreadable.push({
      ...(typeof part === 'string' ? { part } : part),
      code: error.code,
      message: error.message.slice(0, 500),
      remedy: error.remedy.slice(0, 500),
    });
    return null;
  }
}

/** A list that the token would get without an error, but not completely. */
export const missingPrivilege = (privilege: string, path: string) =>
  new ProviderError(
    'forbidden',
    `The token lacks ${privilege} on ${path}`,
    `Grant the token a role with ${privilege} on ${path} (propagating); PVEAuditor on / includes it.`,
  );
