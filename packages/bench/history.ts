/**
 * History: workloads whose firewalls are read all the time for some days, one in a hundred of which changes a day, in the inventory too.
 * Run: npx tsx packages/bench/history.ts [workloads] [days] [readings a day]        (default 1,000, 30, 24)
 * Bar of the default: at most 200 MB for all readings, with indexes. Also printed: how long it takes to read the state of a day, lists
 * and a policy as of then, and a timeline. Try 5000 90 1 for months of a large installation.
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

const [WORKLOADS = 1_000, DAYS = 30, READINGS_A_DAY = 24] = process.argv.slice(2).map(Number);
const CHANGES_A_DAY = WORKLOADS / 100;
const RULES = 30;
const PEERS = 40;
const HOUR_MS = 3_600_000;
const STEP_MS = (24 * HOUR_MS) / READINGS_A_DAY;
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
  const read_at = new Date(start + reading * STEP_MS).toISOString();
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

/** The inventory of the same days: as many workloads changed. Rows of the past are recorded as of now, and then moved to their day. */
for (let day = 0; day < DAYS; day++) {
  const until = new Date(start + day * 24 * HOUR_MS).toISOString();
  const changed = ids.filter((_, n) => n % 100 === day % 100);
  await db.execute(sql`update workloads set pool = ${`pool ${day}`}, tags = array['web', ${`day-${day % 7}`}::text]
    where id = any (${`{${changed.join()}}`}::uuid[])`);
  await db.execute(sql`update past_workloads set until_at = ${until}::timestamptz,
    from_at = coalesce((select max(p.until_at) from past_workloads as p where p.id = past_workloads.id and p.until_at < ${until}::timestamptz), ${created_at}::timestamptz)
    where until_at > now() - interval '1 hour'`);
}
await db.execute(sql`vacuum analyze`);
const { call } = await import('@/test/request');
const { bearer, makeUser } = await import('@/test/factories');
const headers = await bearer(await makeUser('admin'));
const created = await call('/security-groups', { headers, body: { name: 'web', member_tags: ['web'] } });
if (created.status !== 201) throw new Error(`the group was not created: ${await created.text()}`);
const then = new Date(start + (DAYS / 2) * 24 * HOUR_MS).toISOString();
const [one = ''] = ids;
for (const path of [
  `/workloads?as_of=${then}&limit=100`,
  `/workloads/${one}?as_of=${then}`,
  `/workloads/${one}/firewall?as_of=${then}`,
  `/policies?as_of=${then}`,
  `/security-groups?as_of=${then}`,
  `/ip-addresses?as_of=${then}`,
  `/workloads/${one}/timeline?since=${created_at}`,
]) {
  const took: number[] = [];
  let status = 0;
  for (let at = 0; at < 4; at++) {
    const started = performance.now();
    const answer = await call(path, { headers });
    await answer.text();
    status = answer.status;
    took.push(performance.now() - started);
  }
  const [first = 0, ...later] = took;
  console.log(
    `${status} ${path.replace(one, '{id}').replace(/=20[^&]*/, '=…')}: ${ms(first)} first, ${ms(Math.max(...later))} later`,
  );
}
await closeDb();
await database.stop();
if (WORKLOADS === 1_000 && DAYS === 30) expectBar('readings of 30 days take at most 200 MB', megabytes <= 200);
