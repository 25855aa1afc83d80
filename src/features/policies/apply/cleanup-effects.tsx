'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CleanupGuest } from '@/domain/policy-preview';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { noteText, optionName, optionValue } from '../../shared/deployments/guest-change-labels';
import { ImpactSummary } from '../../shared/impact/impact-summary';
import { DAY, useAskedImpact } from '../../shared/impact/use-impact';

/** What removing a policy does to each guest: rules, and the switches that go back or stay. */
export function CleanupEffects({ policyId }: { policyId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.policies.previewCleanup.queryOptions({ id: policyId }), gcTime: 0, retry: false });
  if (query.error) return <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />;
  if (!query.data || query.isFetching) {
    return (
      <div aria-busy="true" className="flex flex-col gap-2">
        <p>{t('Reading workloads…')}</p>
        <Skeleton className="h-16 w-full" />
      </div>
    );
  }
  const guests = query.data.clusters.flatMap((cluster) => cluster.guests);
  if (guests.length === 0) return <p>{t('The policy was never applied, so no workload changes.')}</p>;
  return (
    <>
      <RemovalImpact policyId={policyId} />
      <ul
        aria-label={t('Changes on the workloads')}
        className="max-h-56 divide-y overflow-y-auto rounded-md border text-text"
      >
        {guests.map((guest) => (
          <li key={guest.workload_id} className="flex flex-col px-3 py-1">
            <span>
              {guest.name} <span className="mono text-muted">{guest.vmid}</span>
            </span>
            {describeCleanup(t, guest).map((line) => (
              <span key={line} className="text-muted">
                {line}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What removing the policy does to connections. It informs only: nothing waits for it. */
function RemovalImpact({ policyId }: { policyId: string }) {
  const t = useT();
  const client = useTRPCClient();
  const [opened] = useState(() => Date.now());
  const { impact, error, asking, again } = useAskedImpact(
    {
      key: ['removal', policyId, opened],
      ask: (times, signal) => client.impacts.ofPolicy.mutate({ id: policyId, enabled: false, ...times }, { signal }),
    },
    DAY,
  );
  if (error) return <p>{t('The impact could not be computed')}</p>;
  if (!impact) return <Skeleton className="h-16 w-full" />;
  return <ImpactSummary impact={impact} onCompute={again} pending={asking} />;
}

function describeCleanup(t: Translate, { removed, option_changes, notes }: CleanupGuest): string[] {
  if (removed === null) return [t('Unknown: could not be read')];
  const switches = option_changes.map((change) =>
    t('{name}: {before} → {after}', {
      name: optionName(t, change),
      before: optionValue(t, change, change.before),
      after: optionValue(t, change, change.after),
    }),
  );
  const reported = notes.map((note) => noteText(t, note).message);
  const none = switches.length + reported.length === 0 ? [t('No settings change.')] : [];
  return [
    t('{n, plural, one {# rule will be removed} other {# rules will be removed}}', { n: removed }),
    ...switches,
    ...reported,
    ...none,
  ];
}
