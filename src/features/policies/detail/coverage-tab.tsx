'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import type { PolicyCoverage } from '@/domain/coverage';
import { formatCount } from '@/lib/format';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/relative-time';
import { SegmentedControl } from '@/ui/segmented-control';
import { Skeleton } from '@/ui/skeleton';
import { Elapsed } from '../../shared/elapsed';
import { QueryView } from '../../shared/query-view';
import { usePermissions } from '../../shared/use-permissions';
import { coverageColumns } from './coverage-columns';
import { coverageNotice } from './coverage-words';

const DAYS = ['1', '7', '30', '90'] as const;
const DAY_OPTIONS = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const satisfies readonly { value: (typeof DAYS)[number]; label: string }[];

/** Counted every minute. */
const REFRESH_MS = 60_000;

/** How often each rule of a policy decides about real traffic, and which never does. */
export function CoverageTab({ policyId }: { policyId: string }) {
  const trpc = useTRPC();
  const [days, setDays] = useQueryState('days', parseAsStringLiteral(DAYS).withDefault('7'));
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
              label="Days that are counted"
              value={days}
              onValueChange={(next) => void setDays(next)}
              options={DAY_OPTIONS}
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
  const { can } = usePermissions();
  const notice = coverageNotice(coverage);
  if (!notice) return null;
  return (
    <Notice
      tone={notice.tone}
      title={notice.title}
      action={
        notice.agents &&
        can('agent:read') && (
          <Link className={buttonClass({ size: 'sm' })} href={paths.agents()}>
            Look at the agents
          </Link>
        )
      }
    >
      {notice.text}
    </Notice>
  );
}

function AsOf({ coverage: { looked_since, counted_until } }: { coverage: PolicyCoverage }) {
  if (looked_since === null || counted_until === null) return null;
  return (
    <p className="text-sm text-muted">
      Looked at <Elapsed since={looked_since} />, counted up to <RelativeTime at={counted_until} />.
    </p>
  );
}

function Rules({ coverage }: { coverage: PolicyCoverage }) {
  const { rules, enforcement_mode, days } = coverage;
  const audited = rules.some((rule) => rule.audit_hits > 0);
  const decided = rules.some((rule) => rule.hits > 0);
  const columns = coverageColumns({
    hits: enforcement_mode === 'enforced' || decided,
    audit: enforcement_mode === 'audit' || audited,
    from: days[0] ?? '',
  });
  return (
    <DataTable
      id="policy-coverage"
      label="Hits of the policy's rules"
      noun={{ one: 'rule', many: 'rules' }}
      columns={columns}
      rows={rules}
      rowId={(rule) => rule.id}
      total={rules.length}
      loading={false}
      error={null}
      height="auto"
      empty={<EmptyState title="No rules">Without rules there is nothing that traffic could hit.</EmptyState>}
    />
  );
}

const conversations = (count: number) => `${formatCount(count)} ${count === 1 ? 'conversation' : 'conversations'}`;

function Earlier({ coverage: { earlier_rules: earlier } }: { coverage: PolicyCoverage }) {
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      {earlier && (
        <p>
          Rules that the policy does not have any more, or has with another content, decided about{' '}
          {conversations(earlier.hits)}
          {earlier.audit_hits > 0 && ` and would have about ${formatCount(earlier.audit_hits)}`}, the last time{' '}
          <RelativeTime at={earlier.last_hit_at} />.
        </p>
      )}
      <p>
        A hit is a conversation that began and about which the rule decides, as it was live when the flow was counted.
        Only traffic that agents see is counted; a rule without hits may still be needed.
      </p>
    </div>
  );
}
