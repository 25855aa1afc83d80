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
      <Meter label={t('Conversations that a rule decides')} share={coverage.covered_share} />
      <Properties
        columns={2}
        items={[
          { label: t('Conversations'), value: formatCount(flows) },
          { label: t('By policies'), value: formatCount(by_policy) },
          { label: t('By other rules'), value: formatCount(by_other_rule) },
          { label: t('By the default'), value: formatCount(by_default) },
          { label: t('Only by audit'), value: formatCount(by_audit) },
          { label: t('By nothing known'), value: formatCount(observed) },
        ]}
      />
      {conflicts > 0 && (
        <p className="text-danger">{t('About {n, number} of them log and rules disagree.', { n: conflicts })}</p>
      )}
      <p className="text-sm text-faint">
        {looked_since
          ? t.rich('Looked at {duration}, each conversation counted once.', {
              duration: <Elapsed since={looked_since} />,
            })
          : t('Nothing is counted yet: no agent reports from its node, or the first count is still to come.')}
      </p>
    </div>
  );
}
