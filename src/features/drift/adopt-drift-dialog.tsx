'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useId, useState } from 'react';
import type { Drift, DriftAdopt, DriftAdoption } from '@/domain/change/drift';
import type { ChangeItem } from '@/domain/change/items';
import { compareSnapshots } from '@/domain/policy/snapshot';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { RadioGroup } from '@/ui/radio-group';
import { describeItem } from '../shared/changes/change-labels';
import { ImpactSummary } from '../shared/impact/impact-summary';
import { useImpact } from '../shared/impact/use-impact';
import { NewPolicy } from '../shared/policy-versions/new-policy';
import { SnapshotDifference } from '../shared/policy-versions/snapshot-difference';

type Props = { drifts: readonly Drift[]; onClose: () => void };

/** Asks what becomes of differences, with the edits and the impact of the answer, and drafts one change. Mount it when it opens. */
export function AdoptDriftDialog({ drifts, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const queryClient = useQueryClient();
  const questionId = useId();
  const [as, setAs] = useState<DriftAdopt['as'] | null>(null);
  const drift_ids = drifts.map(({ id }) => id);
  const n = drift_ids.length;
  const preview = useQuery({
    queryKey: ['drift-adoption', drift_ids, as],
    queryFn: ({ signal }) => client.drift.previewAdoptionOfMany.mutate({ drift_ids, as: as ?? 'policy' }, { signal }),
    enabled: as !== null,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const adopt = useMutation(
    trpc.drift.adoptMany.mutationOptions({
      onSuccess: ({ id }) => {
        void queryClient.invalidateQueries(trpc.changes.list.pathFilter());
        router.push(paths.change({ changeId: id }));
      },
    }),
  );
  const refusal = preview.error ? toFailure(preview.error) : null;
  const failure = adopt.error ? toFailure(adopt.error) : refusal;
  const listNames = (toName: (drift: Drift) => string) => [...new Set(drifts.map(toName))];
  const policies = listNames(({ policy_name }) => policy_name);
  const workloads = listNames(({ workload_name, vmid }) => `${workload_name} (${vmid})`);
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(next) => !next && onClose()}
      title={t('{n, plural, one {Adopt difference} other {Adopt # differences}}', { n })}
      description={t('A change is drafted. Nothing is written before it is applied.')}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            pending={adopt.isPending}
            disabledReason={
              as === null
                ? t(
                    '{n, plural, one {Choose what the difference becomes.} other {Choose what the differences become.}}',
                    { n },
                  )
                : refusal
                  ? (refusal.detail ?? refusal.title)
                  : !preview.data && t('Wait for the edits.')
            }
            onClick={() => as && adopt.mutate({ drift_ids, as })}
          >
            {t('Draft change')}
          </Button>
        </>
      }
    >
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex flex-col gap-2">
          <span id={questionId} className="font-medium">
            {t('{n, plural, one {What does the difference become?} other {What do the differences become?}}', {
              n,
            })}
          </span>
          <RadioGroup
            aria-labelledby={questionId}
            value={as}
            onValueChange={(next) => {
              adopt.reset();
              setAs(next);
            }}
            options={[
              {
                value: 'policy',
                label: t('{n, plural, one {Policy for all its workloads} other {Policies for all their workloads}}', {
                  n: policies.length,
                }),
                description: t(
                  '{n, plural, one {{name} gets the live content, and every workload of it is written.} other {# policies get the live content, and all their workloads are written.}}',
                  { n: policies.length, name: policies[0] },
                ),
              },
              {
                value: 'exception',
                label: t('{n, plural, one {Exception of this workload} other {Exceptions of these workloads}}', {
                  n: workloads.length,
                }),
                description: t(
                  '{n, plural, one {Only {name} keeps the live content.} other {Only these # workloads keep the live content.}} The other workloads stay as they are.',
                  { n: workloads.length, name: workloads[0] },
                ),
              },
            ]}
          />
        </div>
        {failure && (
          <Notice tone="danger" title={failure.title} live>
            {failure.detail}
          </Notice>
        )}
        {as !== null && !refusal && (
          <Adoption adoption={preview.data} onCompute={() => void preview.refetch()} pending={preview.isFetching} />
        )}
      </div>
    </Dialog>
  );
}

type AdoptionProps = { adoption: DriftAdoption | undefined; onCompute: () => void; pending: boolean };

/** The edits that would be drafted, and what they do together. */
function Adoption({ adoption, onCompute, pending }: AdoptionProps) {
  const t = useT();
  const { data: impact = adoption?.impact } = useImpact(adoption?.impact.id ?? null);
  if (!adoption || !impact) return <Skeleton className="h-40 w-full" />;
  return (
    <>
      <ul aria-label={t('Edits')} className="flex flex-col gap-3">
        {adoption.items.map((item) => (
          <li key={`${item.kind} ${item.name}`} className="flex min-w-0 flex-col gap-2">
            <Edit item={item} />
          </li>
        ))}
      </ul>
      <ImpactSummary impact={impact} onCompute={onCompute} pending={pending} />
    </>
  );
}

function Edit({ item }: { item: ChangeItem }) {
  const t = useT();
  const { tone, word } = describeItem(t, item);
  if (item.kind !== 'policy') return null;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{word}</Badge>
        <span className="font-medium [overflow-wrap:anywhere]">{item.name}</span>
      </p>
      {item.before ? (
        <SnapshotDifference {...compareSnapshots(item.before, item.after)} />
      ) : (
        <NewPolicy policy={item.after} />
      )}
    </>
  );
}
