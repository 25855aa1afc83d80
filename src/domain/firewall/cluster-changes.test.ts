import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { concernsGuest, findClusterChanges, shareSnapshot } from './cluster-changes';
import { evaluate } from './evaluate';
import {
  findLiveNode,
  type LiveCluster,
  type LiveGuest,
  type LiveNode,
  type LiveRule,
  type LiveVnet,
} from './live-state';
import { prepareGuest } from './prepare-guest';
import {
  PLAIN_NODE,
  RANDOM_NIC,
  randomPacket,
  randomSource,
  randomState,
  withForwarding,
} from './random-state.fixture';

const seeds = fc.integer({ min: 0, max: 100_000 });

const drop = (pos: number, source: string): LiveRule => ({ pos, type: 'in', action: 'DROP', enable: 1, source });
const forward = (pos: number, source: string): LiveRule => ({ ...drop(pos, source), type: 'forward' });

/** Objects that sets, groups, forwarded packets and the guest may refer to, beside those of `randomState`. */
function makeCluster(seed: number): { cluster: LiveCluster; guest: LiveGuest } {
  const random = randomSource(seed);
  const { cluster: plain, guest, node } = randomState(seed);
  const cluster = random() < 0.7 ? withForwarding(plain, random) : plain;
  const maybe = <T>(values: readonly T[]): readonly T[] => (random() < 0.5 ? values : []);
  const renumber = (rules: readonly LiveRule[]) => rules.map((rule, pos) => ({ ...rule, pos }));
  const withRules = <T extends LiveNode | LiveVnet>({ rules, ...place }: T) => ({
    ...place,
    rules: rules && renumber([...maybe([forward(0, 'spare')]), ...rules]),
  });
  const nodes = { a: withRules(node ?? PLAIN_NODE), b: withRules(randomState(seed + 1).node ?? PLAIN_NODE) };
  const { rules, vnets } = cluster;
  const own = maybe(['+own']);
  return {
    cluster: {
      ...cluster,
      aliases: { ...cluster.aliases, spare: '10.0.0.3' },
      ipsets: cluster.ipsets && { ...cluster.ipsets, spare: [{ cidr: '10.0.0.3' }], nested: [{ cidr: 'dc/Spare' }] },
      groups: cluster.groups && { ...cluster.groups, spare: maybe([drop(0, 'spare')]) },
      nodes,
      ...(vnets && { vnets: { ...vnets, apps: withRules(vnets.apps ?? { options: {}, rules: [] }) } }),
      ...(rules && { rules: renumber([...maybe([forward(0, '+nested')]), ...rules]) }),
    },
    guest: {
      ...guest,
      rules:
        guest.rules &&
        renumber([
          ...maybe([{ pos: 0, type: 'group', action: 'spare', enable: 1 }]),
          ...[...own, ...maybe(['+nested'])].map((source) => drop(0, source)),
          ...guest.rules,
        ]),
      ipsets: { ...guest.ipsets, ...(own.length > 0 && { own: [{ cidr: 'dc/spare' }] }) },
    },
  };
}

const TARGETS = ['web', 'Net', 'mixed', 'six', 'holes', 'management', 'blacklist', 'db', 'new'];
const without = <T>(entries: Readonly<Record<string, T>> | null | undefined, name: string) =>
  entries && Object.fromEntries(Object.entries(entries).filter(([key]) => key !== name));

/** What someone may do to a cluster. */
const EDITS: ((cluster: LiveCluster, name: string, donor: LiveCluster) => LiveCluster)[] = [
  (cluster, name) => ({ ...cluster, aliases: { ...cluster.aliases, [name]: '10.0.0.4/31' } }),
  (cluster, name) => ({ ...cluster, aliases: without(cluster.aliases, name) ?? null }),
  (cluster, name) => ({ ...cluster, ipsets: { ...cluster.ipsets, [name.toLowerCase()]: [{ cidr: '10.0.0.2/31' }] } }),
  (cluster, name) => ({ ...cluster, ipsets: { ...cluster.ipsets, [name.toLowerCase()]: [{ cidr: 'spare' }] } }),
  (cluster, name) => ({ ...cluster, ipsets: without(cluster.ipsets, name) ?? null }),
  (cluster, name) => ({ ...cluster, groups: { ...cluster.groups, [name]: [drop(0, '10.0.0.0/29')] } }),
  (cluster, name) => ({ ...cluster, groups: { ...cluster.groups, [name]: [drop(0, '+mixed'), drop(1, 'net')] } }),
  (cluster, name) => ({ ...cluster, groups: without(cluster.groups, name) ?? null }),
  (cluster, _, { nodes }) => ({ ...cluster, nodes: { ...cluster.nodes, a: nodes?.a ?? PLAIN_NODE } }),
  (cluster, _, { nodes }) => ({ ...cluster, nodes: { ...cluster.nodes, b: nodes?.b ?? PLAIN_NODE } }),
  (cluster) => ({ ...cluster, rules: [drop(0, '10.0.0.1')] }),
  (cluster, _, { rules }) => ({ ...cluster, ...(rules !== undefined && { rules }) }),
  (cluster, _, { options }) => ({ ...cluster, ...(options !== undefined && { options }) }),
  (cluster, _, { vnets }) => ({ ...cluster, ...(vnets !== undefined && { vnets }) }),
  (cluster) => ({ ...cluster, firewall_enabled: cluster.firewall_enabled === false }),
  (cluster) => ({ ...cluster, ipsets: null }),
  (cluster) => ({ ...cluster, nodes: null }),
];
const named = fc.oneof(fc.constant('spare'), fc.constantFrom(...TARGETS));
/** Half of them set an alias or a set. */
const kind = fc.oneof(fc.nat(3), fc.nat(EDITS.length - 1));
const edits = fc.array(fc.tuple(kind, named, seeds), { minLength: 1, maxLength: 3 });

