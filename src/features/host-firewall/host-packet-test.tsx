'use client';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { type HostPacketVerdicts, NodePacketTest } from '@/domain/host-firewall';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { FormShell } from '@/ui/form/form-shell';
import { domainResolver } from '../shared/domain-resolver';
import { PacketFields } from '../shared/packet-test/packet-fields';
import { EMPTY_PACKET, type PacketValues, toPacket } from '../shared/packet-test/packet-form-values';
import { HostVerdict } from './host-verdict';

type Props = {
  directions: Readonly<Record<'in' | 'out', string>>;
  ask: (packet: NodePacketTest) => Promise<HostPacketVerdicts>;
};

/** Asks what the live rules do to a packet at a node, who decides it, and why. */
export function HostPacketTest({ directions, ask }: Props) {
  const t = useT();
  const form = useForm<PacketValues, unknown, NodePacketTest>({
    defaultValues: EMPTY_PACKET,
    resolver: domainResolver(NodePacketTest, toPacket),
  });
  // Nothing changes by asking; as a mutation the answer stays until the next question.
  const test = useMutation({ mutationFn: ask });
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
