'use client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { DriftKind } from '@/domain/change/drift-kinds';
import type { ChangeState } from '@/domain/change/states';
import type { GuestResultStatus } from '@/domain/deployments';
import type { TimelineDifference, TimelineEvent } from '@/domain/timeline';
import { formatDateTime } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { DRIFT_KIND_LABELS, STATE_LABELS } from '../shared/changes/change-labels';
import { GUEST_RESULT_LABELS } from '../shared/deployment-run-labels';
import { EDITED_LABELS, FIELD_LABELS, TIMELINE_LABELS, WARNING_KINDS } from './timeline-labels';

const PAGE_ROWS = 50;
/** Fields of one event that are shown. */
const SHOWN_FIELDS = 8;

type Named = NonNullable<TimelineEvent['object']>;

const HREFS: Record<Named['kind'], (id: string) => string> = {
  policy: (policyId) => paths.policy({ policyId }),
  change: (changeId) => paths.change({ changeId }),
  drift: (drift) => paths.drift({ drift }),
  group: (groupId) => paths.securityGroup({ groupId }),
};

/** What an event is about besides its object, in the language of the page. */
function describeSubject(t: Translate, { kind, subject }: TimelineEvent): string | null {
  if (subject === null) return null;
  switch (kind) {
    case 'deployment':
      return t(GUEST_RESULT_LABELS[subject as GuestResultStatus].word);
    case 'change_step':
      return t(STATE_LABELS[subject as ChangeState].word);
    case 'drift_found':
    case 'drift_resolved':
      return t(DRIFT_KIND_LABELS[subject as DriftKind]);
    case 'policy_saved':
      return t('Version {version}', { version: subject });
    case 'hypervisor_edit':
      return t(EDITED_LABELS[subject] ?? subject);
    case 'agent_gap':
      return null;
    default:
      return subject;
  }
}

function formatDifference(t: Translate, { field, before, after }: TimelineDifference): string {
  const name = FIELD_LABELS[field];
  const show = (value: string | null) =>
    value === null || value === '' ? t('None') : value === 'true' ? t('Yes') : value === 'false' ? t('No') : value;
  return t('{field}: {before} → {after}', { field: name ? t(name) : field, before: show(before), after: show(after) });
}

function Event({ event }: { event: TimelineEvent }) {
  const t = useT();
  const { kind, at, not_before: after, object, actor_name: actor, differences } = event;
  const subject = describeSubject(t, event);
  const more = differences.length - SHOWN_FIELDS;
  return (
    <li className="flex flex-col gap-0.5 py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className={WARNING_KINDS.includes(kind) ? 'font-medium text-warn' : 'font-medium'}>
          {t(TIMELINE_LABELS[kind])}
        </span>
        {object &&
          (object.id === null ? (
            <span className="[overflow-wrap:anywhere]">{object.name}</span>
          ) : (
            <Link className="link [overflow-wrap:anywhere]" href={HREFS[object.kind](object.id)}>
              {object.name}
            </Link>
          ))}
        {subject !== null && <span className="[overflow-wrap:anywhere]">{subject}</span>}
        {actor !== null && <span className="text-muted">{actor}</span>}
        <span className="text-muted">
          {after === null ? (
            <RelativeTime at={at} />
          ) : (
            t('{from} to {to}', { from: formatDateTime(after), to: formatDateTime(at) })
          )}
        </span>
      </div>
      {differences.length > 0 && (
        <ul className="flex flex-wrap gap-x-4 text-sm text-muted">
          {differences.slice(0, SHOWN_FIELDS).map((one) => (
            <li key={one.field} className="[overflow-wrap:anywhere]">
              {formatDifference(t, one)}
            </li>
          ))}
          {more > 0 && <li>{t('and {n, number} more', { n: more })}</li>}
        </ul>
      )}
    </li>
  );
}

/** Everything that touched a workload, newest first. */
export function WorkloadTimeline({ workloadId }: { workloadId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = useInfiniteQuery({
    queryKey: [trpc.workloads.timeline.pathKey()[0], { input: { id: workloadId }, type: 'infinite' }],
    queryFn: ({ pageParam, signal }) =>
      client.workloads.timeline.query(
        { id: workloadId, limit: PAGE_ROWS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  if (query.isPending) return <Skeleton className="h-64" />;
  if (query.error && !query.data) {
    return (
      <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
    );
  }
  const [first] = query.data?.pages ?? [];
  const events = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title={t('Last 30 days')}
      description={
        first &&
        t('Changes are recorded since {when}. An event with two times happened between them.', {
          when: formatDateTime(first.recorded_since),
        })
      }
    >
      {events.length === 0 ? (
        <EmptyState title={t('Nothing happened')}>
          {t('Syncs, groups, policies, edits on the hypervisor and gaps in reports of agents appear here.')}
        </EmptyState>
      ) : (
        <ol aria-label={t('Timeline')} className="flex flex-col divide-y">
          {events.map((event) => (
            <Event key={event.id} event={event} />
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('Show older')}
        </Button>
      )}
    </Section>
  );
}
