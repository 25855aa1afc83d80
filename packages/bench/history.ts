/**
 * History of firewalls: 1,000 workloads whose firewalls are read all the time for 30 days, one in a hundred of which changes a day.
 * Run: npx tsx packages/bench/history.ts
 * Bar: at most 200 MB for all readings, with indexes. Also printed: how long the state of the first day takes to read, and of now.
 */
import { startBenchDatabase } from './database';

const database = await startBenchDatabase();
const { sql } = await import('drizzle-orm');
const { db, closeDb } = await import('@/server/db/client');
const { makeCluster, makeNode, makeWorkload } = await import('@/test/factories');
const { hashSnapshot } = await import('@/server/enforcement/guest-firewall/live-reader');
const { storeClusterSnapshot, storeGuestSnapshots } = await import('@/server/enforcement/queries/firewall-snapshots');
const { readPastFirewall } = await import('@/server/enforcement/policies/firewall-state/read-past-firewall');
const { clock } = await import('@/server/lib/clock');
const { newId } = await import('@/server/lib/ids');
const { expectBar, ms } = await import('./stats');
type GuestSnapshot = import('@/domain/firewall/snapshot').GuestSnapshot;

const WORKLOADS = 1_000;
const DAYS = 30;
const READINGS_A_DAY = 24;
const CHANGES_A_DAY = WORKLOADS / 100;
const RULES = 30;
const PEERS = 40;
const HOUR_MS = 3_600_000;
const start = Date.now() - (DAYS + 1) * 24 * HOUR_MS;

const makeGuest = (n: number, edition: number): GuestSnapshot => ({
  options: { enable: 1, policy_in: 'DROP' },
  rules: Array.from({ length: RULES }, (_, pos) => ({
    ...{ pos, type: pos % 5 === 4 ? 'out' : 'in', action: 'ACCEPT', enable: 1, proto: 'tcp' },
    ...{
      dport: String(1_000 + n + pos + edition),
      source: `+guest/fabric-${newId().slice(0, 8)}`,
      comment: `rule ${newId()} [fabric]`,
    },
  })),
  ipsets: {
    peers: Array.from({ length: PEERS }, (_, at) => ({ cidr: `10.${edition % 250}.${(n + at) % 250}.${at + 1}` })),
  },
  aliases: {},
  presence: 'present',
  nics: [
    {
      name: 'net0',
      firewall: true,
      mac: `bc:24:11:00:${(n >> 8).toString(16).padStart(2, '0')}:${(n & 255).toString(16).padStart(2, '0')}`,
      bridge: 'vmbr0',
    },
  ],
  pending_nics: [],
  unreadable: [],
});

const created_at = new Date(start).toISOString();
const cluster = await makeCluster({ created_at });
const node = await makeNode(cluster, { created_at });
const ids: string[] = [];
for (let n = 0; n < WORKLOADS; n++) ids.push((await makeWorkload(cluster, null, { created_at, node_id: node.id })).id);
await db.execute(sql`update history_start set at = ${created_at}`);
const states = ids.map((_, n) => makeGuest(n, 0));

/** Total of the tables of readings, with their indexes, in MB. */
async function measureSize(): Promise<number> {
  const [row] = await db.execute<{
    bytes: string;
  }>(sql`select sum(pg_total_relation_size(name::regclass))::text as bytes
    from unnest(array['guest_firewall_snapshots', 'cluster_firewall_snapshots', 'past_firewalls', 'firewall_states']) as name`);
  return Number(row?.bytes ?? 0) / 1_000_000;
}

const shared = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] };
let next = 0;
for (let reading = 0; reading < DAYS * READINGS_A_DAY; reading++) {
  const read_at = new Date(start + reading * HOUR_MS).toISOString();
  clock.now = () => new Date(read_at);
  if (reading % READINGS_A_DAY === READINGS_A_DAY - 1) {
    for (let change = 0; change < CHANGES_A_DAY; change++) {
      states[next % WORKLOADS] = makeGuest(next % WORKLOADS, reading);
      next += 37;
    }
  }
  const rows = states.map((state, n) => ({
    workload_id: ids[n] ?? '',
    read_at,
    state_hash: hashSnapshot(state),
    state,
  }));
  await storeGuestSnapshots(db, rows);
  await storeClusterSnapshot(db, { cluster_id: cluster.id, read_at, state_hash: hashSnapshot(shared), state: shared });
  // As autovacuum does with so many changed rows.
  await db.execute(sql`vacuum guest_firewall_snapshots`);
  if (reading === 0) {
    await db.execute(sql`vacuum analyze`);
    console.log(
      `first reading: ${(await measureSize()).toFixed(1)} MB, one state ${JSON.stringify(states[0]).length} bytes as text`,
    );
  }
}
clock.now = () => new Date();
await db.execute(sql`vacuum analyze`);
const megabytes = await measureSize();
const [kept] = await db.execute<{ readings: number; states: number }>(
  sql`select (select count(*)::int from past_firewalls) as readings, (select count(*)::int from firewall_states) as states`,
);
console.log(`${DAYS} days: ${megabytes.toFixed(1)} MB; ${kept?.readings} former readings, ${kept?.states} states`);
for (const day of [0, DAYS / 2, DAYS - 1]) {
  const at = new Date(start + (day * 24 + 1) * HOUR_MS).toISOString();
  const started = performance.now();
  const { firewall, unknown } = await readPastFirewall(at);
  console.log(
    `state of day ${day}: ${ms(performance.now() - started)}, ${firewall.snapshots.guests.size} read, ${unknown.size} unknown`,
  );
}
await closeDb();
await database.stop();
expectBar('readings of 30 days take at most 200 MB', megabytes <= 200);
