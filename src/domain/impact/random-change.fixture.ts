import type { LiveGuestOptions, LiveNic, LiveRule, LiveState } from '../firewall/live-state';
import { randomState } from '../firewall/random-state.fixture';

type Random = () => number;
type Change = (state: LiveState, random: Random) => LiveState;

const pick = <T>(random: Random, values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];

const withRules = (state: LiveState, change: (rules: readonly LiveRule[]) => readonly LiveRule[]): LiveState => {
  const { rules } = state.guest;
  if (!rules) return state;
  return { ...state, guest: { ...state.guest, rules: change(rules).map((rule, pos) => ({ ...rule, pos })) } };
};
const withOptions = (state: LiveState, options: LiveGuestOptions): LiveState =>
  state.guest.options
    ? { ...state, guest: { ...state.guest, options: { ...state.guest.options, ...options } } }
    : state;

const CHANGES: readonly Change[] = [
  (state, random) => withRules(state, (rules) => rules.filter((_, at) => at !== Math.floor(random() * rules.length))),
  (state, random) => {
    const added = pick(random, randomState(Math.floor(random() * 1e9)).guest.rules ?? []);
    const place = Math.floor(random() * 8);
    return withRules(state, (rules) => (added ? [...rules.slice(0, place), added, ...rules.slice(place)] : rules));
  },
  (state, random) =>
    withRules(state, (rules) => {
      const moved = pick(random, rules);
      return moved ? [moved, ...rules.filter((rule) => rule !== moved)] : rules;
    }),
  (state, random) =>
    withRules(state, (rules) =>
      rules.map((rule) => (random() < 0.2 ? { ...rule, enable: rule.enable ? 0 : 1 } : rule)),
    ),
  (state, random) =>
    withRules(state, (rules) =>
      rules.map((rule) => (random() < 0.2 && rule.type !== 'group' ? { ...rule, action: 'REJECT' } : rule)),
    ),
  ({ cluster, ...state }) => ({
    ...state,
    cluster: { ...cluster, ipsets: cluster.ipsets && { ...cluster.ipsets, mixed: [{ cidr: '10.0.0.2/31' }] } },
  }),
  (state, random) => withOptions(state, { policy_in: pick(random, ['ACCEPT', 'DROP', 'REJECT']) }),
  (state, random) => withOptions(state, { policy_out: pick(random, ['ACCEPT', 'DROP', 'REJECT']) }),
  (state, random) => withOptions(state, { ipfilter: random() < 0.7 ? 1 : 0 }),
  ({ cluster, ...state }, random) => {
    const blacklist = [{ cidr: random() < 0.5 ? '10.0.0.0/30' : 'fd00::/126' }];
    return { ...state, cluster: { ...cluster, ipsets: cluster.ipsets && { ...cluster.ipsets, blacklist } } };
  },
  (state, random) => withOptions(state, { enable: random() < 0.5 ? 1 : 0 }),
  (state, random) => withOptions(state, pick(random, [{ dhcp: 0 }, { ndp: 0 }, { radv: 1 }, { ips: 1 }]) ?? {}),
  ({ guest, cluster }, random) => ({ guest, cluster, node: randomState(Math.floor(random() * 1e9)).node }),
  (_, random) => randomState(Math.floor(random() * 1e9)),
];

/** The state with two to five changes, mostly of rules. */
export function randomChange(state: LiveState, random: Random): LiveState {
  let changed = state;
  for (let left = 2 + Math.floor(random() * 4); left > 0; left--) {
    const change = random() < 0.6 ? CHANGES[Math.floor(random() * 6)] : pick(random, CHANGES);
    if (change) changed = change(changed, random);
  }
  return changed;
}

/** The interface, sometimes with another firewall flag. */
export const randomNicChange = (nic: LiveNic, random: Random): LiveNic =>
  random() < 0.1 ? { ...nic, firewall: !nic.firewall } : nic;
