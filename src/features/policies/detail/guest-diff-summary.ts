import type { GuestPreview, OptionChange } from '@/domain/policy-preview';
import { formatCount } from '@/lib/format';

/** Whether applying would leave the guest exactly as it is; what is unknown is no such thing. */
export const changesNothing = ({ changes, option_changes }: GuestPreview): boolean =>
  changes !== null &&
  changes.added.length + changes.removed.length + changes.moved.length + option_changes.length === 0;

/** `2 added, 1 removed, firewall switched on`: what applying would do to the guest, in a line. */
export function guestSummary(guest: GuestPreview): string {
  const { changes, option_changes: options } = guest;
  if (changes === null) return 'Unknown: it could not be read';
  if (changesNothing(guest))
    return changes.kept.length > 0 ? `No change, ${formatCount(changes.kept.length)} kept` : 'No change';
  const parts = (
    [
      ['added', changes.added.length],
      ['removed', changes.removed.length],
      ['moved', changes.moved.length],
      ['kept', changes.kept.length],
    ] as const
  )
    .filter(([, n]) => n > 0)
    .map(([word, n]) => `${formatCount(n)} ${word}`);
  if (options.length > 0) parts.push(options.length === 1 ? '1 switch turned' : `${options.length} switches turned`);
  return parts.join(', ');
}

const OPTIONS: Record<string, string> = {
  enable: 'Firewall of the guest',
  policy_in: 'Default for inbound traffic',
  policy_out: 'Default for outbound traffic',
};

/** What a switch is called. */
export const optionName = ({ kind, name }: Pick<OptionChange, 'kind' | 'name'>): string =>
  kind === 'nic_flag' ? `Firewall flag of ${name}` : (OPTIONS[name] ?? name);

/** A value of a switch in words; null is what holds while nothing is stored. */
export function optionValue({ kind, name }: Pick<OptionChange, 'kind' | 'name'>, value: string | null): string {
  if (kind === 'nic_flag' || name === 'enable') return value === '1' ? 'on' : value === null ? 'off (default)' : 'off';
  return value ?? 'the default of the hypervisor';
}
