import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluateNode } from './evaluate-node';
import type { LiveCluster, LiveNode } from './live-state';
import { possibleNodeVerdicts } from './node-oracle.fixture';
import { prepareNodeFilter } from './prepare-node-filter';
import { randomPacket, randomSource, randomState } from './random-state.fixture';

const RULESETS = 150;
const PACKETS = 2_000;

/** A cluster of two nodes with random rules for both scopes; parts of it may be unreadable. */
function randomCluster(seed: number): LiveCluster {
  const random = randomSource(seed);
  const [one, two] = [randomState(seed), randomState(seed + 7)];
  const policy = () => [undefined, 'DROP', 'ACCEPT', 'REJECT'][Math.floor(random() * 4)];
  const policies = Object.entries({ policy_in: policy(), policy_out: policy() });
  const options = Object.fromEntries(policies.flatMap(([key, value]) => (value ? [[key, value]] : [])));
  const nftables = random() < 0.05 ? 1 : 0;
  const a: LiveNode | null = one.node && {
    ...one.node,
    options: one.node.options && { ...one.node.options, nftables },
    rules: one.guest.rules,
  };
  const b: LiveNode = { options: null, rules: null, networks: random() < 0.9 ? ['10.0.0.4/29', 'fd00::4/64'] : null };
  return {
    ...one.cluster,
    aliases: { ...one.cluster.aliases, ...(random() < 0.4 && { local_network: '10.0.0.0/30' }) },
    rules: two.guest.rules,
    options: random() < 0.9 ? options : null,
    nodes: random() < 0.95 ? { ...(a && { a }), b } : null,
  };
}

it(`agrees with a literal reading of ${RULESETS} random nodes about ${PACKETS} packets each`, {
  timeout: 120_000,
}, () => {
  const seen = { accept: 0, drop: 0, reject: 0, unknown: 0 };
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const cluster = randomCluster(seed);
      const random = randomSource(seed + 1);
      const prepared = prepareNodeFilter(cluster, 'a');
      if (prepared.chains.some(({ implementation }) => implementation === 'nftables')) return;
      for (let count = 0; count < PACKETS; count++) {
        const drawn = randomPacket(random);
        const ported = drawn.protocol === 6 || drawn.protocol === 17;
        const port = [8006, 3128, 5404, 5405, 5950, 60001][Math.floor(random() * 18)];
        const packet = {
          ...drawn,
          ...(ported && port !== undefined && { destination_port: port }),
          ...(drawn.protocol === 47 && random() < 0.2 && { protocol: 2 }),
        };
        const { verdict } = evaluateNode(prepared, packet);
        const possible = possibleNodeVerdicts(cluster, 'a', packet);
        const [only] = possible;
        const wanted = possible.size === 1 ? only : 'unknown';
        if (verdict !== wanted) expect({ verdict, packet, cluster }).toEqual({ verdict: wanted, packet, cluster });
        seen[verdict]++;
      }
    }),
    { numRuns: RULESETS },
  );
  // A comparison that never meets one of the verdicts proves nothing about it.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(RULESETS * 10);
});
