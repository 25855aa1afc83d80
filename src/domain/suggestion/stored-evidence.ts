import type { Peer, Service, Talk } from './classify';
import type { Position } from './compute';
import type { LeftOut } from './observed';

/** Talks without the repetition of their ends and services: numbers in the lists beside them. */
export type PackedTalks = {
  readonly peers: readonly (readonly [workload_id: string | null, ip: string, external: boolean])[];
  readonly services: readonly (readonly [
    protocol: Service['protocol'],
    port: number | null,
    icmp_type: string | null,
  ])[];
  /** client, server, service, conversations, held out, bytes, first and last seen. */
  readonly talks: readonly (readonly [number, number, number, number, number, number | null, number, number])[];
};

/** What a run found, as it is stored. */
export type StoredFindings = {
  readonly talks: PackedTalks;
  readonly left_out: readonly LeftOut[];
  readonly positions: readonly Position[];
  readonly recommended: number | null;
  readonly evidence_score: number | null;
};

export function packTalks(talks: readonly Talk[]): PackedTalks {
  const peers = new Map<string, number>();
  const services = new Map<string, number>();
  const getNumber = (map: Map<string, number>, value: readonly unknown[]) => {
    const key = JSON.stringify(value);
    const known = map.get(key) ?? map.size;
    map.set(key, known);
    return known;
  };
  const peer = ({ workload_id, ip, external }: Peer) => getNumber(peers, [workload_id, ip, external]);
  const packed = talks.map(
    ({
      client,
      server,
      service: { protocol, port, icmp_type },
      conversations,
      held_out,
      bytes,
      first_seen,
      last_seen,
    }) =>
      [
        ...[peer(client), peer(server), getNumber(services, [protocol, port, icmp_type])],
        ...[conversations, held_out, bytes, first_seen, last_seen],
      ] as unknown as PackedTalks['talks'][number],
  );
  return {
    peers: [...peers.keys()].map((key) => JSON.parse(key)),
    services: [...services.keys()].map((key) => JSON.parse(key)),
    talks: packed,
  };
}

export function unpackTalks({ peers, services, talks }: PackedTalks): Talk[] {
  const ends = peers.map(([workload_id, ip, external]): Peer => ({ workload_id, ip, external }));
  const known = services.map(([protocol, port, icmp_type]): Service => ({ protocol, port, icmp_type }));
  const at = <T>(list: readonly T[], number: number): T => {
    const found = list[number];
    if (found === undefined) throw new Error(`expected an end or service with number ${number}`);
    return found;
  };
  return talks.map(([client, server, service, conversations, held_out, bytes, first_seen, last_seen]) => ({
    client: at(ends, client),
    server: at(ends, server),
    service: at(known, service),
    ...{ conversations, held_out, bytes, first_seen, last_seen },
  }));
}
