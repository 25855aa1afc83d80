'use client';
import { useMutation } from '@tanstack/react-query';
import { useSearchParams } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { PacketTest } from '@/domain/guest-firewall';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPCClient } from '@/lib/trpc';
import { FormShell } from '@/ui/form/form-shell';
import { SelectField } from '@/ui/form/select-field';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { PacketFields } from '../shared/packet-test/packet-fields';
import { ALL_CARDS, type PacketValues, packetFromQuery, toPacket } from '../shared/packet-test/packet-form-values';
import { PacketVerdictView } from './packet-verdict';

const DIRECTION_LABELS = { in: msg('To the workload'), out: msg('From the workload') } as const;

/** Asks what the live rules do to a packet, who decides it, and why. */
export function PacketTestForm(props: Props) {
  const query = useSearchParams();
  const given = packetFromQuery(query);
  // Another link is another form.
  return <Form key={JSON.stringify(given)} given={given} {...props} />;
}

type Props = { workloadId: string; interfaces: readonly string[] };

function Form({ workloadId, interfaces, given }: Props & { given: ReturnType<typeof packetFromQuery> }) {
  const t = useT();
  const client = useTRPCClient();
  const { filled } = given;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!filled) return;
    box.current?.scrollIntoView({ block: 'center' });
    box.current?.querySelector<HTMLElement>('button[type="submit"]')?.focus({ preventScroll: true });
  }, [filled]);
  const form = useCheckedForm<PacketValues, unknown, PacketTest>({
    defaultValues: given.packet,
    resolver: domainResolver(PacketTest, toPacket),
  });
  const test = useMutation({
    // Nothing changes by asking; as a mutation the answer stays until the next question.
    mutationFn: (packet: PacketTest) => client.workloads.testPacket.query({ id: workloadId, ...packet }),
  });
  const { control } = form;
  return (
    <div ref={box} className="grid items-start gap-6 lg:grid-cols-2">
      <FormShell
        form={form}
        onSubmit={(packet) => test.mutate(packet)}
        error={test.error ? toFailure(test.error) : null}
        pending={test.isPending}
        submitLabel={t('Test packet')}
        fieldName={(field) => field.replace(/^packet\./, '')}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <PacketFields control={control} directions={DIRECTION_LABELS} />
          {interfaces.length > 1 && (
            <SelectField
              control={control}
              name="interface"
              label={t('Interface')}
              options={[
                { value: ALL_CARDS, label: t('All interfaces') },
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
