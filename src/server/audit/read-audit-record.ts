import type { AuditRecord } from '@/domain/audit';
import type { Scope } from '../auth/scope';
import { notFound } from '../lib/refusals';
import { findAuditRecord } from './queries/audit';

/** One record of the audit trail. @throws AppError `not_found`, also for one of another tenant */
export async function readAuditRecord(scope: Scope<'audit:read'>, id: string): Promise<AuditRecord> {
  const record = await findAuditRecord(scope.tenants, id);
  if (!record) throw notFound('audit record');
  return record;
}
