'use client';
import { useMutation } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { CONNECTION_STATES } from '@/domain/firewall/packet';
import { PACKET_PROTOCOLS, PacketTest } from '@/domain/guest-firewall';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPCClient } from '@/lib/trpc';
import { FormShell } from '@/ui/form/form-shell';
import { NumberField } from '@/ui/form/number-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { domainResolver } from '../shared/domain-resolver';
import { ALL_CARDS, EMPTY_PACKET, hasPorts, type PacketValues, toPacket } from './packet-form-values';
import { PacketVerdictView } from './packet-verdict';

const DIRECTION_WORDS = { in: msg('Arrives at the guest'), out: msg('Leaves the guest') } as const;
const PROTOCOLS = PACKET_PROTOCOLS.map((value) => ({ value, label: value.toUpperCase().replace('ICMPV6', 'ICMPv6') }));
const STATE_WORDS: Record<(typeof CONNECTION_STATES)[number], string> = {
  new: msg('New connection'),
  established: msg('Established connection'),
  related: msg('Related to one'),
  invalid: msg('Invalid'),
};

/** Asks what the live rules do to a packet, who decides it, and why. */
export function PacketTestForm({ workloadId, interfaces }: { workloadId: string; interfaces: readonly string[] }) {
  const t = useT();
  const client = useTRPCClient();
  const form = useForm<PacketValues, unknown, PacketTest>({
    defaultValues: EMPTY_PACKET,
    resolver: domainResolver(PacketTest, toPacket),
  });
  const test = useMutation({
    // Nothing changes by asking; as a mutation the answer stays until the next question.
    mutationFn: (packet: PacketTest) => client.workloads.testPacket.query({ id: workloadId, packet }),
  });
  const protocol = useWatch({ control: form.control, name: 'protocol' });
  const { control } = form;
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <FormShell
        form={form}
        onSubmit={(packet) => test.mutate(packet)}
        error={test.error ? failureOf(test.error) : null}
        pending={test.isPending}
        submitLabel={t('Test packet')}
        fieldName={(field) => field.replace(/^packet\./, '')}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            control={control}
            name="direction"
            label={t('Direction')}
            options={(['in', 'out'] as const).map((value) => ({ value, label: t(DIRECTION_WORDS[value]) }))}
          />
          <SelectField
            control={control}
            name="state"
            label={t('Connection')}
            options={CONNECTION_STATES.map((value) => ({ value, label: t(STATE_WORDS[value]) }))}
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
              <NumberField
                control={control}
                name="destination_port"
                label={t('Destination port')}
                optional
                min={0}
                max={65535}
              />
              <NumberField control={control} name="source_port" label={t('Source port')} optional min={0} max={65535} />
            </>
          ) : (
            <NumberField control={control} name="icmp_type" label={t('ICMP type number')} optional min={0} max={255} />
          )}
          {interfaces.length > 1 && (
            <SelectField
              control={control}
              name="interface"
              label={t('Network card')}
              options={[
                { value: ALL_CARDS, label: t('Every network card') },
                ...interfaces.map((name) => ({ value: name, label: name })),
              ]}
            />
          )}
        </div>
      </FormShell>
      <div aria-live="polite">{test.data && <PacketVerdictView verdict={test.data} />}</div>
    </div>
  );
}
