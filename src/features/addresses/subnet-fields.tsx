'use client';
import type { Control } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { CidrField } from '@/ui/form/cidr-field';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { type SubnetValues, subnetLabels } from './subnet-form-values';

type Props<Out> = {
  control: Control<SubnetValues, unknown, Out>;
  /** Why the prefix itself cannot be changed. */
  cidrNote?: string;
  /** Leaves the prefix out: it is chosen by the service. */
  withoutCidr?: boolean;
};

/** The fields of a subnet besides its network. */
export function SubnetFields<Out>({ control, cidrNote, withoutCidr = false }: Props<Out>) {
  const t = useT();
  const labels = subnetLabels(t);
  return (
    <>
      {!withoutCidr && (
        <CidrField
          control={control}
          name="cidr"
          label={labels.cidr}
          description={cidrNote ?? t('IPv4 or IPv6. Prefixes can be nested.')}
          disabled={cidrNote !== undefined}
        />
      )}
      <TextField control={control} name="gateway" label={labels.gateway} optional mono />
      <TextField
        control={control}
        name="dns_servers"
        label={labels.dns_servers}
        description={t('Comma-separated addresses.')}
        optional
        mono
      />
      <NumberField
        control={control}
        name="vlan_tag"
        label={labels.vlan_tag}
        min={1}
        max={4094}
        optional
        steppers={false}
      />
      <CheckboxField
        control={control}
        name="dhcp_enabled"
        label={t('A DHCP server assigns addresses here')}
        description={t('For information only; no setting changes on the cluster.')}
      />
      <TextareaField control={control} name="description" label={labels.description} rows={2} optional />
    </>
  );
}
