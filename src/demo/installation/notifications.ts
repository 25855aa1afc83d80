import { CONDITIONS } from '@/domain/notifications/condition';
import { NotificationRuleInput } from '@/domain/notifications/rule';
import { TenantListInput } from '@/domain/tenant';
import { systemScope } from '@/server/auth/scope';
import { createRule } from '@/server/notifications/rules';
import { listTenants } from '@/server/tenancy/queries/tenants';
import { ignoreConflict } from './kept-steps';

const scope = systemScope('notification:write', 'demo data');

/** Adds rules that report under the bell: one for the whole installation, one for the shop's own people. */
export async function addNotificationRules(): Promise<void> {
  const input = { conditions: CONDITIONS, open_after_minutes: 1, close_after_minutes: 10 };
  await ignoreConflict(() =>
    createRule(scope, NotificationRuleInput.parse({ ...input, name: 'Everything that goes wrong' })),
  );
  const tenants = await listTenants('all', TenantListInput.parse({ limit: 500 }));
  const tenant_id = tenants.items.find(({ name }) => name === 'Commerce')?.id;
  if (tenant_id === undefined) return;
  const conditions = ['policy_drifted', 'suspicious_traffic_critical'];
  const shop = NotificationRuleInput.parse({ ...input, tenant_id, name: 'Security of the shop', conditions });
  await ignoreConflict(() => createRule(scope, shop));
}
