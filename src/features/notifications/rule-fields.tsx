'use client';
import { useQuery } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { CONDITIONS } from '@/domain/notifications/condition';
import { THRESHOLD_CONDITIONS, THRESHOLDS, type ThresholdCondition } from '@/domain/notifications/thresholds';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { NumberField } from '@/ui/form/number-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import type { Option } from '@/ui/option';
import { CheckGroupField } from '../shared/check-group-field';
import { CONDITION_LABELS } from '../shared/notification-labels';
import { NO_TENANT } from '../shared/tenant-options';
import { conditionReason, type RuleValues } from './rule-form-values';

const THRESHOLD_UNITS: Record<ThresholdCondition, string> = {
  workload_traffic_high: msg('Mbit/s'),
  cluster_traffic_high: msg('Mbit/s'),
  drops_high: msg('per minute'),
  coverage_low: msg('%'),
};

type Props<Out> = {
  control: Control<RuleValues, unknown, Out>;
  /** To choose from when the rule is made; its tenant stays. */
  tenants?: readonly Option[];
};

const channelText = (t: Translate, { kind, url_origin, recipients }: NotificationChannel) =>
  kind === 'webhook' ? (url_origin ?? t('Webhook')) : recipients.join(', ');

/** What a rule reports, when, and where to. */
export function RuleFields<Out>({ control, tenants = [] }: Props<Out>) {
  const t = useT();
  const [tenantId, chosen, conditions] = useWatch({ control, name: ['tenant_id', 'channel_ids', 'conditions'] });
  const channels = useChannelChoices(tenantId, chosen);
  return (
    <>
      <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
      {tenants.length > 0 && (
        <SelectField
          control={control}
          name="tenant_id"
          label={t('Scope')}
          description={t(
            'Users of a tenant get only notifications about their tenant. The scope cannot be changed later.',
          )}
          options={tenants}
        />
      )}
      <CheckGroupField
        control={control}
        name="conditions"
        label={t('Report when')}
        choices={CONDITIONS.map((condition) => ({
          value: condition,
          label: t(CONDITION_LABELS[condition].label),
          description: t(CONDITION_LABELS[condition].meaning),
          disabledReason: conditionReason(t, condition, tenantId),
        }))}
      />
      {THRESHOLD_CONDITIONS.filter((condition) => conditions.includes(condition)).map((condition) => (
        <NumberField
          key={condition}
          control={control}
          name={`thresholds.${condition}`}
          label={t('Threshold: {condition}', { condition: t(CONDITION_LABELS[condition].label) })}
          unit={t(THRESHOLD_UNITS[condition])}
          min={THRESHOLDS[condition].min}
          max={THRESHOLDS[condition].max}
        />
      ))}
      <NumberField
        control={control}
        name="open_after_minutes"
        label={t('Report after')}
        unit={t('minutes')}
        description={t('Shorter problems are not reported. 0 reports immediately.')}
        min={0}
        max={1440}
      />
      <NumberField
        control={control}
        name="close_after_minutes"
        label={t('Recovered after')}
        unit={t('minutes')}
        description={t('Problems that recur sooner belong to the same incident and are not reported again.')}
        min={0}
        max={1440}
      />
      <CheckboxField control={control} name="notify_recovery" label={t('Also report recovery')} />
      <CheckboxField
        control={control}
        name="in_app"
        label={t('Show in the bell menu')}
        description={t('Shown to all users with access to the affected object.')}
      />
      <CheckGroupField
        control={control}
        name="channel_ids"
        label={t('Send to')}
        optional
        choices={(channels ?? []).map((channel) => ({
          value: channel.id,
          label: channel.name,
          description: channel.enabled
            ? channelText(t, channel)
            : t('{way} · disabled', { way: channelText(t, channel) }),
          disabledReason: channel.usable ? null : t('This channel belongs to another tenant. Clear the selection.'),
        }))}
        empty={
          <p className="text-sm text-faint">
            {channels === undefined ? t('Loading channels') : t('No channels yet. Add one on the Channels tab.')}
          </p>
        }
      />
      <CheckboxField control={control} name="enabled" label={t('Rule enabled')} />
    </>
  );
}

const MOST = 500;

type ChannelChoice = NotificationChannel & { usable: boolean };

/**
 * The channels a rule of the tenant can use (`none`: of the installation; null: of the only one there is), and those that
 * are `chosen` already although it cannot: they have to be taken out.
 */
function useChannelChoices(tenantId: string | null, chosen: readonly string[]): ChannelChoice[] | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.notificationChannels.list.queryOptions({ sort: 'name', limit: MOST }));
  return data?.items
    .map((channel) => ({
      ...channel,
      usable: tenantId === null || channel.tenant_id === (tenantId === NO_TENANT ? null : tenantId),
    }))
    .filter(({ id, usable }) => usable || chosen.includes(id));
}
