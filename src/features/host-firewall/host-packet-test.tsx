'use client';
import { useMutation } from '@tanstack/react-query';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { type HostPacketVerdicts, NetworkPacketTest, NodePacketTest } from '@/domain/host-firewall';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { FormShell } from '@/ui/form/form-shell';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { PacketFields } from '../shared/packet-test/packet-fields';
import { EMPTY_PACKET, type PacketValues, toPacket } from '../shared/packet-test/packet-form-values';
import { HostVerdict } from './host-verdict';

const DIRECTIONS = {
  in: msg('To the node'),
  out: msg('From the node'),
  forward: msg('Routed by the node'),
} as const;

type Ask<Packet> = { ask: (packet: Packet) => Promise<HostPacketVerdicts> };

/** Asks what the live rules do to a packet at a node, who decides it, and why. */
export function NodePacketForm({ ask }: Ask<NodePacketTest>) {
  const form = useCheckedForm<PacketValues, unknown, NodePacketTest>({
    defaultValues: EMPTY_PACKET,
    resolver: domainResolver(NodePacketTest, toPacket),
  });
  return <HostPacketForm form={form} ask={ask} directions={DIRECTIONS} />;
}

/** The same for a packet within a VNet, at each of its nodes. */
export function NetworkPacketForm({ ask }: Ask<NetworkPacketTest>) {
  const form = useCheckedForm<PacketValues, unknown, NetworkPacketTest>({
    defaultValues: EMPTY_PACKET,
    resolver: domainResolver(NetworkPacketTest, (values: PacketValues) => {
      const { direction: _, ...packet } = toPacket(values);
      return packet;
    }),
  });
  return <HostPacketForm form={form} ask={ask} />;
}

type Props<Packet extends FieldValues> = Ask<Packet> & {
  form: UseFormReturn<PacketValues, unknown, Packet>;
  directions?: typeof DIRECTIONS;
};

function HostPacketForm<Packet extends FieldValues>({ form, ask, directions }: Props<Packet>) {
  const t = useT();
  // Nothing changes by asking; as a mutation the answer stays until the next question.
  const test = useMutation({ mutationFn: ask });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <FormShell
        form={form}
        onSubmit={(packet) => test.mutate(packet)}
        error={test.error ? toFailure(test.error) : null}
        pending={test.isPending}
        submitLabel={t('Test packet')}
        fieldName={(field) => field.replace(/^packet\./, '')}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <PacketFields control={form.control} directions={directions} />
        </div>
      </FormShell>
      <div aria-live="polite" className="flex flex-col gap-4">
        {test.data?.nodes.map((verdict) => (
          <HostVerdict key={verdict.node_id} verdict={verdict} readAt={test.data.read_at} />
        ))}
      </div>
    </div>
  );
}
