'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { PolicyCoverage } from '@/domain/coverage';
import { formatPercent } from '@/lib/format';
import { msg, translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { urlEnum, useUrlValue, withInitial } from '@/lib/url-state';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { SegmentedControl } from '@/ui/segmented-control';
import { RelativeTime } from '@/ui/values';
import { Elapsed } from '../../shared/elapsed';
import { QueryView } from '../../shared/query-view';
import { usePermissions } from '../../shared/use-permissions';
import { coverageColumns } from './coverage-columns';
import { coverageNotice } from './coverage-labels';

const DAYS = ['1', '7', '30', '90'] as const;
const DAY_OPTIONS = [
  { value: '1', label: msg('Today') },
  { value: '7', label: msg('7 days') },
  { value: '30', label: msg('30 days') },
  { value: '90', label: msg('90 days') },
] as const satisfies readonly { value: (typeof DAYS)[number]; label: string }[];

/** Counted every minute. */
const REFRESH_MS = 60_000;

/** How often each rule of a policy matches real traffic, and which never does. */
export function CoverageTab({ policyId }: { policyId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const [days, setDays] = useUrlValue('days', withInitial(urlEnum(DAYS), '7'));
  const query = useQuery({
    ...trpc.coverage.policy.queryOptions({ id: policyId, days: Number(days) }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-60 w-full" />}>
      {(coverage) => (
        <>
          <Notes coverage={coverage} />
          <div className="flex flex-wrap items-center justify-between gap-2">
            <SegmentedControl
              label={t('Days counted')}
              value={days}
              onValueChange={(next) => void setDays(next)}
              options={translateOptions(t, DAY_OPTIONS)}
            />
            <AsOf coverage={coverage} />
          </div>
          <Rules coverage={coverage} />
          <Earlier coverage={coverage} />
        </>
      )}
    </QueryView>
  );
}

function Notes({ coverage }: { coverage: PolicyCoverage }) {
  const t = useT();
  const { can } = usePermissions();
  const notice = coverageNotice(t, coverage);
  if (!notice) return null;
  return (
    <Notice
      tone={notice.tone}
      title={notice.title}
      action={
        notice.agents &&
        can('agent:read') && (
          <Link className={buttonClass({ size: 'sm' })} href={paths.agents()}>
            {t('Show agents')}
          </Link>
        )
      }
    >
      {notice.text}
    </Notice>
  );
}

function AsOf({ coverage: { looked_since, counted_until, evidence_score } }: { coverage: PolicyCoverage }) {
  const t = useT();
  if (looked_since === null || counted_until === null) return null;
  return (
    <p className="text-sm text-muted">
      {t.rich('Monitored {elapsed}, counted up to {at}. Evidence: {share} at the workload with the least.', {
        elapsed: <Elapsed since={looked_since} />,
        at: <RelativeTime at={counted_until} />,
        share: formatPercent(evidence_score ?? 0),
      })}
    </p>
  );
}

function Rules({ coverage }: { coverage: PolicyCoverage }) {
  const t = useT();
  const { rules, enforcement_mode, days } = coverage;
  const audited = rules.some((rule) => rule.audit_hits > 0);
  const decided = rules.some((rule) => rule.hits > 0);
  const columns = coverageColumns(t, {
    hits: enforcement_mode === 'enforced' || decided,
    audit: enforcement_mode === 'audit' || audited,
    from: days[0] ?? '',
  });
  return (
    <DataTable
      id="policy-coverage"
      label={t('Hit counts by rule')}
      noun={{ one: t('rule'), many: t('rules') }}
      columns={columns}
      rows={rules}
      rowId={(rule) => rule.id}
      total={rules.length}
      loading={false}
      error={null}
      height="auto"
      empty={<EmptyState title={t('No rules')}>{t('Without rules there is nothing for traffic to match.')}</EmptyState>}
    />
  );
}

function Earlier({ coverage: { earlier_rules: earlier } }: { coverage: PolicyCoverage }) {
  const t = useT();
  const values = earlier && { n: earlier.hits, at: <RelativeTime at={earlier.last_hit_at} /> };
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      {values && (
        <p>
          {earlier.audit_hits > 0
            ? t.rich(
                'Rules since removed or changed matched {n, plural, one {# conversation} other {# conversations}} and would have matched {audited, number}, most recently {at}.',
                { ...values, audited: earlier.audit_hits },
              )
            : t.rich(
                'Rules since removed or changed matched {n, plural, one {# conversation} other {# conversations}}, most recently {at}.',
                values,
              )}
        </p>
      )}
      <p>
        {t(
          'A hit is a new conversation that matched the rule as it was live when the flow was counted. Only traffic seen by agents is counted; a rule without hits may still be needed.',
        )}
      </p>
    </div>
  );
}
