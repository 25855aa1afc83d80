'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { InsightsDecisions } from '@/domain/insights';
import { formatCount, formatPercent } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { PolicyLink } from '../shared/entity-links';
import { QueryView } from '../shared/query-view';
import { expiredRange } from '../shared/time-range';
import { getContextDecisionLabel } from './context-labels';
import type { TrafficView } from './use-traffic-view';

/** How many of the flows end how by what is live, and what audited policies would change. */
export function Decisions({ view }: { view: TrafficView }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.insights.decisions.queryOptions(view.asked),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  return (
    <Section title={t('Decided by')}>
      <QueryView query={query} skeleton={<Skeleton className="h-28 w-full" />}>
        {(decisions) => (
          <Content decisions={decisions} expired={expiredRange(view.asked.until, decisions.kept_since) !== null} />
        )}
      </QueryView>
    </Section>
  );
}

function Content({
  decisions: { flows, by_context, conflicts, audit, rules_read_at },
  expired,
}: {
  decisions: InsightsDecisions;
  expired: boolean;
}) {
  const t = useT();
  const shown = by_context.filter((one) => one.flows > 0).sort((a, b) => b.flows - a.flows);
  return (
    <div className="flex flex-col gap-3">
      {conflicts > 0 && (
        <Notice
          tone="danger"
          title={t('{n, plural, one {# flow does not match the rules} other {# flows do not match the rules}}', {
            n: conflicts,
          })}
        >
          {t('The firewall log differs from the live rules that were read.')}
        </Notice>
      )}
      {shown.length === 0 ? (
        <p className="text-muted">
          {expired ? t('Flows in this time range expired') : t('No flows in this time range.')}
        </p>
      ) : (
        <ul className="flex flex-col gap-1">
          {shown.map((one) => {
            const { word, tone, meaning } = getContextDecisionLabel(t, one.decision);
            return (
              <li key={one.decision} className="flex items-baseline gap-2" title={meaning}>
                <span className="min-w-0 flex-1">
                  <Badge tone={tone}>{word}</Badge>
                </span>
                <span className="tabular-nums">{formatCount(one.flows)}</span>
                <span className="w-16 text-right text-muted tabular-nums">{formatPercent(one.flows / flows)}</span>
              </li>
            );
          })}
        </ul>
      )}
      {audit.length > 0 && (
        <div className="flex flex-col gap-1">
          <h3 className="font-medium">{t('Policies in audit mode')}</h3>
          <ul className="flex flex-col gap-1">
            {audit.map((policy) => (
              <li key={policy.policy_id} className="flex flex-wrap items-baseline gap-x-2">
                <PolicyLink id={policy.policy_id} name={policy.policy_name} />
                <span className="text-muted">
                  {t('would allow {accept, number}, drop {drop, number}, reject {reject, number}', {
                    accept: policy.accept,
                    drop: policy.drop,
                    reject: policy.reject,
                  })}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <p className="text-sm text-faint">
        {rules_read_at
          ? t.rich('Based on the rules last read {when}.', { when: <RelativeTime at={rules_read_at} /> })
          : t('The rules were never read, so matching rules are unknown.')}
      </p>
    </div>
  );
}
