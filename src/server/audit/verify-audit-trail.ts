import type { Scope } from '../auth/scope';
import { AppError } from '../lib/errors';
import { processState } from '../lib/process-state';
import { type AuditVerification, verifyAuditChain } from './verify-audit-chain';

const state = processState<{ running: Promise<AuditVerification> | null }>(() => ({ running: null }));

/**
 * Verifies the trail for somebody who asks from a page. It reads every record, so those who ask at the same time share one
 * verification.
 * @throws AppError `refused` for readers of some tenants only: the chain runs through the records of all
 */
export async function verifyAuditTrail(scope: Scope<'audit:read'>): Promise<AuditVerification> {
  if (scope.tenants !== 'all') {
    throw new AppError(
      'refused',
      'The chain runs through the records of all tenants. Ask somebody who may read them all.',
    );
  }
  state.running ??= verifyAuditChain(scope).finally(() => {
    state.running = null;
  });
  return state.running;
}
