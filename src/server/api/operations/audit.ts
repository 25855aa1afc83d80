import { z } from 'zod';
import { AuditListInput, AuditPage, AuditRecord, PageExport } from '@/domain/audit';
import { fieldsWithout } from '@/domain/list';
import { listAuditRecords } from '../../audit/queries/audit';
import { exportAudit, readAuditRecord, verifyAuditTrail } from '../../audit/trail';
import { csvResponse, type ReadPage, readPages, streamBatches } from '../../rest/list-file';
import { recordPageExport } from '../../tenancy/record-export';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Audit');

/** Pages of JSON; or all that match as a file, CSV or one JSON object a line. */
const format = z.enum(['json', 'csv', 'ndjson'], { error: 'json, csv or ndjson' }).default('json');

/** Fields of the CSV file. */
const CSV = [...fieldsWithout(AuditRecord, 'id'), 'id'] as const;

const asText = (state: AuditRecord['before']) => state && JSON.stringify(state);

/** Records with what was before and after as text. */
const flattenRecords =
  (rows: ReadPage<AuditRecord>): ReadPage<Record<(typeof CSV)[number], unknown>> =>
  async (page) => {
    const { items, next_cursor } = await rows(page);
    const flat = items.map((record) => ({ ...record, before: asText(record.before), after: asText(record.after) }));
    return { items: flat, next_cursor };
  };

export const auditRouter = router({
  list: query({
    rest: 'GET /audit',
    summary: 'List audit records, newest first. format=csv or ndjson returns all matching records as a file.',
    access: { permission: 'audit:read' },
    input: AuditListInput,
    output: AuditPage,
    run: ({ scope, input }) => listAuditRecords(scope.tenants, input),
    respond: {
      query: z.strictObject({ format }),
      answer: ({ scope, input }, { format }, request) => {
        if (format === 'json') return listAuditRecords(scope.tenants, input);
        const file = { name: 'audit', scope, query: input, request };
        const rows: ReadPage<AuditRecord> = (page) => exportAudit(scope, { ...input, ...page });
        if (format === 'csv') return csvResponse(file, CSV, readPages(flattenRecords(rows)));
        const line = (record: AuditRecord) => `${JSON.stringify(record)}\n`;
        return streamBatches(file, { suffix: 'ndjson', type: 'application/x-ndjson' }, readPages(rows), { line });
      },
    },
  }),
  get: query({
    rest: 'GET /audit/{audit_record_id}',
    summary: 'Get one audit record.',
    access: { permission: 'audit:read' },
    output: AuditRecord,
    run: ({ scope, params }) => readAuditRecord(scope, params.audit_record_id),
  }),
  recordExport: mutation({
    access: { signedIn: 'An export from the console is recorded in the audit trail.' },
    input: PageExport,
    run: ({ session, input }) => recordPageExport(session, input),
  }),
  verify: mutation({
    access: { permission: 'audit:read' },
    run: ({ scope }) => verifyAuditTrail(scope),
  }),
});
