'use client';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import type { Change } from '@/domain/change/change';
import type { ChangeDifference } from '@/domain/change/difference';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { guestSummary } from '../../shared/deployments/guest-change-labels';
import { ChangedRules, SwitchList, TemporaryLogNote } from '../../shared/deployments/guest-changes';
import { WorkloadLink } from '../../shared/entity-links';
import { QueryView } from '../../shared/query-view';

/** Of up to so many workloads the rules are shown without a press. */
const MAX_OPEN = 3;

/** What applying the change would do to rules and switches, workload by workload, by what was last read there. */
export function DifferenceSection({ change }: { change: Change }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery(trpc.changes.difference.queryOptions({ id: change.id }));
  return (
    <Section
      id="difference"
      title={t('Difference')}
      description={t('What the change writes to each workload, by what was last read there.')}
      bare
    >
      <QueryView query={query} skeleton={<Skeleton className="h-24 w-full" />}>
        {(difference) => <Difference difference={difference} />}
      </QueryView>
    </Section>
  );
}

/** The difference, as it was read. */
export function Difference({ difference }: { difference: ChangeDifference }) {
  const t = useT();
  const { workloads, totals, unreadable, hidden_workloads: hidden, log_new_rules: level } = difference;
  const more = totals.workloads - workloads.length;
  return (
    <div className="flex flex-col gap-3">
      {totals.workloads === 0 ? (
        <p className="text-muted">{t('No workload would change')}</p>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <Badge>{t('{n, plural, one {# workload} other {# workloads}}', { n: totals.workloads })}</Badge>
          <Badge tone={totals.added > 0 ? 'ok' : 'neutral'}>
            {t('{n, plural, one {# rule added} other {# rules added}}', { n: totals.added })}
          </Badge>
          <Badge tone={totals.removed > 0 ? 'danger' : 'neutral'}>
            {t('{n, plural, one {# rule removed} other {# rules removed}}', { n: totals.removed })}
          </Badge>
          <Badge tone={totals.option_changes > 0 ? 'warn' : 'neutral'}>
            {t('{n, plural, one {# setting changed} other {# settings changed}}', { n: totals.option_changes })}
          </Badge>
        </div>
      )}
      {level !== null && <TemporaryLogNote level={level} />}
      {workloads.map((workload) => (
        <Workload key={workload.workload_id} workload={workload} isOpen={workloads.length <= MAX_OPEN} />
      ))}
      {more > 0 && <p className="text-muted">{t('and {n, number} more', { n: more })}</p>}
      {unreadable.length > 0 && (
        <p className="text-warn">
          {t('Could not be read, so what changes there is unknown: {names}', {
            names: unreadable.map(({ name, vmid }) => `${name} (${vmid})`).join(', '),
          })}
        </p>
      )}
      {hidden > 0 && (
        <p className="text-muted">
          {t('{n, plural, one {# workload} other {# workloads}} of other owners, not visible to you.', { n: hidden })}
        </p>
      )}
    </div>
  );
}

type WorkloadProps = { workload: ChangeDifference['workloads'][number]; isOpen: boolean };

function Workload({ workload, isOpen }: WorkloadProps) {
  const t = useT();
  const { name, vmid, option_changes } = workload;
  const changes = { ...workload.changes, kept: [] };
  return (
    <details open={isOpen} className="group min-w-0 rounded-lg border bg-surface">
      <summary className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-3 py-1.5">
        <ChevronRight size={14} aria-hidden className="shrink-0 text-faint group-open:rotate-90" />
        <span className="font-medium">
          {name} <span className="mono font-normal text-muted">{vmid}</span>
        </span>
        <span className="text-muted">{guestSummary(t, { changes, option_changes })}</span>
      </summary>
      <div className="flex flex-col gap-2 border-t px-3 py-2">
        <SwitchList name={name} options={option_changes} />
        <ChangedRules name={name} changes={changes} />
        <p className="text-sm">
          <WorkloadLink id={workload.workload_id} name={t('Show workload')} />
        </p>
      </div>
    </details>
  );
}
