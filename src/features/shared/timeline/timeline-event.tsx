'use client';
import type { DriftKind } from '@/domain/change/drift-kinds';
import type { ChangeState } from '@/domain/change/states';
import type { GuestResultStatus } from '@/domain/deployments';
import type { TimelineEvent as Event, TimelineDifference } from '@/domain/timeline';
import { formatDateTime } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
import { RelativeTime } from '@/ui/values';
import { DRIFT_KIND_LABELS, STATE_LABELS } from '../changes/change-labels';
import { GUEST_RESULT_LABELS } from '../deployment-run-labels';
import { EDITED_LABELS, FIELD_LABELS, TIMELINE_LABELS, WARNING_KINDS } from './timeline-labels';

/** Fields of one event that are shown. */
const SHOWN_FIELDS = 8;

type Named = NonNullable<Event['object']>;

const HREFS: Record<Named['kind'], (id: string) => string> = {
  policy: (policyId) => paths.policy({ policyId }),
  change: (changeId) => paths.change({ changeId }),
  drift: (drift) => paths.drift({ drift }),
  group: (groupId) => paths.securityGroup({ groupId }),
};

/** What an event is about besides its object, in the language of the page. */
function describeSubject(t: Translate, { kind, subject }: Event): string | null {
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

/** One thing that happened to a workload, as an item of a list. @param isDecisive from then on something else decided */
export function TimelineEvent({ event, isDecisive = false }: { event: Event; isDecisive?: boolean }) {
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
        {isDecisive && <Badge tone="warn">{t('Changed the decision')}</Badge>}
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
