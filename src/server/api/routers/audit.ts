import { z } from 'zod';
import { AuditListInput } from '@/domain/audit';
import { listAudit } from '../../services/audit/list-audit';
import { readAuditRecord } from '../../services/audit/read-audit-record';
import { verifyAuditTrail } from '../../services/audit/verify-audit-trail';
import { procedure, router } from '../trpc';

export const auditRouter = router({
  list: procedure('audit:read')
    .input(AuditListInput)
    .query(({ ctx, input }) => listAudit(ctx.scope, input)),
  get: procedure('audit:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readAuditRecord(ctx.scope, input.id)),
  verify: procedure('audit:read')
    .input(z.strictObject({}))
    .mutation(({ ctx }) => verifyAuditTrail(ctx.scope)),
});
