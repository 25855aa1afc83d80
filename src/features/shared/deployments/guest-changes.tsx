import { ArrowUpDown, Equal, Minus, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { DormantView, GuestChangesPreview, OptionChange } from '@/domain/policy-preview';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status, type Tone } from '@/ui/status';
import { STALE_RULE_LABELS } from '../deployment-labels';
import { FirewallRuleLine } from '../firewall-rule';
import { optionName, optionValue } from './guest-change-labels';

/** The switches that are turned at a guest, from what to what. */
export function SwitchList({ name, options }: { name: string; options: readonly OptionChange[] }) {
  const t = useT();
  if (options.length === 0) return null;
  return (
    <ul aria-label={t('Setting changes on {name}', { name })} className="flex flex-col gap-0.5">
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
  );
}

const SEVERITY_TONES: Record<DormantView['severity'], Tone> = { info: 'info', warning: 'warn', critical: 'danger' };

/** What is stored at a guest without effect and takes effect with the switches. */
export function DormantList({ name, items }: { name: string; items: readonly DormantView[] | null }) {
  const t = useT();
  if (!items || items.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <p className="text-sm font-medium">{t('Takes effect when the firewall is turned on')}</p>
      <ul aria-label={t('Dormant items on {name}', { name })} className="flex flex-col gap-0.5">
        {items.map((item) => (
          <li key={`${item.kind} ${item.position} ${item.name}`} className="px-2 py-0.5 [overflow-wrap:anywhere]">
            <Status tone={SEVERITY_TONES[item.severity]}>
              <span className="whitespace-normal">{item.message}</span>
            </Status>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Which of the rules in a preview are logged for a time, and when that ends. Each has the level on its line. */
export function TemporaryLogNote({ level }: { level: string }) {
  const t = useT();
  return (
    <p className="rounded-sm bg-info-soft px-2 py-1">
      {t('New rules are logged at level {level}. The level is removed when the change is confirmed or rolled back.', {
        level,
      })}
    </p>
  );
}

/** Rule by rule what becomes of those of the policy at a guest. */
export function ChangedRules({ name, changes }: { name: string; changes: GuestChangesPreview }) {
  const t = useT();
  return (
    <Lines label={t('Rule changes on {name}', { name })}>
      {changes.removed.map((rule) => (
        <Line key={`- ${rule.position}`} kind="removed" rule={rule} note={t(STALE_RULE_LABELS[rule.reason])} />
      ))}
      {changes.added.map((rule) => (
        <Line key={`+ ${toRuleKey(rule)}`} kind="added" rule={rule} />
      ))}
      {changes.moved.map((rule) => (
        <Line key={`~ ${rule.position}`} kind="moved" rule={rule} />
      ))}
      {changes.kept.map((rule) => (
        <Line key={`= ${rule.position}`} kind="kept" rule={rule} />
      ))}
    </Lines>
  );
}

/** What tells rules of one list apart. */
export const toRuleKey = (rule: FirewallRuleView) => `${rule.policy_id} ${rule.rule_hash} ${rule.comment}`;

const KINDS = {
  added: { word: msg('Added'), icon: <Plus size={14} aria-hidden />, box: 'bg-ok-soft', mark: 'text-ok' },
  removed: { word: msg('Removed'), icon: <Minus size={14} aria-hidden />, box: 'bg-danger-soft', mark: 'text-danger' },
  moved: { word: msg('Moved'), icon: <ArrowUpDown size={14} aria-hidden />, box: 'bg-info-soft', mark: 'text-info' },
  kept: { word: msg('Kept'), icon: <Equal size={14} aria-hidden />, box: '', mark: 'text-faint' },
  desired: { word: msg('Desired'), icon: <Plus size={14} aria-hidden />, box: '', mark: 'text-faint' },
} as const;

/** A list of rules. */
export function Lines({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="flex flex-col gap-0.5">
      {children}
    </ul>
  );
}

/** One rule and what becomes of it. */
export function Line({ kind, rule, note }: { kind: keyof typeof KINDS; rule: FirewallRuleView; note?: string }) {
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
