import { type Condition, isTenantCondition } from '@/domain/notifications/condition';
import type { NotificationRule, NotificationRuleInput } from '@/domain/notifications/rule';
import type { Translate } from '@/lib/i18n/translator';
import { NO_TENANT, toTenantId } from '../shared/tenant-options';

/** The form of a rule; a number is null while its box is empty. */
export type RuleValues = {
  name: string;
  /** Null while there is nothing to choose. */
  tenant_id: string | null;
  enabled: boolean;
  conditions: string[];
  open_after_minutes: number | null;
  close_after_minutes: number | null;
  notify_recovery: boolean;
  in_app: boolean;
  channel_ids: string[];
};

export const EMPTY_RULE: RuleValues = {
  name: '',
  tenant_id: null,
  enabled: true,
  conditions: [],
  open_after_minutes: 5,
  close_after_minutes: 5,
  notify_recovery: true,
  in_app: true,
  channel_ids: [],
};

export function toRuleValues(rule: NotificationRule): RuleValues {
  const { name, enabled, conditions, open_after_minutes, close_after_minutes, notify_recovery, in_app } = rule;
  return {
    name,
    tenant_id: rule.tenant_id ?? NO_TENANT,
    enabled,
    conditions,
    open_after_minutes,
    close_after_minutes,
    notify_recovery,
    in_app,
    channel_ids: rule.channels.map(({ id }) => id),
  };
}

type Fields = Omit<RuleValues, 'tenant_id'>;

/** What creates a rule. */
export function toRuleInput({ tenant_id, ...values }: RuleValues): Fields & Pick<NotificationRuleInput, 'tenant_id'> {
  return { ...values, ...toTenantId(tenant_id) };
}

/** What changes a rule, with the version it was read at. */
export const toRuleUpdate = (
  { tenant_id: _, ...values }: RuleValues,
  { version }: { version: number },
): Fields & { version: number } => ({ ...values, version });

/** Why a rule of this tenant (null or `none`: of the installation) cannot look at the condition; null when it can. */
export function conditionReason(t: Translate, condition: Condition, tenantId: string | null): string | null {
  if (tenantId === null || tenantId === NO_TENANT || isTenantCondition(condition)) return null;
  return t('Clusters and agents belong to no tenant. Only installation-wide rules can report this condition.');
}
