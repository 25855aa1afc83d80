import { z } from 'zod';
import { AuditListInput, AuditPage, AuditRecord } from '@/domain/audit';
import { listAudit } from '../../services/audit/list-audit';
import { readAuditRecord } from '../../services/audit/read-audit-record';
import { defineRoute } from '../define-route';

const listAuditRoute = defineRoute({
  method: 'GET',
  path: '/audit',
  summary: 'The audit trail, newest first.',
  tag: 'Audit',
  access: { permission: 'audit:read' },
  query: AuditListInput,
  response: { status: 200, schema: AuditPage },
  handler: ({ scope, query }) => listAudit(scope, query),
});

const readAuditRoute = defineRoute({
  method: 'GET',
  path: '/audit/{audit_record_id}',
  summary: 'One audit record.',
  tag: 'Audit',
  access: { permission: 'audit:read' },
  params: z.object({ audit_record_id: z.uuid() }),
  response: { status: 200, schema: AuditRecord },
  handler: ({ scope, params }) => readAuditRecord(scope, params.audit_record_id),
});

export const auditRoutes = [listAuditRoute, readAuditRoute];
