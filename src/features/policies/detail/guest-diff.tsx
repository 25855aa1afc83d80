import { ChevronRight } from 'lucide-react';
import type { GuestPreview } from '@/domain/policy-preview';
import { useT } from '@/lib/i18n/use-t';
import { guestSummary, hasNoChanges } from '../../shared/deployments/guest-change-labels';
import { ChangedRules, DormantList, Line, Lines, SwitchList, toRuleKey } from '../../shared/deployments/guest-changes';
import { WorkloadLink } from '../../shared/entity-links';
import { UnreadableNotice } from '../../shared/unreadable-notice';

type Props = { guest: GuestPreview; clusterName: string | null; open: boolean };

/** The difference at one guest, rule by rule and switch by switch. */
export function GuestDiff({ guest, clusterName, open }: Props) {
  const t = useT();
  const { changes, option_changes: options, sets, foreign_rules: foreign } = guest;
  return (
    <details open={open && !hasNoChanges(guest)} className="group min-w-0 rounded-lg border bg-surface">
      <summary className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-3 py-1.5">
        <ChevronRight size={14} aria-hidden className="shrink-0 text-faint group-open:rotate-90" />
        <span className="font-medium">
          {guest.name} <span className="mono font-normal text-muted">{guest.vmid}</span>
        </span>
        <span className="text-muted">{[clusterName, guest.node_name].filter(Boolean).join(', ')}</span>
        <span className={changes === null ? 'text-warn' : 'text-muted'}>{guestSummary(t, guest)}</span>
      </summary>
      <div className="flex flex-col gap-2 border-t px-3 py-2">
        <UnreadableNotice notes={guest.unreadable} />
        <SwitchList name={guest.name} options={options} />
        <DormantList name={guest.name} items={guest.dormant} />
        {changes === null ? (
          <Lines label={t('Desired rules on {name}', { name: guest.name })}>
            {guest.rules.map((rule) => (
              <Line key={toRuleKey(rule)} kind="desired" rule={rule} />
            ))}
          </Lines>
        ) : (
          <ChangedRules name={guest.name} changes={changes} />
        )}
        {sets.map((set) => (
          <p key={set.name} className="text-sm text-muted [overflow-wrap:anywhere]">
            {t.rich('IP set {name}: {cidrs}', {
              name: <span className="mono">{set.name}</span>,
              cidrs: <span className="mono">{set.cidrs.slice(0, 20).join(', ')}</span>,
            })}
            {set.cidrs.length > 20 && ` ${t('and {n, number} more', { n: set.cidrs.length - 20 })}`}
          </p>
        ))}
        <p className="text-sm text-muted">
          {foreign === null
            ? t('Unmanaged rules: unknown.')
            : foreign === 0
              ? t('No unmanaged rules.')
              : t('{n, plural, one {# unmanaged rule stays unchanged.} other {# unmanaged rules stay unchanged.}}', {
                  n: foreign,
                })}{' '}
          <WorkloadLink id={guest.workload_id} name={t('Show workload')} />
        </p>
      </div>
    </details>
  );
}
