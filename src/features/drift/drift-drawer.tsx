'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Drift } from '@/domain/change/drift';
import { ADOPTABLE_KINDS } from '@/domain/change/drift-kinds';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { Status } from '@/ui/status';
import { Missing, Mono, RelativeTime } from '@/ui/values';
import { DRIFT_KIND_LABELS } from '../shared/changes/change-labels';
import { AcceptDriftDialog } from './accept-drift-dialog';
import { formatSubject, KIND_TEXTS, STATUS_STATES } from './drift-labels';
import { useDriftActions } from './use-drift-actions';

const AdoptDriftDialog = loadOnOpening(
  () => import('./adopt-drift-dialog').then((module) => module.AdoptDriftDialog),
  () => true,
);

type Props = { driftId: string | null; onClose: () => void };

/** One difference: what the policy wants, what was applied and what is live, and what can be done about it. */
export function DriftDrawer({ driftId, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.drift.get.queryOptions({ id: driftId ?? '' }), enabled: driftId !== null });
  const drift = driftId === null ? undefined : query.data;
  return (
    <Drawer
      open={driftId !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={drift ? `${t(DRIFT_KIND_LABELS[drift.kind])}: ${formatSubject(t, drift.subject)}` : t('Drift')}
      description={drift && t(KIND_TEXTS[drift.kind])}
    >
      {drift ? (
        <Content drift={drift} onClose={onClose} />
      ) : query.error ? (
        <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Drawer>
  );
}

function Content({ drift, onClose }: { drift: Drift; onClose: () => void }) {
  const t = useT();
  const sides = [
    { label: t('Desired'), text: drift.desired },
    { label: t('Last applied'), text: drift.last_applied },
    { label: t('Live'), text: drift.live },
  ];
  const { word, tone } = STATUS_STATES[drift.status];
  return (
    <div className="flex flex-col gap-6">
      <Actions drift={drift} onClose={onClose} />
      <dl className="grid gap-3 md:grid-cols-3">
        {sides.map(({ label, text }) => (
          <div key={label} className="flex min-w-0 flex-col gap-1">
            <dt className="text-sm font-medium">{label}</dt>
            <dd className="rounded border p-2 whitespace-pre-line">
              {text === null ? <Missing /> : <Mono wrap>{text}</Mono>}
            </dd>
          </div>
        ))}
      </dl>
      <Properties
        items={[
          { label: t('Status'), value: <Status tone={tone}>{t(word)}</Status> },
          {
            label: t('Policy'),
            value: (
              <Link className="link" href={paths.policy({ policyId: drift.policy_id })}>
                {drift.policy_name}
              </Link>
            ),
          },
          {
            label: t('Workload'),
            value: (
              <Link className="link" href={paths.workload({ workloadId: drift.workload_id })}>
                {drift.workload_name} ({drift.vmid})
              </Link>
            ),
          },
          { label: t('Cluster'), value: drift.cluster_name },
          { label: t('First seen'), value: <RelativeTime at={drift.first_seen_at} /> },
          {
            label: t('Changed by'),
            value: drift.changed_by ? (
              <>
                <Mono wrap>{drift.changed_by}</Mono> {drift.changed_at && <RelativeTime at={drift.changed_at} />}
              </>
            ) : (
              t('Not known. No access log names anyone.')
            ),
          },
          { label: t('Last seen'), value: <RelativeTime at={drift.last_seen_at} /> },
          ...(drift.accepted_until
            ? [
                { label: t('Accepted until'), value: formatDateTime(drift.accepted_until) },
                { label: t('Accepted by'), value: drift.accepted_by },
                { label: t('Reason'), value: drift.accepted_reason },
              ]
            : []),
        ]}
      />
    </div>
  );
}

function Actions({ drift, onClose }: { drift: Drift; onClose: () => void }) {
  const t = useT();
  const [asked, setAsked] = useState<'adopt' | 'accept' | null>(null);
  const { reconcile, withdraw } = useDriftActions(onClose);
  const failed = reconcile.error ?? withdraw.error;
  const failure = failed ? toFailure(failed) : null;
  if (drift.status === 'resolved') return <Notice tone="ok" title={t('This difference is gone.')} />;
  const may = (action: Drift['actions'][number]) =>
    drift.actions.includes(action) ? null : t('Your roles do not permit this for this policy.');
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        {t('Reconciling writes the desired state of this policy to this workload only, pending edits included.')}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          pending={reconcile.isPending}
          disabledReason={may('reconcile')}
          onClick={() => reconcile.mutate({ drift_ids: [drift.id] })}
        >
          {t('Reconcile workload')}
        </Button>
        <Button
          disabledReason={
            ADOPTABLE_KINDS.includes(drift.kind)
              ? may('adopt')
              : t('No policy can express this difference. Reconcile it, or accept it.')
          }
          onClick={() => setAsked('adopt')}
        >
          {t('Adopt difference')}
        </Button>
        <Button disabledReason={may('accept')} onClick={() => setAsked('accept')}>
          {t('Accept difference')}
        </Button>
        {drift.status === 'accepted' && (
          <Button
            pending={withdraw.isPending}
            disabledReason={may('withdraw_acceptance')}
            onClick={() => withdraw.mutate({ id: drift.id })}
          >
            {t('Withdraw acceptance')}
          </Button>
        )}
      </div>
      {failure && (
        <Notice tone="danger" title={failure.title} live>
          {failure.detail}
        </Notice>
      )}
      {asked === 'adopt' && <AdoptDriftDialog drifts={[drift]} onClose={() => setAsked(null)} />}
      {asked === 'accept' && <AcceptDriftDialog ids={[drift.id]} onClose={() => setAsked(null)} onDone={onClose} />}
    </div>
  );
}
