import type { OptionChange } from '@/domain/policy-preview';
import { msg, type Translate } from '@/lib/i18n/translator';
import { optionName, optionValue } from './guest-change-labels';

/** One kind of switch that an apply would change, and the workloads where it does. */
export type SwitchedAt = { readonly key: string; readonly label: string; readonly places: readonly string[] };

const MAC_FILTER = msg('MAC filter: frames from other MAC addresses are dropped');

type Listed = { readonly name: string; readonly vmid: number };
const placeName = ({ name, vmid }: Listed) => `${name} (${vmid})`;

/** Flags of interfaces are one kind, whatever the interface is called; it is named with the workload. */
const toKey = ({ kind, name, after }: OptionChange) => `${kind === 'nic_flag' ? kind : name} ${after}`;

/**
 * The switches that applying would change, by kind: firewalls, interface flags and default policies, and the MAC filter that takes
 * effect with them.
 * @param macFiltered where it takes effect
 */
export function listSwitches(
  t: Translate,
  guests: readonly (Listed & { readonly option_changes: readonly OptionChange[] })[],
  macFiltered: { readonly guests: readonly Listed[]; readonly total: number },
): SwitchedAt[] {
  const found = new Map<string, { label: string; places: string[] }>();
  const add = (key: string, label: string, place: string) => {
    const known = found.get(key) ?? { label, places: [] };
    known.places.push(place);
    found.set(key, known);
  };
  for (const guest of guests) {
    for (const option of guest.option_changes) {
      const isFlag = option.kind === 'nic_flag';
      const name = isFlag ? t('Interface firewall') : optionName(t, option);
      const label = t('{name}: {value}', { name, value: optionValue(t, option, option.after) });
      add(toKey(option), label, isFlag ? `${placeName(guest)} ${option.name}` : placeName(guest));
    }
  }
  for (const guest of macFiltered.guests) add('mac_filter', t(MAC_FILTER), placeName(guest));
  const more = macFiltered.total - macFiltered.guests.length;
  if (more > 0) add('mac_filter', t(MAC_FILTER), t('and {n, number} more', { n: more }));
  return [...found].map(([key, kind]) => ({ key, ...kind }));
}
