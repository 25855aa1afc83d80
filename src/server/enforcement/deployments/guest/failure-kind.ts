import { ProviderError } from '../../../providers/hypervisor/errors';

/**
 * What a failed call means for what comes next: `again` after a look and a pause; `unknown`: it may have been done, so
 * look until that is clear; `guest_locked`: by a backup or migration, which may take hours; `fatal` for the guest;
 * `broken` for every guest of the cluster.
 */
export type FailureKind = 'again' | 'unknown' | 'guest_locked' | 'fatal' | 'broken';

const BROKEN = ['unreachable', 'tls_untrusted', 'tls_changed', 'unauthorized', 'target_refused', 'no_quorum'];
const FATAL = ['forbidden', 'invalid_parameter', 'not_found', 'not_running', 'agent_unavailable'];

export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof ProviderError)) return 'fatal';
  if (error.detail.outcomeUnknown) return 'unknown';
  if (error.code === 'locked')
    return /^(?:VM|CT) is locked/.test(error.detail.providerMessage ?? '') ? 'guest_locked' : 'again';
  if (BROKEN.includes(error.code)) return 'broken';
  return FATAL.includes(error.code) ? 'fatal' : 'again';
}
