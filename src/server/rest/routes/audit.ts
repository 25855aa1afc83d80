import { z } from 'zod';
import { AuditListInput, AuditPage, AuditRecord } from '@/domain/audit';
import { exportAudit } from '../../services/audit/export-audit';
import { listAudit } from '../../services/audit/list-audit';
import { readAuditRecord } from '../../services/audit/read-audit-record';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { streamPages } from '../stream-pages';

/** Pages of JSON; or all that match as a file, CSV or one JSON object a line. */
const format = z.enum(['json', 'csv', 'ndjson'], { error: 'json, csv or ndjson' }).default('json');

const CSV = [
  'seq',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'tenant_id',
  'action',
  'object_kind',
  'object_id',
  'object_name',
  'before',
  'after',
  'request_id',
  'source_address',
  'previous_hash',
  'hash',
  'id',
] as const;

const asText = (state: AuditRecord['before']) => state && JSON.stringify(state);

const listAuditRoute = defineRoute({
  method: 'GET',
  path: '/audit',
  summary: 'The audit trail, newest first. format=csv or ndjson gives all records that match as a file.',
  tag: 'Audit',
  access: { permission: 'audit:read' },
  query: AuditListInput.extend({ format }),
  response: { status: 200, schema: AuditPage },
  handler: ({ scope, query: { format, ...query } }) => {
    if (format === 'json') return listAudit(scope, query);
    if (format === 'ndjson') {
      return streamPages(
        { name: 'audit', scope, query },
        { suffix: 'ndjson', type: 'application/x-ndjson' },
        (page) => exportAudit(scope, { ...query, ...page }),
        {
          line: (record) => `${JSON.stringify(record)}\n`,
        },
      );
    }
    return csvResponse({ name: 'audit', scope, query }, CSV, async (page) => {
      const { items, next_cursor } = await exportAudit(scope, { ...query, ...page });
      const flat = items.map((record) => ({ ...record, before: asText(record.before), after: asText(record.after) }));
      return { items: flat, next_cursor };
    });
  },
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
