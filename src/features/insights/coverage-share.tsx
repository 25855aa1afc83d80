'use client';
import { useQuery } from '@tanstack/react-query';
import type { WorkloadCoverage } from '@/domain/coverage';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { Meter } from '@/ui/meter';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Elapsed } from '../shared/elapsed';
import { QueryView } from '../shared/query-view';

const DAYS = 7;

/** Which share of the workload's conversations rules decide, as counted over the last days. */
export function CoverageShare({ workloadId }: { workloadId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.coverage.workloads.queryOptions({ workload_id: workloadId, days: DAYS }),
    refetchInterval: 60_000,
  });
  return (
    <Section title={t('Covered by rules, last {n, plural, one {# day} other {# days}}', { n: DAYS })}>
      <QueryView query={query} skeleton={<Skeleton className="h-28 w-full" />}>
        {({ items: [coverage] }) =>
          coverage ? <Content coverage={coverage} /> : <p>{t('Templates have no traffic.')}</p>
        }
      </QueryView>
    </Section>
  );
}

function Content({ coverage }: { coverage: WorkloadCoverage }) {
  const t = useT();
  const { flows, by_policy, by_other_rule, by_audit, by_default, observed, conflicts, looked_since } = coverage;
  return (
    <div className="flex flex-col gap-2">
      <Meter label={t('Conversations matched by a rule')} share={coverage.covered_share} />
      <Properties
        columns={2}
        items={[
          { label: t('Conversations'), value: formatCount(flows) },
          { label: t('By policies'), value: formatCount(by_policy) },
          { label: t('By other rules'), value: formatCount(by_other_rule) },
          { label: t('By default policy'), value: formatCount(by_default) },
          { label: t('By audit mode only'), value: formatCount(by_audit) },
          { label: t('Not filtered or unknown'), value: formatCount(observed) },
        ]}
      />
      {conflicts > 0 && (
        <p className="text-danger">{t('Log and rules differ for {n, number} conversations.', { n: conflicts })}</p>
      )}
      <p className="text-sm text-faint">
        {looked_since
          ? t.rich('Monitored for {duration}. Each conversation is counted once.', {
              duration: <Elapsed since={looked_since} />,
            })
          : t('No data yet. No agent reports from the node, or the first count is pending.')}
      </p>
    </div>
  );
}
