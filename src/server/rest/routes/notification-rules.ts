import { z } from 'zod';
import { NotificationIncidentListInput, NotificationIncidentPage } from '@/domain/notifications/incident';
import {
  NotificationRule,
  NotificationRuleInput,
  NotificationRuleListInput,
  NotificationRulePage,
  NotificationRuleUpdate,
} from '@/domain/notifications/rule';
import { listIncidents } from '../../services/notifications/list-incidents';
import { createRule, deleteRule, listRules, readRule, updateRule } from '../../services/notifications/rules';
import { testRule } from '../../services/notifications/send-test';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Notifications';
const reads = { permission: 'notification:read' } as const;
const writes = { permission: 'notification:write' } as const;
const params = z.object({ rule_id: z.uuid() });

export const notificationRuleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/notification-rules',
    summary: 'Notification rules: what is reported, when, and where to.',
    tag,
    access: reads,
    query: NotificationRuleListInput,
    response: { status: 200, schema: NotificationRulePage },
    handler: ({ scope, query }) => listRules(scope, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/notification-rules',
    summary: 'Create a notification rule.',
    tag,
    access: writes,
    body: NotificationRuleInput,
    response: { status: 201, schema: NotificationRule },
    handler: ({ scope, body }) => createRule(scope, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/notification-rules/{rule_id}',
    summary: 'One notification rule.',
    tag,
    access: reads,
    params,
    response: { status: 200, schema: NotificationRule },
    handler: ({ scope, params }) => readRule(scope, params.rule_id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/notification-rules/{rule_id}',
    summary: 'Change a notification rule. If-Match or version guards against lost updates.',
    tag,
    access: writes,
    params,
    body: NotificationRuleUpdate,
    response: { status: 200, schema: NotificationRule },
    handler: ({ scope, params, body, request }) =>
      updateRule(scope, params.rule_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/notification-rules/{rule_id}',
    summary: 'Delete a notification rule with its incidents.',
    tag,
    access: writes,
    params,
    response: { status: 204 },
    handler: ({ scope, params }) => deleteRule(scope, params.rule_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/notification-rules/{rule_id}/test',
    summary: 'Send a test on every way of a notification rule.',
    tag,
    access: writes,
    params,
    response: { status: 202, schema: z.object({ deliveries: z.int() }) },
    handler: ({ scope, params }) => testRule(scope, params.rule_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/notification-incidents',
    summary: 'What notification rules found: pending, open and closed.',
    tag,
    access: reads,
    query: NotificationIncidentListInput,
    response: { status: 200, schema: NotificationIncidentPage },
    handler: ({ scope, query }) => listIncidents(scope, query),
  }),
];
