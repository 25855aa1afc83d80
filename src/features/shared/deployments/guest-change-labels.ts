import type { DeploymentProblem } from '@/domain/deployments';
import type { LeftOnReason } from '@/domain/policy/plan/restoration';
import type { GuestPreview, OptionChange } from '@/domain/policy-preview';
import { msg, type Translate } from '@/lib/i18n/translator';

/** Whether applying would leave the guest exactly as it is; what is unknown is no such thing. */
type Changed = Pick<GuestPreview, 'changes' | 'option_changes'>;

export const hasNoChanges = ({ changes, option_changes }: Changed): boolean =>
  changes !== null &&
  changes.added.length + changes.removed.length + changes.moved.length + option_changes.length === 0;

/** `2 added, 1 removed, firewall switched on`: what applying would do to the guest, in a line. */
export function guestSummary(t: Translate, guest: Changed): string {
  const { changes, option_changes: options } = guest;
  if (changes === null) return t('Unknown: could not be read');
  if (hasNoChanges(guest))
    return changes.kept.length > 0 ? t('No change, {n, number} kept', { n: changes.kept.length }) : t('No change');
  const parts = (['added', 'removed', 'moved', 'kept'] as const)
    .filter((key) => changes[key].length > 0)
    .map((key) => t(CHANGE_COUNTS[key], { n: changes[key].length }));
  if (options.length > 0)
    parts.push(t('{n, plural, one {# setting changed} other {# settings changed}}', { n: options.length }));
  return parts.join(', ');
}

const OPTIONS: Record<string, string> = {
  enable: msg('Guest firewall'),
  policy_in: msg('Inbound default policy'),
  policy_out: msg('Outbound default policy'),
};

/** What a switch is called. */
export const optionName = (t: Translate, { kind, name }: Pick<OptionChange, 'kind' | 'name'>): string =>
  kind === 'nic_flag' ? t('Firewall flag on {name}', { name }) : t(OPTIONS[name] ?? name);

/** A value of a switch as text; null is the value that applies while nothing is stored. */
export function optionValue(
  t: Translate,
  { kind, name }: Pick<OptionChange, 'kind' | 'name'>,
  value: string | null,
): string {
  if (kind === 'nic_flag' || name === 'enable')
    return value === '1' ? t('on') : value === null ? t('off (default)') : t('off');
  return value ?? t('Proxmox VE default');
}

const EDIT_LABELS: Record<NonNullable<DeploymentProblem['edits']>[number], string> = {
  rules: msg('rules'),
  sets: msg('IP sets'),
  aliases: msg('aliases'),
  options: msg('firewall options'),
  interfaces: msg('interface flags'),
};

const LEFT_ON: Record<LeftOnReason, string> = {
  baseline_unknown: msg('The firewall stays on because its state before the first policy is not known.'),
  edited_since: msg('The firewall stays on because its {edits} changed since the first policy was applied.'),
};
const REMEDY = msg("Check the workload's firewall in Proxmox VE, and turn it off there if nothing needs it.");

/** A note about a guest in the language of the page. One of a code that is not known here is shown as the service wrote it. */
export function noteText(
  t: Translate,
  { code, message, remedy, edits = [] }: DeploymentProblem,
): { message: string; remedy: string } {
  const known = (LEFT_ON as Partial<Record<string, string>>)[code];
  // Notes of earlier releases do not say what was edited.
  if (known === undefined || (code === 'edited_since' && edits.length === 0)) {
    return { message: t(message), remedy: remedy === null ? '' : t(remedy) };
  }
  return { message: t(known, { edits: edits.map((edit) => t(EDIT_LABELS[edit])).join(', ') }), remedy: t(REMEDY) };
}

/** How many rules become what by an apply. */
export const CHANGE_COUNTS = {
  added: msg('{n, number} added'),
  removed: msg('{n, number} removed'),
  moved: msg('{n, number} moved'),
  kept: msg('{n, number} kept'),
} as const;
