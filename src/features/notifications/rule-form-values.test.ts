import { expect, it } from 'vitest';
import { type NotificationRule, NotificationRuleInput, NotificationRuleUpdate } from '@/domain/notifications/rule';
import { english } from '@/lib/i18n/translator';
import { conditionReason, EMPTY_RULE, toRuleInput, toRuleUpdate, toRuleValues } from './rule-form-values';

const TENANT = '0192f0c1-7a3b-7c44-9f00-000000000001';
const CHANNEL = '0192f0c1-7a3b-7c44-9f00-000000000002';

it('leaves the tenant out when there was nothing to choose, and says null for the installation', () => {
  const values = { ...EMPTY_RULE, name: 'Night', conditions: ['sync_failed'] };
  expect(NotificationRuleInput.parse(toRuleInput(values))).not.toHaveProperty('tenant_id');
  expect(NotificationRuleInput.parse(toRuleInput({ ...values, tenant_id: 'none' })).tenant_id).toBeNull();
  expect(NotificationRuleInput.parse(toRuleInput({ ...values, tenant_id: TENANT })).tenant_id).toBe(TENANT);
});

it('sends back what it read, with the version', () => {
  const rule: NotificationRule = {
    ...NotificationRuleInput.parse({ name: 'Night', conditions: ['policy_drifted'], in_app: false }),
    id: TENANT,
    tenant_id: null,
    tenant_name: null,
    channels: [{ id: CHANNEL, name: 'Chat', enabled: true }],
    incidents_open: 0,
    version: 7,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
  const update = NotificationRuleUpdate.parse(toRuleUpdate(toRuleValues(rule), rule));
  expect(update).toMatchObject({ name: 'Night', in_app: false, channel_ids: [CHANNEL], version: 7 });
  expect(update).not.toHaveProperty('tenant_id');
});

it('explains which conditions cannot be reported to a tenant', () => {
  expect(conditionReason(english, 'agent_silent', TENANT)).toContain('belong to no tenant');
  for (const tenant of [null, 'none']) expect(conditionReason(english, 'agent_silent', tenant)).toBeNull();
  expect(conditionReason(english, 'policy_drifted', TENANT)).toBeNull();
});
