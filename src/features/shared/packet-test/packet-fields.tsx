'use client';
import { type Control, useWatch } from 'react-hook-form';
import { PACKET_PROTOCOLS } from '@/domain/choices';
import { CONNECTION_STATES } from '@/domain/firewall/packet';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { NumberField } from '@/ui/form/number-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { hasPorts, type PacketValues } from './packet-form-values';

const PROTOCOLS = PACKET_PROTOCOLS.map((value) => ({ value, label: value.toUpperCase().replace('ICMPV6', 'ICMPv6') }));
const STATE_LABELS: Record<(typeof CONNECTION_STATES)[number], string> = {
  new: msg('New connection'),
  established: msg('Established connection'),
  related: msg('Related connection'),
  invalid: msg('Invalid'),
};

type Props<Out> = {
  control: Control<PacketValues, unknown, Out>;
  /** Names of the directions in which a packet can be tried; without them there is only one. */
  directions?: Readonly<Partial<Record<PacketValues['direction'], string>>>;
};

/** The fields of a packet to try: direction, addresses, protocol, and ports or type. */
export function PacketFields<Out>({ control, directions }: Props<Out>) {
  const t = useT();
  const protocol = useWatch({ control, name: 'protocol' });
  return (
    <>
      {directions && (
        <SelectField
          control={control}
          name="direction"
          label={t('Direction')}
          options={Object.entries(directions).map(([value, label]) => ({ value, label: t(label) }))}
        />
      )}
      <SelectField
        control={control}
        name="state"
        label={t('Connection')}
        options={CONNECTION_STATES.map((value) => ({ value, label: t(STATE_LABELS[value]) }))}
      />
      <TextField control={control} name="source_ip" label={t('Source address')} mono placeholder="10.0.0.10" />
      <TextField
        control={control}
        name="destination_ip"
        label={t('Destination address')}
        mono
        placeholder="10.0.0.20"
      />
      <SelectField control={control} name="protocol" label={t('Protocol')} options={PROTOCOLS} />
      {hasPorts(protocol) ? (
        <>
          <TextField
            control={control}
            name="destination_port"
            label={t('Destination port')}
            optional
            mono
            inputMode="numeric"
            placeholder="443"
          />
          <TextField control={control} name="source_port" label={t('Source port')} optional mono inputMode="numeric" />
        </>
      ) : (
        <NumberField
          control={control}
          name="icmp_type"
          label={t('ICMP type number')}
          optional
          min={0}
          max={255}
          steppers={false}
        />
      )}
    </>
  );
}
