'use client';
import { useQuery } from '@tanstack/react-query';
import type { WorkloadCoverage } from '@/domain/coverage';
import { formatCount, formatPercent } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { Meter } from '@/ui/meter';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { AsOf, uncountedSince } from '../shared/agents/agent-state';
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
  const { flows, by_policy, by_other_rule, by_audit, by_default, observed, conflicts, looked_since, evidence_score } =
    coverage;
  const asOf = uncountedSince(coverage);
  return (
    <div className="flex flex-col gap-2">
      <AsOf at={asOf}>
        <Meter label={t('Conversations matched by a rule')} share={coverage.covered_share} />
      </AsOf>
      <Properties
        columns={2}
        items={[
          { label: t('Conversations'), value: <AsOf at={asOf}>{formatCount(flows)}</AsOf> },
          { label: t('By policies'), value: <AsOf at={asOf}>{formatCount(by_policy)}</AsOf> },
          { label: t('By other rules'), value: <AsOf at={asOf}>{formatCount(by_other_rule)}</AsOf> },
          { label: t('By default policy'), value: <AsOf at={asOf}>{formatCount(by_default)}</AsOf> },
          { label: t('By audit mode only'), value: <AsOf at={asOf}>{formatCount(by_audit)}</AsOf> },
          { label: t('Evidence'), value: formatPercent(evidence_score) },
          { label: t('Not filtered or unknown'), value: <AsOf at={asOf}>{formatCount(observed)}</AsOf> },
        ]}
      />
      {conflicts > 0 && (
        <p className="text-danger">{t('Log and rules differ for {n, number} conversations.', { n: conflicts })}</p>
      )}
      <p className="text-sm text-faint">
        {looked_since
          ? t.rich('Monitored {elapsed}. Each conversation is counted once.', {
              elapsed: <Elapsed since={looked_since} />,
            })
          : asOf
            ? t.rich('Not monitored now: no agent reports from the node. Last conversation {time}.', {
                time: <RelativeTime at={asOf} />,
              })
            : t('No data yet. No agent reports from the node, or the first count is pending.')}
      </p>
    </div>
  );
}
