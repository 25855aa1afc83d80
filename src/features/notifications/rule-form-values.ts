import { type Condition, isTenantCondition } from '@/domain/notifications/condition';
import type { NotificationRule, NotificationRuleInput } from '@/domain/notifications/rule';
import {
  THRESHOLD_CONDITIONS,
  THRESHOLDS,
  type ThresholdCondition,
  type Thresholds,
} from '@/domain/notifications/thresholds';
import type { Translate } from '@/lib/i18n/translator';
import { NO_TENANT, toTenantId } from '../shared/tenant-options';

/** The form of a rule; a number is null while its box is empty. */
export type RuleValues = {
  name: string;
  /** Null while there is nothing to choose. */
  tenant_id: string | null;
  enabled: boolean;
  conditions: string[];
  thresholds: Record<ThresholdCondition, number | null>;
  open_after_minutes: number | null;
  close_after_minutes: number | null;
  notify_recovery: boolean;
  in_app: boolean;
  channel_ids: string[];
};

/** All thresholds of a rule, those that it does not choose at their default. */
function thresholdValues(chosen: Thresholds): RuleValues['thresholds'] {
  const values = THRESHOLD_CONDITIONS.map((one) => [one, chosen[one] ?? THRESHOLDS[one].initial]);
  return Object.fromEntries(values) as RuleValues['thresholds'];
}

export const EMPTY_RULE: RuleValues = {
  name: '',
  tenant_id: null,
  enabled: true,
  conditions: [],
  thresholds: thresholdValues({}),
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
    thresholds: thresholdValues(rule.thresholds),
    open_after_minutes,
    close_after_minutes,
    notify_recovery,
    in_app,
    channel_ids: rule.channels.map(({ id }) => id),
  };
}

type Fields = Omit<RuleValues, 'tenant_id' | 'thresholds'> & { thresholds: object };

/** Only thresholds of chosen conditions: the others are not shown, and an empty one must not keep the form from being sent. */
const toThresholds = ({ conditions, thresholds }: Pick<RuleValues, 'conditions' | 'thresholds'>): object =>
  Object.fromEntries(Object.entries(thresholds).filter(([condition]) => conditions.includes(condition)));

/** What creates a rule. */
export function toRuleInput({ tenant_id, ...values }: RuleValues): Fields & Pick<NotificationRuleInput, 'tenant_id'> {
  return { ...values, thresholds: toThresholds(values), ...toTenantId(tenant_id) };
}

/** What changes a rule, with the version it was read at. */
export const toRuleUpdate = (
  { tenant_id: _, ...values }: RuleValues,
  { version }: { version: number },
): Fields & { version: number } => ({ ...values, thresholds: toThresholds(values), version });

/** Why a rule of this tenant (null or `none`: of the installation) cannot look at the condition; null when it can. */
export function conditionReason(t: Translate, condition: Condition, tenantId: string | null): string | null {
  if (tenantId === null || tenantId === NO_TENANT || isTenantCondition(condition)) return null;
  return t('Clusters and agents belong to no tenant. Only installation-wide rules can report this condition.');
}
