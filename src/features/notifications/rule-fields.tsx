'use client';
import { type Control, useWatch } from 'react-hook-form';
import { CONDITIONS } from '@/domain/notifications/condition';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { NumberField } from '@/ui/form/number-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import type { Option } from '@/ui/option';
import { CONDITION_WORDS } from '../shared/notification-words';
import { CheckGroupField } from './check-group-field';
import { conditionReason, type RuleValues } from './rule-form-values';
import { useChannelChoices } from './use-channel-choices';

type Props<Out> = {
  control: Control<RuleValues, unknown, Out>;
  /** To choose from when the rule is made; its tenant stays. */
  tenants?: readonly Option[];
};

/** What a rule reports, when, and where to. */
export function RuleFields<Out>({ control, tenants = [] }: Props<Out>) {
  const [tenantId, chosen] = useWatch({ control, name: ['tenant_id', 'channel_ids'] });
  const channels = useChannelChoices(tenantId, chosen);
  return (
    <>
      <TextField control={control} name="name" label="Name" maxLength={100} autoFocus />
      {tenants.length > 0 && (
        <SelectField
          control={control}
          name="tenant_id"
          label="Looks at"
          description="People of a tenant are told of what is theirs only. It stays with its tenant."
          options={tenants}
        />
      )}
      <CheckGroupField
        control={control}
        name="conditions"
        label="Report when"
        choices={CONDITIONS.map((condition) => ({
          value: condition,
          label: CONDITION_WORDS[condition].label,
          description: CONDITION_WORDS[condition].meaning,
          disabledReason: conditionReason(condition, tenantId),
        }))}
      />
      <NumberField
        control={control}
        name="open_after_minutes"
        label="Report after"
        unit="minutes"
        description="Shorter troubles are not reported. 0 reports at once."
        min={0}
        max={1440}
      />
      <NumberField
        control={control}
        name="close_after_minutes"
        label="Over after"
        unit="minutes"
        description="What comes back sooner is the same trouble and is not reported again."
        min={0}
        max={1440}
      />
      <CheckboxField control={control} name="notify_recovery" label="Also report when it is over" />
      <CheckboxField
        control={control}
        name="in_app"
        label="Show under the bell"
        description="To everybody who may see what it is about."
      />
      <CheckGroupField
        control={control}
        name="channel_ids"
        label="Send to"
        optional
        choices={(channels ?? []).map((channel) => ({
          value: channel.id,
          label: channel.name,
          description: `${channel.kind === 'webhook' ? (channel.url_origin ?? 'Webhook') : channel.recipients.join(', ')}${channel.enabled ? '' : ' · switched off'}`,
          disabledReason: channel.usable ? null : 'It belongs to another tenant: take it out.',
        }))}
        empty={
          <p className="text-sm text-faint">
            {channels === undefined ? 'Loading channels' : 'There are no channels yet. Add one in the tab Channels.'}
          </p>
        }
      />
      <CheckboxField control={control} name="enabled" label="Rule is on" />
    </>
  );
}
