import { z } from 'zod';
import { AuditListInput, PageExport } from '@/domain/audit';
import { listAudit } from '../../services/audit/list-audit';
import { readAuditRecord } from '../../services/audit/read-audit-record';
import { recordPageExport } from '../../services/audit/record-export';
import { verifyAuditTrail } from '../../services/audit/verify-audit-trail';
import { ownProcedure, procedure, router } from '../trpc';

export const auditRouter = router({
  list: procedure('audit:read')
    .input(AuditListInput)
    .query(({ ctx, input }) => listAudit(ctx.scope, input)),
  get: procedure('audit:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readAuditRecord(ctx.scope, input.id)),
  recordExport: ownProcedure('Whoever exports a list on a page leaves a record of it.')
    .input(PageExport)
    .mutation(({ ctx, input }) => recordPageExport(ctx.session, input)),
  verify: procedure('audit:read')
    .input(z.strictObject({}))
    .mutation(({ ctx }) => verifyAuditTrail(ctx.scope)),
});
