import type { AuditListInput, AuditRecord } from '@/domain/audit';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import { listAuditRecords } from './queries/audit';

/** One page of the audit trail. Records of the platform (without tenant) are for platform-wide readers only. */
export function listAudit(scope: Scope<'audit:read'>, input: AuditListInput): Promise<Page<AuditRecord>> {
  return listAuditRecords(scope.tenants, input);
}
