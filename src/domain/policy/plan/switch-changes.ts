import type { OptionChange } from '../../policy-preview';
import { type GuestFilter, SWITCHES } from './guest-filter';

const stored = (value: string | number | undefined) => (value === undefined ? null : String(value));

/** How the switches of a guest differ between two states. */
export function switchChanges(before: GuestFilter, after: GuestFilter): OptionChange[] {
  const flags = new Map(after.nics.map(({ name, firewall }) => [name, firewall]));
  return [
    ...SWITCHES.map((name) => ({
      kind: 'guest_option' as const,
      name,
      before: stored(before.options[name]),
      after: stored(after.options[name]),
    })),
    ...before.nics.map(({ name, firewall }) => ({
      kind: 'nic_flag' as const,
      name,
      before: firewall ? '1' : '0',
      after: (flags.get(name) ?? firewall) ? '1' : '0',
    })),
  ].filter((change) => change.before !== change.after);
}
