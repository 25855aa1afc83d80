import { ArrowUpDown, ChevronRight, Equal, Minus, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { GuestPreview } from '@/domain/policy-preview';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { STALE_RULE_WORDS } from '../../shared/deployment-words';
import { FirewallRuleLine } from '../../shared/firewall-rule-line';
import { WorkloadLink } from '../../shared/inventory-links';
import { UnreadableNotice } from '../../shared/unreadable-notice';
import { changesNothing, guestSummary, optionName, optionValue } from './guest-diff-summary';

type Props = { guest: GuestPreview; clusterName: string | null; open: boolean };

/** The difference at one guest, rule by rule and switch by switch. */
export function GuestDiff({ guest, clusterName, open }: Props) {
  const t = useT();
  const { changes, option_changes: options, sets, foreign_rules: foreign } = guest;
  return (
    <details open={open && !changesNothing(guest)} className="group min-w-0 rounded-lg border bg-surface">
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
        {options.length > 0 && (
          <ul aria-label={t('Switches of {name}', { name: guest.name })} className="flex flex-col gap-0.5">
            {options.map((option) => (
              <li key={`${option.kind} ${option.name}`} className="rounded-sm bg-warn-soft px-2 py-1">
                {t.rich('{name}: {value}', {
                  name: optionName(t, option),
                  value: (
                    <>
                      <del className="text-muted">{optionValue(t, option, option.before)}</del>{' '}
                      <ins className="font-semibold no-underline">{optionValue(t, option, option.after)}</ins>
                    </>
                  ),
                })}
              </li>
            ))}
          </ul>
        )}
        {changes === null ? (
          <Lines label={t('Rules wanted at {name}', { name: guest.name })}>
            {guest.rules.map((rule) => (
              <Line key={keyOf(rule)} kind="wanted" rule={rule} />
            ))}
          </Lines>
        ) : (
          <Lines label={t('Rules of {name}', { name: guest.name })}>
            {changes.removed.map((rule) => (
              <Line key={`- ${rule.position}`} kind="removed" rule={rule} note={t(STALE_RULE_WORDS[rule.reason])} />
            ))}
            {changes.added.map((rule) => (
              <Line key={`+ ${keyOf(rule)}`} kind="added" rule={rule} />
            ))}
            {changes.moved.map((rule) => (
              <Line key={`~ ${rule.position}`} kind="moved" rule={rule} />
            ))}
            {changes.kept.map((rule) => (
              <Line key={`= ${rule.position}`} kind="kept" rule={rule} />
            ))}
          </Lines>
        )}
        {sets.map((set) => (
          <p key={set.name} className="text-sm text-muted [overflow-wrap:anywhere]">
            {t.rich('Set {name}: {cidrs}', {
              name: <span className="mono">{set.name}</span>,
              cidrs: <span className="mono">{set.cidrs.slice(0, 20).join(', ')}</span>,
            })}
            {set.cidrs.length > 20 && ` ${t('and {n, number} more', { n: set.cidrs.length - 20 })}`}
          </p>
        ))}
        <p className="text-sm text-muted">
          {foreign === null
            ? t('Rules made elsewhere: unknown.')
            : foreign === 0
              ? t('No rules made elsewhere.')
              : t(
                  '{n, plural, one {# rule made elsewhere stays as it is.} other {# rules made elsewhere stay as they are.}}',
                  { n: foreign },
                )}{' '}
          <WorkloadLink id={guest.workload_id} name={t('Show the guest')} />
        </p>
      </div>
    </details>
  );
}

const keyOf = (rule: FirewallRuleView) => `${rule.policy_id} ${rule.rule_hash} ${rule.comment}`;

const KINDS = {
  added: { word: msg('Added'), icon: <Plus size={14} aria-hidden />, box: 'bg-ok-soft', mark: 'text-ok' },
  removed: { word: msg('Removed'), icon: <Minus size={14} aria-hidden />, box: 'bg-danger-soft', mark: 'text-danger' },
  moved: { word: msg('Moved'), icon: <ArrowUpDown size={14} aria-hidden />, box: 'bg-info-soft', mark: 'text-info' },
  kept: { word: msg('Kept'), icon: <Equal size={14} aria-hidden />, box: '', mark: 'text-faint' },
  wanted: { word: msg('Wanted'), icon: <Plus size={14} aria-hidden />, box: '', mark: 'text-faint' },
} as const;

function Lines({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="flex flex-col gap-0.5">
      {children}
    </ul>
  );
}

function Line({ kind, rule, note }: { kind: keyof typeof KINDS; rule: FirewallRuleView; note?: string }) {
  const t = useT();
  const { word, icon, box, mark } = KINDS[kind];
  return (
    <li className={`flex gap-2 rounded-sm px-2 py-0.5 ${box}`}>
      <span className={`mt-0.5 shrink-0 ${mark}`}>{icon}</span>
      <span className="sr-only">{t(word)}: </span>
      <span className="min-w-0">
        <FirewallRuleLine rule={rule} />
        {note && <span className="text-sm text-danger"> {note}</span>}
      </span>
    </li>
  );
}
