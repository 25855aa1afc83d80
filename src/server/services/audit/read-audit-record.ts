import type { AuditRecord } from '@/domain/audit';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { findAuditRecord } from '../../repositories/audit';

/** One record of the audit trail. @throws AppError `not_found`, also for one of another tenant */
export async function readAuditRecord(scope: Scope<'audit:read'>, id: string): Promise<AuditRecord> {
  const record = await findAuditRecord(scope.tenants, id);
  if (!record) throw new AppError('not_found', 'There is no such audit record.');
  return record;
}
