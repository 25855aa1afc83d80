import type { FilterImplementation, LiveCluster, LiveNode } from './live-state';
import type { Packet } from './packet';
import { randomPacket, randomSource, randomState, withForwarding } from './random-state.fixture';

const HELPERS = ['ftp', 'irc,tftp', 'netbios-ns', 'gone'];

/** A cluster of two nodes with random rules for all scopes; parts of it may be unreadable. */
export function randomCluster(seed: number, implementation: FilterImplementation | null): LiveCluster {
  const random = randomSource(seed);
  const [one, two] = [randomState(seed), randomState(seed + 7)];
  const policy = () => [undefined, 'DROP', 'ACCEPT', 'REJECT'][Math.floor(random() * 4)];
  const stored = Object.entries({ policy_in: policy(), policy_out: policy() });
  const options = Object.fromEntries(stored.flatMap(([key, value]) => (value ? [[key, value]] : [])));
  const { implementation: _, ...known } = one.node ?? { networks: ['10.0.0.6/29'], options: {} };
  const helpers = HELPERS[Math.floor(random() * 16)];
  const synflood = random() < 0.15 ? 1 : undefined;
  const unread = known.options === null || implementation === null;
  const a: LiveNode = {
    ...known,
    ...(unread && implementation && { implementation }),
    options: unread
      ? null
      : {
          ...known.options,
          nftables: implementation === 'nftables' ? 1 : 0,
          ...(helpers !== undefined && { nf_conntrack_helpers: helpers }),
          ...(synflood && { protection_synflood: synflood }),
        },
    rules: one.guest.rules,
  };
  const b: LiveNode = { options: null, rules: null, networks: random() < 0.9 ? ['10.0.0.4/29', 'fd00::4/64'] : null };
  const cluster: LiveCluster = {
    ...one.cluster,
    aliases: { ...one.cluster.aliases, ...(random() < 0.4 && { local_network: '10.0.0.0/30' }) },
    rules: two.guest.rules,
    options: random() < 0.9 ? options : null,
    nodes: random() < 0.95 ? { ...(one.node && { a }), b } : null,
  };
  return withForwarding(cluster, random);
}

/** A packet of services that nodes have rules of their own for. */
export function nodePacket(random: () => number): Packet {
  const drawn = randomPacket(random);
  const ported = drawn.protocol === 6 || drawn.protocol === 17;
  const port = [8006, 3128, 5404, 5405, 5410, 5950, 60001, 21, 69][Math.floor(random() * 27)];
  return {
    ...drawn,
    ...(ported && port !== undefined && { destination_port: port }),
    ...(drawn.protocol === 47 && random() < 0.2 && { protocol: 2 }),
  };
}
