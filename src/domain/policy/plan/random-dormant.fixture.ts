import type { LiveState } from '../../firewall/live-state';
import { PLAIN_NODE, randomSource, randomState } from '../../firewall/random-state.fixture';
import type { DormantSubject } from './dormant';
import type { GuestFilter } from './guest-filter';
import { randomGuest } from './random-guest.fixture';

/** A guest whose firewall, or part of it, is off, with whatever people left in it, and a policy to be applied there. */
export function randomDormant(seed: number): DormantSubject {
  const random = randomSource(seed ^ 0x5f3759df);
  // Some intents want nothing; those switch nothing on.
  let { state, intent } = randomGuest(seed);
  for (let next = seed + 1; !intent.switch_on; next++) ({ state, intent } = randomGuest(next));
  const live: LiveState = randomState(seed);
  const { guest } = live;
  const cluster = { ...live.cluster, ipsets: live.cluster.ipsets ?? {} };
  // What is unknown about the node, or blacklisted, is not content of the guest.
  const node = { ...PLAIN_NODE, options: live.node?.options ?? { nftables: seed & 1 } };
  const { enable: _enable, ...stored } = guest.options ?? {};
  // With nftables, rules may be active that the API marks as broken: the item does not cover these.
  const sound = (guest.rules ?? []).filter(({ errors }) => !errors?.dest);
  const left = [...sound, ...(random() < 0.5 ? state.rules : [])];
  const flags = random() < 0.6;
  const filter: GuestFilter = {
    rules: left.map((rule, pos) => ({ ...rule, pos })),
    options: { ...stored, ...(random() < 0.75 ? { ...(random() < 0.5 && { enable: 0 }) } : { enable: 1 }) },
    sets: { ...state.sets, ...guest.ipsets, ...(random() < 0.1 && { 'ipfilter-net1': [] }) },
    nics: [
      { name: 'net0', firewall: flags && random() < 0.5, editable: true },
      { name: 'net1', firewall: flags, editable: random() < 0.8 },
    ],
  };
  const nics = filter.nics.map(({ name, firewall }, i) => ({ name, firewall, mac: `02:00:00:00:00:0${i + 1}` }));
  return { filter, intent, cluster, aliases: guest.aliases, nics, node, addresses: ['10.0.0.1', 'fd00::1'] };
}
