'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApplyResult } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { ErrorState } from '@/ui/error-state';
import { Notice } from '@/ui/notice';
import { Skeleton } from '@/ui/skeleton';
import { UNRESOLVED_WORDS } from '../../shared/deployment-words';
import { guestsText, liveRules, placesText } from '../policy-words';
import { OperationProgress } from './operation-progress';
import { ProblemList } from './problem-list';

type Props = {
  policy: Pick<Policy, 'id' | 'name' | 'version' | 'deployments'>;
  onClose: () => void;
  onShowDeployments: () => void;
};

/** Dry run first; then one button that says what it does; then the work as it goes, guest by guest. */
export function ApplyDialog({ policy, onClose, onShowDeployments }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [operationId, setOperationId] = useState<string | null>(null);
  const dryRun = useQuery({
    queryKey: ['policy-dry-run', policy.id, policy.version],
    queryFn: ({ signal }) => client.deployments.applyPolicy.mutate({ policy_id: policy.id, dry_run: true }, { signal }),
    enabled: operationId === null,
    gcTime: 0,
    retry: false,
  });
  const apply = useMutation(
    trpc.deployments.applyPolicy.mutationOptions({
      onSuccess: (result) => {
        setOperationId(result.operation_id);
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        void queryClient.invalidateQueries(trpc.deployments.pathFilter());
      },
    }),
  );
  const failure = apply.error ? failureOf(apply.error) : null;
  const plan = dryRun.data ? planOf(dryRun.data) : null;
  // Guests that only lose rules are not in the dry run's list, but they are part of the work.
  const places =
    plan && plan.guests > 0 ? placesText(t, plan.guests, plan.clusters) : guestsText(t, policy.deployments);
  const done = operationId !== null || (apply.isSuccess && apply.data.operation_id === null);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      persistent={apply.isPending}
      title={t('Apply {name}', { name: policy.name })}
      description={t('Version {version}', { version: policy.version })}
      footer={
        done ? (
          <>
            <Button
              onClick={() => {
                onClose();
                onShowDeployments();
              }}
            >
              {t('Show deployments')}
            </Button>
            <Button variant="primary" onClick={onClose}>
              {t('Close')}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button
              variant="primary"
              pending={apply.isPending}
              disabledReason={
                dryRun.isFetching
                  ? t('The dry run is under way')
                  : plan === null
                    ? t('The dry run failed, so nobody knows what would happen')
                    : places === null && liveRules(policy.deployments) === 0
                      ? t('There is nothing to apply: no guest is meant, and nothing of the policy is live')
                      : null
              }
              onClick={() => apply.mutate({ policy_id: policy.id, dry_run: false })}
            >
              {places ? t('Apply to {places}', { places }) : t('Apply')}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {failure && (
          <Notice tone="danger" live title={failure.title}>
            {failure.detail}
          </Notice>
        )}
        {operationId !== null ? (
          <OperationProgress operationId={operationId} />
        ) : apply.isSuccess ? (
          <Notice tone="info" live title={t('Nothing was started')}>
            {apply.data.message ?? t('Nothing was to be done.')}
          </Notice>
        ) : dryRun.isFetching ? (
          <div aria-busy="true" className="flex flex-col gap-2">
            <p className="text-muted">{t('Dry run: working out what is wanted of every guest…')}</p>
            <Skeleton className="h-24 w-full" />
          </div>
        ) : dryRun.error ? (
          <ErrorState problem={failureOf(dryRun.error)} onRetry={() => void dryRun.refetch()} />
        ) : (
          dryRun.data && <DryRun result={dryRun.data} />
        )}
      </div>
    </Dialog>
  );
}

type Plan = { guests: number; clusters: number; rules: number };

function planOf({ clusters }: ApplyResult): Plan {
  const busy = clusters.filter((cluster) => cluster.guests.length > 0);
  const guests = busy.flatMap((cluster) => cluster.guests);
  return {
    guests: guests.length,
    clusters: busy.length,
    rules: guests.reduce((sum, guest) => sum + (guest.rules ?? 0), 0),
  };
}

function DryRun({ result }: { result: ApplyResult }) {
  const t = useT();
  const { guests, clusters, rules } = planOf(result);
  return (
    <>
      <Notice
        tone={result.success ? 'ok' : 'warn'}
        live
        title={result.success ? t('Dry run passed') : t('Dry run found problems')}
      >
        <p>
          {guests === 0
            ? t('No guest is meant now. Rules of the policy that are live are removed.')
            : t('{n, plural, one {# rule} other {# rules}} on {places}.', {
                n: rules,
                places: placesText(t, guests, clusters),
              })}{' '}
          {t('Nothing was sent to a cluster.')}
        </p>
        {result.message && <p>{result.message}</p>}
      </Notice>
      {result.unresolved.length > 0 && (
        <Notice tone="warn" title={t('Endpoints that yield no rule')}>
          <ul>
            {result.unresolved.map(({ side, endpoint, reason }) => (
              <li key={`${side} ${endpoint}`}>
                {t.rich('{name}: {value}', {
                  name: <span className="mono">{endpoint}</span>,
                  value: t((UNRESOLVED_WORDS as Record<string, string>)[reason] ?? reason),
                })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {result.clusters.map((cluster) => (
        <section key={cluster.cluster_id} className="flex flex-col gap-1">
          <h3 className="font-medium">
            {cluster.cluster_name}{' '}
            <span className="font-normal text-muted">
              {t('{n, plural, one {# guest} other {# guests}}', { n: cluster.guests.length })}
            </span>
          </h3>
          <ProblemList problems={cluster.problems} />
          <ul
            aria-label={t('Guests in {cluster}', { cluster: cluster.cluster_name })}
            className="max-h-56 divide-y overflow-y-auto rounded-md border"
          >
            {cluster.guests.map((guest) => (
              <li key={guest.workload_id} className="flex flex-wrap gap-x-2 px-3 py-1">
                <span>{guest.name}</span>
                <span className="mono text-muted">{guest.vmid}</span>
                <span className="ml-auto text-muted tabular-nums">
                  {t('{n, plural, one {# rule} other {# rules}}', { n: guest.rules ?? 0 })}
                </span>
                {guest.problems.length > 0 && (
                  <div className="basis-full">
                    <ProblemList problems={guest.problems} />
                  </div>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className="text-muted">
        {t(
          'New rules are written first and checked, then old ones go. Rules made elsewhere stay as they are. Established connections are not cut. The preview shows every rule.',
        )}
      </p>
    </>
  );
}
