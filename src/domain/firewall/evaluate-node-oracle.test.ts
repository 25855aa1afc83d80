import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluateForward, prepareForwardFilter } from './evaluate-forward';
import { evaluateNode } from './evaluate-node';
import { possibleNodeVerdicts } from './node-oracle.fixture';
import { possibleForwardVerdicts } from './oracle-forward.fixture';
import type { Packet } from './packet';
import { prepareNodeFilter } from './prepare-node-filter';
import { nodePacket, randomCluster } from './random-cluster.fixture';
import { randomSource } from './random-state.fixture';

const RULESETS = 50;
const PACKETS = getRunCount(120, 1_000);
const KINDS = [['iptables'], ['nftables'], [null]] as const;
const WAYS = [null, 'apps', 'lab', 'none'];

it.each(KINDS)('agrees with a literal reading of random nodes and forwarded packets: %s', (kind) => {
  const seen = { accept: 0, drop: 0, reject: 0, unknown: 0 };
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const cluster = randomCluster(seed, kind);
      const random = randomSource(seed + 1);
      const prepared = prepareNodeFilter(cluster, 'a');
      const ways = WAYS.map((vnet) => ({ vnet, filter: prepareForwardFilter(cluster, { node: 'a', vnet }) }));
      const compare = (
        verdict: keyof typeof seen,
        possible: ReadonlySet<string>,
        packet: Packet,
        way?: string | null,
      ) => {
        const [only] = possible;
        const expected = possible.size === 1 ? only : 'unknown';
        if (verdict !== expected) {
          expect({ verdict, packet, way, cluster }).toEqual({ verdict: expected, packet, way, cluster });
        }
        seen[verdict]++;
      };
      for (let count = 0; count < PACKETS; count++) {
        const packet = nodePacket(random);
        compare(evaluateNode(prepared, packet).verdict, possibleNodeVerdicts(cluster, 'a', packet), packet);
        const { vnet, filter } = ways[count % ways.length] as (typeof ways)[number];
        const possible = possibleForwardVerdicts(cluster, { node: 'a', vnet }, packet);
        compare(evaluateForward(filter, packet).verdict, possible, packet, vnet);
      }
    }),
    { numRuns: RULESETS },
  );
  // A comparison that never meets one of the verdicts proves nothing about it. Without options nothing certainly drops.
  const met = kind === null ? ([seen.accept, seen.unknown] as const) : Object.values(seen);
  for (const count of met) expect(count).toBeGreaterThan((RULESETS * PACKETS) / 200);
});
