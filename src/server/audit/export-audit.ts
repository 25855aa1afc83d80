import type { AuditListInput, AuditRecord } from '@/domain/audit';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import { listAuditRecords } from './queries/audit';

/** One page of an export of the trail: as the list gives it, but nobody counts all records for each page. */
export function exportAudit(
  scope: Scope<'audit:read'>,
  input: AuditListInput,
): Promise<Pick<Page<AuditRecord>, 'items' | 'next_cursor'>> {
  return listAuditRecords(scope.tenants, input, false);
}
