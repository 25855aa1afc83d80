import type { DeploymentProblem } from '@/domain/deployments';
import type { LeftOnReason } from '@/domain/policy/plan/restoration';
import { msg, type Translate } from '@/lib/i18n/translator';

const EDIT_WORDS: Record<NonNullable<DeploymentProblem['edits']>[number], string> = {
  rules: msg('rules'),
  sets: msg('IP sets'),
  aliases: msg('aliases'),
  options: msg('firewall options'),
  interfaces: msg('interface flags'),
};

const LEFT_ON: Record<LeftOnReason, string> = {
  baseline_unknown: msg('The firewall stays on: its state before the first policy is not known.'),
  edited_since: msg('The firewall stays on: its {edits} changed since the first policy was applied.'),
};
const REMEDY = msg('Check the firewall of the guest in Proxmox VE, and switch it off there if nothing needs it.');

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
  return { message: t(known, { edits: edits.map((edit) => t(EDIT_WORDS[edit])).join(', ') }), remedy: t(REMEDY) };
}
