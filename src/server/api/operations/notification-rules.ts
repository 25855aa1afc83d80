import { z } from 'zod';
import { NotificationIncidentListInput, NotificationIncidentPage } from '@/domain/notifications/incident';
import {
  NotificationRule,
  NotificationRuleInput,
  NotificationRuleListInput,
  NotificationRulePage,
  NotificationRuleUpdate,
} from '@/domain/notifications/rule';
import { listIncidents } from '../../notifications/queries/notification-incidents';
import { listRules } from '../../notifications/queries/notification-rules';
import { createRule, deleteRule, readRule, updateRule } from '../../notifications/rules';
import { testRule } from '../../notifications/send-test';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Notifications');
const reads = { permission: 'notification:read' } as const;
const writes = { permission: 'notification:write' } as const;

export const notificationRulesRouter = router({
  list: query({
    rest: 'GET /notification-rules',
    summary: 'List notification rules: what is reported, when, and through which channels.',
    access: reads,
    input: NotificationRuleListInput,
    output: NotificationRulePage,
    run: ({ scope, input }) => listRules(scope.tenants, input),
  }),
  create: mutation({
    rest: 'POST /notification-rules',
    summary: 'Create a notification rule.',
    access: writes,
    input: NotificationRuleInput,
    output: NotificationRule,
    status: 201,
    run: ({ scope, input }) => createRule(scope, input),
  }),
  get: query({
    rest: 'GET /notification-rules/{rule_id}',
    summary: 'Get one notification rule.',
    access: reads,
    output: NotificationRule,
    run: ({ scope, params }) => readRule(scope, params.rule_id),
  }),
  update: mutation({
    rest: 'PATCH /notification-rules/{rule_id}',
    summary: 'Update a notification rule. If-Match or version prevents lost updates.',
    access: writes,
    input: NotificationRuleUpdate,
    output: NotificationRule,
    run: ({ scope, params, input }) => updateRule(scope, params.rule_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /notification-rules/{rule_id}',
    summary: 'Delete a notification rule with its incidents.',
    access: writes,
    input: ByVersion,
    run: ({ scope, params, input }) => deleteRule(scope, params.rule_id, input.version),
  }),
  test: mutation({
    rest: 'POST /notification-rules/{rule_id}/test',
    summary: 'Send a test message to every channel of a notification rule.',
    access: writes,
    output: z.object({ deliveries: z.int() }),
    status: 202,
    run: ({ scope, params }) => testRule(scope, params.rule_id),
  }),
  incidents: query({
    rest: 'GET /notification-incidents',
    summary: 'List incidents of notification rules: pending, open and closed.',
    access: reads,
    input: NotificationIncidentListInput,
    output: NotificationIncidentPage,
    run: ({ scope, input }) => listIncidents(scope.tenants, input),
  }),
});
