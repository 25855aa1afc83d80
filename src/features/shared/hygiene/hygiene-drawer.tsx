'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { ReactNode } from 'react';
import type { HygieneFinding, HygienePacket } from '@/domain/hygiene/finding';
import { formatDateTime } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { Status } from '@/ui/status';
import { Mono, RelativeTime } from '@/ui/values';
import { formatRule, formatWitness, HARM_STATES, KIND_LABELS, KIND_TEXTS } from './hygiene-labels';

type Props = { findingId: string | null; onClose: () => void };

/** One finding: what it means, what proves it, and how it is fixed. */
export function HygieneDrawer({ findingId, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.hygiene.get.queryOptions({ id: findingId ?? '' }), enabled: findingId !== null });
  const finding = findingId === null ? undefined : query.data;
  return (
    <Drawer
      open={findingId !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={finding ? t(KIND_LABELS[finding.kind]) : t('Finding')}
      description={finding && t(KIND_TEXTS[finding.kind])}
    >
      {finding ? (
        <Content finding={finding} />
      ) : query.error ? (
        <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Drawer>
  );
}

/** `in tcp 10.0.0.5:49152 → 10.0.0.7:443`; where the address of the workload does not matter, it is named instead. */
function formatPacket(t: Translate, packet: HygienePacket) {
  const { direction, source, destination, protocol, source_port, destination_port, icmp_type } = packet;
  const toEnd = (address: string, port: number | null) => {
    const host = ['0.0.0.0', '::'].includes(address) ? t('workload') : address;
    return port === null ? host : host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  };
  const type = icmp_type === null ? '' : ` ${icmp_type}`;
  return `${direction} ${protocol}${type} ${toEnd(source, source_port)} → ${toEnd(destination, destination_port)}`;
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-sm font-medium">{title}</h3>
      {children}
    </section>
  );
}

function Texts({ items }: { items: readonly string[] }) {
  return (
    <ul className="flex flex-col gap-1 rounded border p-2">
      {items.map((item) => (
        <li key={item}>
          <Mono wrap>{item}</Mono>
        </li>
      ))}
    </ul>
  );
}

function Content({ finding }: { finding: HygieneFinding }) {
  const t = useT();
  const { harm, policy_id, policy_name, workload_id, workload_name, vmid, witnesses, example, unused, used } = finding;
  const { word, tone } = HARM_STATES[harm];
  const rule = formatRule(t, finding);
  return (
    <div className="flex flex-col gap-6">
      <Fix finding={finding} />
      <Part title={t('Rule')}>
        <div className="rounded border p-2">
          <Mono wrap>{finding.subject}</Mono>
        </div>
      </Part>
      {witnesses.length > 0 && (
        <Part title={finding.kind === 'redundant' ? t('Decided by instead') : t('Evaluated before')}>
          <Texts items={witnesses.map((witness) => formatWitness(t, witness))} />
        </Part>
      )}
      {example && (
        <Part title={t('Example packet')}>
          <div className="rounded border p-2">
            <Mono wrap>{formatPacket(t, example)}</Mono>
          </div>
        </Part>
      )}
      {unused.length > 0 && (
        <Part title={t('Never used')}>
          <Texts items={unused} />
        </Part>
      )}
      {used.length > 0 && (
        <Part title={t('Used')}>
          <Texts items={used} />
        </Part>
      )}
      <Properties
        items={[
          { label: t('Harm'), value: <Status tone={tone}>{t(word)}</Status> },
          ...(policy_id === null
            ? []
            : [
                {
                  label: t('Policy'),
                  value: (
                    <Link className="link" href={paths.policy({ policyId: policy_id, tab: 'rules' })}>
                      {policy_name}
                      {rule && `, ${rule}`}
                    </Link>
                  ),
                },
              ]),
          ...(workload_id === null
            ? []
            : [
                {
                  label: t('Workload'),
                  value: (
                    <Link className="link" href={paths.workload({ workloadId: workload_id, tab: 'firewall' })}>
                      {workload_name} ({vmid})
                    </Link>
                  ),
                },
              ]),
          ...(finding.workloads_total === 0
            ? []
            : [
                {
                  label: t('Workloads'),
                  value: `${t('{n} of {total}', { n: finding.workloads_affected, total: finding.workloads_total })}: ${finding.workloads
                    .map(({ name }) => name)
                    .join(', ')}`,
                },
              ]),
          ...(finding.hits === null ? [] : [{ label: t('Hits'), value: String(finding.hits) }]),
          ...(finding.since === null ? [] : [{ label: t('Since'), value: formatDateTime(finding.since) }]),
          { label: t('First seen'), value: <RelativeTime at={finding.first_seen_at} /> },
        ]}
      />
    </div>
  );
}

/** Why no change can be drafted. */
function useFixReason({ actions, policy_id, kind }: HygieneFinding): string | null {
  const t = useT();
  if (actions.includes('fix')) return null;
  if (policy_id === null)
    return t('Fabric does not manage this rule. Edit it in Proxmox VE, or replace it by a policy.');
  if (kind === 'contradictory' || kind === 'denied') return t('Decide which rule is right, then edit the policy.');
  return t('Your roles do not permit this for this policy.');
}

function Fix({ finding }: { finding: HygieneFinding }) {
  const t = useT();
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const fix = useMutation(
    trpc.hygiene.fix.mutationOptions({
      onSuccess: ({ id }) => {
        void queryClient.invalidateQueries(trpc.changes.list.pathFilter());
        router.push(paths.change({ changeId: id }));
      },
    }),
  );
  const reason = useFixReason(finding);
  const failure = fix.error ? toFailure(fix.error) : null;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">{reason ?? t('A change is drafted. Nothing is written before it is applied.')}</p>
      {finding.actions.includes('fix') && (
        <div>
          <Button variant="primary" pending={fix.isPending} onClick={() => fix.mutate({ id: finding.id })}>
            {t('Draft change')}
          </Button>
        </div>
      )}
      {failure && (
        <Notice tone="danger" title={failure.title} live>
          {failure.detail}
        </Notice>
      )}
    </div>
  );
}
