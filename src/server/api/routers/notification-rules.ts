import { z } from 'zod';
import { NotificationIncidentListInput } from '@/domain/notifications/incident';
import { NotificationRuleInput, NotificationRuleListInput, NotificationRuleUpdate } from '@/domain/notifications/rule';
import { listIncidents } from '../../services/notifications/list-incidents';
import { createRule, deleteRule, listRules, readRule, updateRule } from '../../services/notifications/rules';
import { testRule } from '../../services/notifications/send-test';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const notificationRulesRouter = router({
  list: procedure('notification:read')
    .input(NotificationRuleListInput)
    .query(({ ctx, input }) => listRules(ctx.scope, input)),
  get: procedure('notification:read')
    .input(byId)
    .query(({ ctx, input }) => readRule(ctx.scope, input.id)),
  incidents: procedure('notification:read')
    .input(NotificationIncidentListInput)
    .query(({ ctx, input }) => listIncidents(ctx.scope, input)),
  create: procedure('notification:write')
    .input(NotificationRuleInput)
    .mutation(({ ctx, input }) => createRule(ctx.scope, input)),
  update: procedure('notification:write')
    .input(NotificationRuleUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateRule(ctx.scope, id, changes)),
  test: procedure('notification:write')
    .input(byId)
    .mutation(({ ctx, input }) => testRule(ctx.scope, input.id)),
  delete: procedure('notification:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteRule(ctx.scope, input.id)),
});
