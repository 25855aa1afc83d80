import { type Action, differs } from '@/domain/flow-action';
import type { ContextDecision } from '@/domain/flow-context/flow-context';
import type { FlowVerdict, RulesSay } from '@/domain/flow-verdict';
import type { SummedAction, SummedRulesSay, SummedVerdict } from '@/domain/summed-verdict';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

type Label = { label: string; tone: Tone };

/** What was observed, on every page about traffic. */
export const ACTION_LABELS: Record<SummedAction, Label> = {
  allowed: { label: msg('Allowed'), tone: 'ok' },
  dropped: { label: msg('Dropped'), tone: 'danger' },
  rejected: { label: msg('Rejected'), tone: 'warn' },
  unknown: { label: msg('Unknown'), tone: 'unknown' },
  mixed: { label: msg('Mixed'), tone: 'neutral' },
};

/** What a policy in audit mode would do. It is never enforced, so it never looks enforced. */
export const WOULD_LABELS: Record<Exclude<Action, 'unknown'>, Label> = {
  allowed: { label: msg('Would be allowed'), tone: 'info' },
  dropped: { label: msg('Would be dropped'), tone: 'warn' },
  rejected: { label: msg('Would be rejected'), tone: 'warn' },
};

/** The field `decision` in the same words: what the firewall log says, or what decides by the rules. */
export const DECISION_LABELS: Record<ContextDecision, Label> = {
  accept: ACTION_LABELS.allowed,
  drop: ACTION_LABELS.dropped,
  reject: ACTION_LABELS.rejected,
  default_accept: { label: msg('Allowed by default policy'), tone: 'neutral' },
  default_drop: { label: msg('Dropped by default policy'), tone: 'danger' },
  audit_accept: WOULD_LABELS.allowed,
  audit_drop: WOULD_LABELS.dropped,
  audit_reject: WOULD_LABELS.rejected,
  observed: { label: msg('Not filtered or unknown'), tone: 'neutral' },
};

/**
 * What the rules say, with the reason: `allowed by web, position 3`, `dropped by default policy`, `not filtered`, `unknown`.
 * A position is that of the live rule at the workload, from 0 as Proxmox VE counts. Rules of a policy are counted from 1.
 */
export function rulesText(t: Translate, say: RulesSay | SummedRulesSay | null | undefined): string {
  if (!say || say.kind === 'unknown' || say.action === 'unknown') return t('unknown');
  const { action, position, group, group_position, policy_name } = say;
  if (action === 'mixed') return t('mixed');
  switch (say.kind) {
    case 'mixed':
      return t('{action, select, allowed {allowed} dropped {dropped} other {rejected}} by several rules', { action });
    case 'not_enforced':
      return t('not filtered');
    case 'default':
      return t('{action, select, allowed {allowed} dropped {dropped} other {rejected}} by default policy', { action });
    case 'builtin':
      return t('{action, select, allowed {allowed} dropped {dropped} other {rejected}} by a built-in rule', { action });
    case 'rule': {
      const place = { action, position: group === null ? position : group_position };
      if (policy_name) {
        return t(
          '{action, select, allowed {allowed} dropped {dropped} other {rejected}} by {policy}, position {position}',
          {
            ...place,
            policy: policy_name,
          },
        );
      }
      if (group !== null) {
        return t(
          '{action, select, allowed {allowed} dropped {dropped} other {rejected}} by PVE security group {group}, position {position}',
          {
            ...place,
            group,
          },
        );
      }
      if (say.vnet !== undefined) {
        return t(
          '{action, select, allowed {allowed} dropped {dropped} other {rejected}} by VNet {name}, position {position}',
          { ...place, name: say.vnet },
        );
      }
      return t(
        '{action, select, allowed {allowed} dropped {dropped} other {rejected}} by the rule at position {position}',
        place,
      );
    }
  }
}

/** The verdict of one flow, or of an aggregated row. */
export type ShownVerdict =
  | (Pick<FlowVerdict, 'action'> & Partial<FlowVerdict>)
  | (Pick<SummedVerdict, 'action' | 'differs'> & Partial<SummedVerdict>);

/** Whether what was observed differs from what the rules say now; of a row, whether it does of any of its flows. */
export const verdictDiffers = (verdict: ShownVerdict): boolean =>
  'differs' in verdict ? verdict.differs : differs(verdict.action, verdict.rules_say?.action);

/** What the first policy in audit mode would change; null when it would not. */
export function findAuditChange({ rules_say, audit_say }: ShownVerdict): Exclude<Action, 'unknown'> | null {
  const [first] = audit_say ?? [];
  return first && first.action !== rules_say?.action ? first.action : null;
}
