import { describe, expect, it } from 'vitest';
import { randomSource } from '../firewall/random-state.fixture';
import { computeSuggestion, DEFAULT_WIDTHS, getDraftOptions, toChosen } from './compute';
import { draftPolicies, type Suggested } from './draft';
import type { ObservedPair } from './observed';
import { type Planted, plantPolicy } from './planted.fixture';

const pause = () => Promise.resolve();
const SMALL = { workloads: 40, groups: 6, conversations: 3_000 };

const toFacts = ({ workloads, pairs }: Pick<Planted, 'workloads' | 'pairs'>) => ({
  pairs,
  workloads,
  broadcasts: new Set<string>(),
  known_groups: [],
  taken: { groups: [], policies: [] },
});

async function draft(planted: Pick<Planted, 'workloads' | 'pairs'>, at?: number) {
  const found = await computeSuggestion(toFacts(planted), pause);
  const position = at ?? found.recommended ?? 1;
  const groups = found.positions.find((one) => one.position === position)?.groups ?? [];
  return {
    ...found,
    ...draftPolicies(found.evidence, toChosen(groups), getDraftOptions(position, DEFAULT_WIDTHS, true)),
  };
}

/** What the endpoints and rules of a draft allow between workloads, read from its text alone: an oracle that knows no blocks. */
function listAllowed({ policies, groups }: Suggested, { workloads }: Pick<Planted, 'workloads'>): Set<string> {
  const ids = new Map<string, readonly string[]>(groups.map((group) => [group.endpoint, group.workload_ids]));
  for (const { endpoint, id } of workloads) if (!ids.has(endpoint)) ids.set(endpoint, [id]);
  const resolve = (list: readonly string[]) => list.flatMap((endpoint) => ids.get(endpoint) ?? []);
  return new Set(
    policies.flatMap(({ definition, rules }) =>
      resolve(definition.sources).flatMap((from) =>
        resolve(definition.targets)
          .filter((to) => to !== from)
          .flatMap((to) =>
            rules.flatMap(({ rule }) => rule.destination_ports.map((port) => `${from} ${to} ${rule.protocol} ${port}`)),
          ),
      ),
    ),
  );
}

const pairKey = ({ client, server, protocol, service_port }: ObservedPair) =>
  `${client.workload_id} ${server.workload_id} ${protocol} ${service_port}`;

describe('a planted policy', () => {
  it.each(Array.from({ length: 20 }, (_, n) => n + 1))('follows from its traffic of a day, seed %i', async (seed) => {
    const planted = plantPolicy(seed, SMALL);
    const found = await draft(planted);
    const allowed = listAllowed(found, planted);
    const used = planted.pairs.filter((pair) => allowed.has(pairKey(pair)));
    const sum = (list: readonly ObservedPair[], what: 'conversations' | 'held_out') =>
      list.reduce((total, pair) => total + pair[what], 0);
    const held = sum(used, 'held_out') / sum(planted.pairs, 'held_out');
    const tightness = used.length / allowed.size;
    expect(sum(used, 'conversations')).toBe(sum(planted.pairs, 'conversations'));
    expect(held).toBeGreaterThanOrEqual(0.99);
    expect(Math.abs(tightness / planted.tightness - 1)).toBeLessThanOrEqual(0.05);
    // What is shown is what the text of the draft allows.
    expect(found.coverage).toEqual({ training: 1, held_out: held });
    expect(found.tightness).toBeCloseTo(tightness, 12);
  });

  it('follows from traffic that used the smaller part of it', async () => {
    const planted = plantPolicy(7, { workloads: 50, groups: 4, conversations: 700 });
    const found = await draft(planted);
    expect(planted.tightness).toBeLessThan(0.5);
    expect(found.coverage.held_out).toBeGreaterThanOrEqual(0.99);
    expect(Math.abs((found.tightness ?? 0) / planted.tightness - 1)).toBeLessThanOrEqual(0.05);
  });

  it('has full coverage at every position, from broad to tight', async () => {
    const { positions } = await draft(plantPolicy(3, SMALL));
    expect(positions.every(({ coverage }) => coverage.training === 1)).toBe(true);
    const [broad, tight] = [positions[0], positions.at(-1)];
    expect(broad?.rules_total).toBeLessThan(tight?.rules_total ?? 0);
    expect(broad?.tightness).toBeLessThan(tight?.tightness ?? 0);
    expect(broad?.coverage.held_out).toBeGreaterThan(tight?.coverage.held_out ?? 1);
    expect(tight?.tightness).toBeGreaterThan(0.99);
  });

  it('has the same draft whatever the order of its traffic', async () => {
    const planted = plantPolicy(5, SMALL);
    const random = randomSource(9);
    const order = new Map(planted.pairs.map((pair) => [pair, random()]));
    const shuffled = [...planted.pairs].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    const other = { pairs: shuffled, workloads: [...planted.workloads].reverse() };
    expect((await draft(other)).policies).toEqual((await draft(planted)).policies);
  });
});

describe('a draft', () => {
  it('enforces nothing, and closes what was seen with policies of their own', async () => {
    const { policies, groups } = await draft(plantPolicy(2, SMALL));
    expect(policies.every(({ definition }) => definition.enforcement_mode === 'audit')).toBe(true);
    const [closing, others] = [
      policies.filter(({ kind }) => kind === 'close'),
      policies.filter(({ kind }) => kind !== 'close'),
    ];
    const endpoints = groups.map(({ endpoint }) => endpoint);
    expect(closing.map(({ definition, rules }) => [definition, rules])).toEqual([
      [expect.objectContaining({ direction: 'in', default_action: 'drop', sources: ['any'], targets: endpoints }), []],
      [expect.objectContaining({ direction: 'out', default_action: 'drop', sources: endpoints, targets: ['any'] }), []],
    ]);
    expect(others.every(({ definition }) => definition.default_action === 'none')).toBe(true);
    expect(others.flatMap(({ definition }) => [...definition.sources, ...definition.targets])).not.toContain('any');
  });

  it('closes nothing when all traffic was held out, as no rule is known', async () => {
    const planted = plantPolicy(2, SMALL);
    const pairs = planted.pairs.map((pair) => ({ ...pair, conversations: 0, held_out: 1 }));
    const { policies, coverage, recommended } = await draft({ ...planted, pairs });
    expect([policies, coverage, recommended]).toEqual([[], { training: null, held_out: 0 }, null]);
  });

  it('has one policy for the DNS of all, and one for what monitoring reads', async () => {
    const { policies } = await draft(plantPolicy(2, SMALL));
    const shared = policies.filter(({ kind }) => kind === 'infrastructure');
    expect(shared.map(({ name }) => name).sort()).toEqual([
      expect.stringMatching(/^Allow DNS from 5 groups to app0$/),
      expect.stringMatching(/^Allow monitoring from app1 to 5 groups$/),
    ]);
  });

  it('names groups after what only they have in common', async () => {
    const { groups } = await draft(plantPolicy(2, SMALL));
    expect(groups.map(({ name }) => name).sort()).toEqual(Array.from({ length: 6 }, (_, n) => `app${n}`));
  });

  it('counts in its evidence every conversation of its rules', async () => {
    const planted = plantPolicy(4, SMALL);
    const { policies, left_out } = await draft(planted);
    const counted = policies
      .flatMap(({ rules }) => rules)
      .reduce((sum, { evidence }) => {
        return sum + (evidence?.conversations ?? 0) + (evidence?.held_out ?? 0);
      }, 0);
    const missed = left_out.reduce((sum, { conversations }) => sum + conversations, 0);
    expect(counted + missed).toBe(SMALL.conversations);
  });
});
