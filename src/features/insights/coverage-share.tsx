'use client';
import { useQuery } from '@tanstack/react-query';
import type { WorkloadCoverage } from '@/domain/coverage';
import { formatCount } from '@/lib/format';
import { useTRPC } from '@/lib/trpc';
import { Meter } from '@/ui/meter';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Skeleton } from '@/ui/skeleton';
import { Elapsed } from '../shared/elapsed';
import { QueryView } from '../shared/query-view';

const DAYS = 7;

/** Which share of the workload's conversations rules decide, as counted over the last days. */
export function CoverageShare({ workloadId }: { workloadId: string }) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.coverage.workloads.queryOptions({ workload_id: workloadId, days: DAYS }),
    refetchInterval: 60_000,
  });
  return (
    <Section title={`Covered by rules, last ${DAYS} days`}>
      <QueryView query={query} skeleton={<Skeleton className="h-28 w-full" />}>
        {({ items: [coverage] }) => (coverage ? <Content coverage={coverage} /> : <p>Templates have no traffic.</p>)}
      </QueryView>
    </Section>
  );
}

function Content({ coverage }: { coverage: WorkloadCoverage }) {
  const { flows, by_policy, by_other_rule, by_audit, by_default, observed, conflicts, looked_since } = coverage;
  return (
    <div className="flex flex-col gap-2">
      <Meter label="Conversations that a rule decides" share={coverage.covered_share} />
      <Properties
        columns={2}
        items={[
          { label: 'Conversations', value: formatCount(flows) },
          { label: 'By policies', value: formatCount(by_policy) },
          { label: 'By other rules', value: formatCount(by_other_rule) },
          { label: 'By the default', value: formatCount(by_default) },
          { label: 'Only by audit', value: formatCount(by_audit) },
          { label: 'By nothing known', value: formatCount(observed) },
        ]}
      />
      {conflicts > 0 && <p className="text-danger">About {formatCount(conflicts)} of them log and rules disagree.</p>}
      <p className="text-sm text-faint">
        {looked_since ? (
          <>
            Looked at <Elapsed since={looked_since} />, each conversation counted once.
          </>
        ) : (
          'Nothing is counted yet: no agent reports from its node, or the first count is still to come.'
        )}
      </p>
    </div>
  );
}
