'use client';
import type { Control } from 'react-hook-form';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { CidrField } from '@/ui/form/cidr-field';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { SUBNET_LABELS, type SubnetValues } from './subnet-form-values';

type Props<Out> = {
  control: Control<SubnetValues, unknown, Out>;
  /** Why the prefix itself cannot be changed. */
  cidrNote?: string;
  /** Leaves the prefix out: it is chosen by the service. */
  withoutCidr?: boolean;
};

/** The fields of a subnet besides its network. */
export function SubnetFields<Out>({ control, cidrNote, withoutCidr = false }: Props<Out>) {
  return (
    <>
      {!withoutCidr && (
        <CidrField
          control={control}
          name="cidr"
          label={SUBNET_LABELS.cidr}
          description={cidrNote ?? 'IPv4 or IPv6. Prefixes may lie inside each other.'}
          disabled={cidrNote !== undefined}
        />
      )}
      <TextField control={control} name="gateway" label={SUBNET_LABELS.gateway} optional mono />
      <TextField
        control={control}
        name="dns_servers"
        label={SUBNET_LABELS.dns_servers}
        description="Addresses, separated by commas."
        optional
        mono
      />
      <NumberField control={control} name="vlan_tag" label={SUBNET_LABELS.vlan_tag} min={1} max={4094} optional />
      <CheckboxField
        control={control}
        name="dhcp_enabled"
        label="A DHCP server hands out addresses here"
        description="Only a note for people; nothing is switched on the cluster."
      />
      <TextareaField control={control} name="description" label={SUBNET_LABELS.description} rows={2} optional />
    </>
  );
}