const edit = (cluster: LiveCluster, list: readonly [number, string, number][]) =>
  list.reduce((now, [what, name, seed]) => EDITS[what]?.(now, name, makeCluster(seed).cluster) ?? now, cluster);

function evaluateSome(cluster: LiveCluster, guest: LiveGuest, seed: number) {
  const random = randomSource(seed);
  const nic = random() < 0.7 ? { ...RANDOM_NIC, bridge: 'apps' } : RANDOM_NIC;
  const prepared = prepareGuest({ cluster, guest, node: findLiveNode(cluster, 'a') }, nic);
  return Array.from({ length: 120 }, () => evaluate(prepared, randomPacket(random)));
}

describe('changes of a cluster', () => {
  it('concern every guest of which a verdict, or what decides it, becomes another one', () => {
    let [differing, spared] = [0, 0];
    fc.assert(
      fc.property(seeds, edits, (seed, list) => {
        const { cluster, guest } = makeCluster(seed);
        const now = edit(cluster, list);
        const isConcerned = concernsGuest(findClusterChanges(cluster, now), guest, 'a');
        expect(concernsGuest(findClusterChanges(now, cluster), guest, 'a')).toBe(isConcerned);
        const isAlike =
          JSON.stringify(evaluateSome(cluster, guest, seed)) === JSON.stringify(evaluateSome(now, guest, seed));
        if (!isAlike) differing += 1;
        if (!isConcerned) spared += 1;
        expect(isAlike || isConcerned, JSON.stringify(list)).toBe(true);
      }),
      { numRuns: getRunCount(1_000, 20_000) },
    );
    expect(differing).toBeGreaterThan(100);
    expect(spared).toBeGreaterThan(150);
  });

  it('concern no guest that refers to none of them', () => {
    const nodes = { a: PLAIN_NODE, b: PLAIN_NODE };
    const cluster: LiveCluster = { ...makeCluster(7).cluster, vnets: {}, rules: [], nodes };
    const guest: LiveGuest = { options: {}, rules: [drop(0, '+dc/nested')], ipsets: {}, aliases: {} };
    const concerned = (now: LiveCluster, node: string | null = 'a') =>
      concernsGuest(findClusterChanges(cluster, now), guest, node);
    expect(concerned({ ...cluster, aliases: { ...cluster.aliases, web: '10.9.9.9' } })).toBe(false);
    expect(concerned({ ...cluster, aliases: { ...cluster.aliases, spare: '10.9.9.9' } })).toBe(true);
    expect(concerned({ ...cluster, groups: { ...cluster.groups, db: [] } })).toBe(false);
    expect(concerned({ ...cluster, nodes: { ...cluster.nodes, b: { ...PLAIN_NODE, networks: [] } } })).toBe(false);
    expect(concerned({ ...cluster, nodes: { ...cluster.nodes, c: PLAIN_NODE } }, null)).toBe(false);
    expect(concerned({ ...cluster, nodes: { ...cluster.nodes, b: { ...PLAIN_NODE, networks: [] } } }, 'b')).toBe(true);
    expect(concerned({ ...cluster, rules: [drop(0, 'spare')] })).toBe(false);
    // As the database returns it: its fields are in another order than those of the cluster's answer.
    const reverse = (_: string, value: unknown) =>
      value && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value;
    expect(concerned(JSON.parse(JSON.stringify(cluster, reverse)))).toBe(false);
  });

  it('concern guests whose packets meet a rule for forwarded ones that refers to them', () => {
    const guest: LiveGuest = { options: {}, rules: [], ipsets: {}, aliases: {} };
    const plain = makeCluster(7).cluster;
    const refersTo = (place: Partial<LiveCluster>) => {
      const cluster = { ...plain, vnets: {}, rules: [], nodes: { a: PLAIN_NODE, b: PLAIN_NODE }, ...place };
      const changes = findClusterChanges(cluster, { ...cluster, aliases: { ...cluster.aliases, spare: '10.9.9.9' } });
      return ['a', 'b'].map((node) => concernsGuest(changes, guest, node));
    };
    const rules = [forward(0, '+nested')];
    expect(refersTo({})).toEqual([false, false]);
    expect(refersTo({ rules })).toEqual([true, true]);
    expect(refersTo({ vnets: { apps: { options: {}, rules } } })).toEqual([true, true]);
    expect(refersTo({ nodes: { a: PLAIN_NODE, b: { ...PLAIN_NODE, rules } } })).toEqual([false, true]);
  });
});

it('stays the same snapshot when it shares with another one', () => {
  fc.assert(
    fc.property(seeds, edits, (seed, list) => {
      const { cluster } = makeCluster(seed);
      const now = structuredClone(edit(cluster, list));
      const shared = shareSnapshot(cluster, now);
      expect(shared).toEqual(now);
      expect(findClusterChanges(shared, now)).toEqual(findClusterChanges(now, now));
      if (cluster.groups?.spare && now.groups?.spare) {
        const isEdited = JSON.stringify(now.groups.spare) !== JSON.stringify(cluster.groups.spare);
        expect(shared.groups?.spare === cluster.groups.spare).toBe(!isEdited);
      }
    }),
    { numRuns: 200 },
  );
});
