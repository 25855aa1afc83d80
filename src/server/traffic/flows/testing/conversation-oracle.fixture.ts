/** One direction of one connection as one node reported it in one heartbeat. */
export type SeenDirection = {
  /** Which connection it is, and how often a workload at its ends had moved when it was stored. */
  connection: string;
  node: string;
  client: { ip: string; port: number; workload: string | null };
  server: { ip: string; port: number; workload: string | null };
  from_client: boolean;
  decision: 'accept' | 'drop' | 'reject' | 'observed';
  replied: boolean;
  bytes: number | null;
  packets: number | null;
  first: number;
  at: number;
};

const sum = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
};

const groups = <T>(rows: readonly T[], keyOf: (row: T) => string): T[][] => [
  ...rows
    .reduce((all, row) => all.set(keyOf(row), [...(all.get(keyOf(row)) ?? []), row]), new Map<string, T[]>())
    .values(),
];

const latest = (rows: readonly SeenDirection[]): number | null =>
  rows.length === 0 ? null : Math.max(...rows.map(({ at }) => at));

/** The newest evidence; of a denial and a reply at the same time the denial. */
function getAction(rows: readonly SeenDirection[]): string {
  const denied = rows.filter(({ decision }) => decision === 'drop' || decision === 'reject');
  const rest = rows.filter((row) => !denied.includes(row));
  const both = [true, false].map((side) => latest(rest.filter(({ from_client }) => from_client === side)));
  const evidence = [
    latest(rest.filter(({ decision, replied }) => decision === 'accept' || replied)),
    both.includes(null) ? null : Math.min(...both.map(Number)),
  ].filter((time) => time !== null);
  const [no, yes] = [latest(denied), evidence.length === 0 ? null : Math.max(...evidence)];
  if (no !== null && (yes === null || no >= yes)) {
    return denied.some(({ at, decision }) => at === no && decision === 'reject') ? 'rejected' : 'dropped';
  }
  return yes === null ? 'unknown' : 'allowed';
}

/** The traffic of one direction: of each decision what the node reported that saw most, or all nodes where an end is unknown. */
function countOnce(rows: readonly SeenDirection[], isKnown: boolean): { bytes: number | null; packets: number | null } {
  const counted = groups(rows, ({ decision }) => decision).flatMap((same) => {
    const byNode = groups(same, ({ node }) => node)
      .map((of) => ({
        node: of[0]?.node ?? '',
        bytes: sum(of.map(({ bytes }) => bytes)),
        packets: sum(of.map(({ packets }) => packets)),
        at: latest(of) ?? 0,
      }))
      .sort(
        (a, b) =>
          (b.bytes ?? -1) - (a.bytes ?? -1) ||
          (b.packets ?? -1) - (a.packets ?? -1) ||
          b.at - a.at ||
          (a.node < b.node ? -1 : 1),
      );
    return isKnown ? byNode.slice(0, 1) : byNode;
  });
  return { bytes: sum(counted.map(({ bytes }) => bytes)), packets: sum(counted.map(({ packets }) => packets)) };
}

/**
 * What conversations are, from all that was reported, without SQL and without anything incremental.
 * @param cutoff flows that were last seen before have expired
 */
export function computeConversations(seen: readonly SeenDirection[], cutoff = 0) {
  const kept = groups(seen, (row) => JSON.stringify([row.connection, row.node, row.from_client, row.decision])).filter(
    (flow) => (latest(flow) ?? 0) >= cutoff,
  );
  return groups(kept.flat(), ({ connection }) => connection).map((rows) => {
    const [{ client, server }] = rows as [SeenDirection];
    const isKnown = client.workload !== null && server.workload !== null;
    const [sent, answered] = [true, false].map((side) =>
      countOnce(
        rows.filter(({ from_client }) => from_client === side),
        isKnown,
      ),
    );
    return {
      client: `${client.ip} ${client.port} ${client.workload}`,
      server: `${server.ip} ${server.port} ${server.workload}`,
      service_port: server.port,
      client_bytes: sent?.bytes ?? null,
      client_packets: sent?.packets ?? null,
      server_bytes: answered?.bytes ?? null,
      server_packets: answered?.packets ?? null,
      action: getAction(rows),
      nodes: [...new Set(rows.map(({ node }) => node))].sort().join(' '),
      first: Math.min(...rows.map(({ first }) => first)),
      last: latest(rows),
    };
  });
}
