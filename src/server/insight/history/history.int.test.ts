import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { GuestFirewall } from '@/domain/guest-firewall';
import { WorkloadListInput } from '@/domain/inventory';
import { AddressListInput } from '@/domain/ipam/ip-address';
import { PolicyListInput } from '@/domain/policies';
import { SecurityGroupListInput, SecurityGroupMemberListInput } from '@/domain/security-group';
import { findIpAddressDetail, listIpAddresses } from '@/server/addresses/queries/ip-addresses';
import { systemScope } from '@/server/auth/scope';
import { readHistoryStart, readPast } from '@/server/db/as-of';
import { db } from '@/server/db/client';
import { firewallStates, pastFirewalls } from '@/server/db/schema/history';
import { workloads } from '@/server/db/schema/workloads';
import { listMembers } from '@/server/enforcement/groups/members';
import { listWorkloads, readWorkload } from '@/server/enforcement/inventory-views/workloads';
import { readPastFirewall } from '@/server/enforcement/policies/firewall-state/read-past-firewall';
import { listPolicies, readPolicy } from '@/server/enforcement/policies/policies';
import { storeClusterSnapshot, storeGuestSnapshots } from '@/server/enforcement/queries/firewall-snapshots';
import { listSecurityGroups } from '@/server/enforcement/queries/security-groups';
import { pruneHistory } from '@/server/history/history';
import { readReach } from '@/server/insight/reach/read-reach';
import { makeCluster, makeTwoTenants, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { getRunCount } from '@/test/thorough';
import { createRandom, makeRandomHistory } from './random-history.fixture';

const STEPS = getRunCount(250, 1000);
type Reader = readonly string[] | 'all';
const scope = (reader: Reader) => systemScope('workload:read', 'test', reader);

/** Fields whose changes alone are not kept, and former holders, which lose their link with the workload. */
const NOT_KEPT = new Set(['updated_at', 'config_read_at', 'last_seen_at', 'read_at', 'lock', 'as_of', 'history']);
const toKept = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer, (key, value) => (NOT_KEPT.has(key) ? undefined : value)));
const orRefusal = (work: Promise<unknown>) => work.catch((error: { code?: string }) => ({ refused: error.code }));

/** Tables of which there is no past: what is in them does not depend on time, or has its own. */
const TIMELESS = [
  // It has the times of its rows itself, and its queries read by them.
  'address_sightings',
  'firewall_states',
  'history_start',
  'ip_address_history',
  'past_firewalls',
  'system_settings',
  'workload_owners',
];

/** How often tables were read whose rows of then are not kept, as the present connection counts. */
async function countUntracked(): Promise<Map<string, string>> {
  const rows = await db.execute<{ name: string; reads: string }>(sql`
    select t.relname as name, (t.seq_scan + coalesce(t.idx_scan, 0))::text as reads from pg_stat_xact_user_tables t
    where t.schemaname = 'public' and t.relname not like 'past%' and to_regclass('as_of.' || quote_ident(t.relname)) is null`);
  return new Map(rows.filter(({ name }) => !TIMELESS.includes(name)).map(({ name, reads }) => [name, reads]));
}

/** Time of the database, to the microsecond. */
async function readClock(): Promise<string> {
  const [row] = await db.execute<{ at: string }>(
    sql`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
  );
  return row?.at ?? '';
}

describe('answers as of a time', () => {
  it(`equal what was read at that time, at each of ${STEPS} random steps, for two tenants and the platform`, async () => {
    const random = createRandom(7);
    const history = await makeRandomHistory(random);
    const page = { limit: 500 };
    const readers: Reader[] = ['all', ...history.tenants.map(({ id }) => [id])];
    const questions: Record<string, (reader: Reader) => (() => Promise<unknown>) | null> = {
      workloads: (reader) => () => listWorkloads(scope(reader), WorkloadListInput.parse(page)),
      workload: (reader) => {
        const id = history.anyWorkload();
        return id ? () => readWorkload(scope(reader), id) : null;
      },
      groups: (reader) => () => listSecurityGroups(reader, SecurityGroupListInput.parse(page)),
      members: (reader) => {
        const id = history.anyGroup();
        const input = SecurityGroupMemberListInput.parse(page);
        return id ? () => listMembers(scope(reader) as never, id, input) : null;
      },
      policies: (reader) => () => listPolicies(scope(reader) as never, PolicyListInput.parse(page)),
      policy: (reader) => {
        const id = history.anyPolicy();
        return id ? () => readPolicy(scope(reader) as never, id) : null;
      },
      address: (reader) => {
        const id = history.anyAddress();
        return id ? () => findIpAddressDetail(reader, id) : null;
      },
      addresses: (reader) => () => listIpAddresses(reader, AddressListInput.parse(page)),
      reach: (reader) => () =>
        readReach(scope(reader), null, {
          ...{ from: 'outside', to: ['any'], protocol: 'tcp', ports: ['22'] },
          ...(reader !== 'all' && { tenant_id: reader[0] }),
        }),
    };
    const names = Object.keys(questions);
    const asked: {
      step: number;
      kind: string;
      name: string;
      at: string;
      ask: () => Promise<unknown>;
      live: unknown;
    }[] = [];
    for (let step = 0; step < STEPS; step++) {
      const kind = await history.change();
      const name = names[step % names.length] ?? '';
      const ask = questions[name]?.(readers[Math.floor(random() * readers.length)] ?? 'all');
      if (!ask) continue;
      const live = toKept(await orRefusal(ask()));
      asked.push({ step, kind, name, ask, live, at: await readClock() });
    }
    expect(asked.length).toBeGreaterThan(STEPS * 0.8);
    for (const { ask, live, at, ...which } of asked) {
      const then = await readPast(at, async () => {
        const before = await countUntracked();
        const answer = await orRefusal(ask());
        expect([which.name, await countUntracked()]).toEqual([which.name, before]);
        return answer;
      });
      const answer = toKept(then);
      expect({ ...which, answer }).toEqual({ ...which, answer: live });
    }
    const [kept] = await db.execute<{ n: number }>(sql`select count(*)::int as n from past_workloads`);
    expect(kept?.n).toBeGreaterThan(STEPS / 20);
  });
});

const state: GuestSnapshot = {
  ...{ presence: 'present', options: { enable: 1, policy_in: 'DROP' }, rules: [], ipsets: {}, aliases: {} },
  ...{ nics: [{ name: 'net0', firewall: true, mac: null, bridge: 'vmbr0' }], pending_nics: [], unreadable: [] },
};
const open: GuestSnapshot = { ...state, options: { enable: 0 } };

describe('as_of over REST', () => {
  const read = async (path: string, headers: Record<string, string>, body?: object) => {
    const response = await call(path, { headers, ...(body && { body }) });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, 3));

  it('shows a workload and its firewall to those who had it then, and says where it is not known', async () => {
    const { cluster, ours, theirs } = await makeTwoTenants('security_engineer');
    const { id } = ours.workload;
    const store = (state_hash: string, content: GuestSnapshot) =>
      storeGuestSnapshots(db, [{ workload_id: id, read_at: new Date().toISOString(), state_hash, state: content }]);
    const shared = { groups: {}, ipsets: {}, aliases: {}, unreadable: [], firewall_enabled: true };
    await pause();
    const unread = await readClock();
    await pause();
    const read_at = new Date().toISOString();
    await storeClusterSnapshot(db, { cluster_id: cluster.id, read_at, state_hash: 'shared', state: shared });
    await store('closed', state);
    const closed = await readClock();
    await pause();
    await store('closed', state);
    const between = await readClock();
    await pause();
    await store('open', open);
    await pause();
    const opened = await readClock();
    await db.update(workloads).set({ project_id: theirs.project.id, name: 'moved' }).where(eq(workloads.id, id));
    await store('theirs', state);

    const firewallAt = async (at: string, headers = ours.headers) => {
      const { status, body } = await read(`/workloads/${id}/firewall?as_of=${at}`, headers);
      const { past, options, interfaces } = body as unknown as GuestFirewall;
      return [status, past?.state, options?.enable ?? null, interfaces?.map(({ protection }) => protection) ?? null];
    };
    expect(await firewallAt(unread)).toEqual([200, 'not_read', null, null]);
    expect(await firewallAt(closed)).toEqual([200, 'read', true, ['default_deny']]);
    expect(await firewallAt(between)).toEqual([200, 'between', null, null]);
    // What was read of the next owner does not change it.
    expect(await firewallAt(opened)).toEqual([200, 'read', false, ['off']]);
    expect((await firewallAt(await readClock()))[0]).toBe(404);
    expect((await firewallAt(opened, theirs.headers))[0]).toBe(404);

    const { body: then } = await read(`/workloads?as_of=${between}`, ours.headers);
    expect(then).toMatchObject({ items: [{ id, name: ours.workload.name, protection: 'unknown' }], total: 1 });
    expect((await read('/workloads', ours.headers)).body).toMatchObject({ items: [], total: 0 });
    const { firewall, unknown } = await readPastFirewall(between);
    expect([firewall.inputs.workloads.get(id)?.tenant_id, unknown.get(id)?.reason]).toEqual([
      ours.tenant.id,
      'between',
    ]);
    const question = { from: ['any'], to: [`vmid:${ours.workload.vmid}`], as_of: opened };
    expect((await read('/reach', ours.headers, question)).body).toMatchObject({
      as_of: opened,
    });
  });

  it('refuses a time that is not known, with the earliest that is', async () => {
    const { ours } = await makeTwoTenants('security_engineer');
    const earliest = await readHistoryStart(db);
    const before = new Date(Date.parse(earliest) - 1).toISOString();
    for (const path of [
      '/policies',
      '/security-groups',
      '/workloads',
      '/ip-addresses',
      `/workloads/${ours.workload.id}`,
    ]) {
      expect(await read(`${path}?as_of=${before}`, ours.headers), path).toMatchObject({
        status: 400,
        body: { earliest },
      });
      expect((await read(`${path}?as_of=2999-01-01T00:00:00Z`, ours.headers)).status).toBe(400);
      expect((await read(`${path}?as_of=yesterday`, ours.headers)).status).toBe(400);
    }
    const change = { from: ['any'], to: ['any'], as_of: earliest, change_id: ours.workload.id };
    expect((await read('/reach', ours.headers, change)).body.errors).toMatchObject([{ field: 'as_of' }]);
  });
});

describe('pruneHistory', () => {
  it('deletes what ended before the retention, keeps what was valid then, and refuses the time before', async () => {
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const cluster = await makeCluster({ created_at: day(120) });
    const workload = await makeWorkload(cluster, null, { created_at: day(120) });
    const stored: [string, string][] = [
      [day(100), 'first'],
      [day(95), 'second'],
      [day(80), 'third'],
      [day(79), 'fourth'],
    ];
    for (const [read_at, state_hash] of stored) {
      const row = {
        workload_id: workload.id,
        read_at,
        state_hash,
        state: { ...state, aliases: { read_at } },
      };
      await storeGuestSnapshots(db, [row]);
    }
    await db.execute(sql`update history_start set at = ${day(100)}`);
    expect(await pruneHistory()).toBeGreaterThan(0);
    const left = await db
      .select({ hash: pastFirewalls.state_hash })
      .from(pastFirewalls)
      .where(eq(pastFirewalls.object_id, workload.id));
    expect(left.map(({ hash }) => hash).sort()).toEqual(['second', 'third']);
    const states = await db.select({ hash: firewallStates.state_hash }).from(firewallStates);
    expect(states.map(({ hash }) => hash)).not.toContain('first');
    expect(states.map(({ hash }) => hash)).toContain('second');
    await expect(readPast(day(91), async () => null)).rejects.toThrow(/History begins at/);
    expect((await readPastFirewall(day(89))).unknown.get(workload.id)).toMatchObject({
      reason: 'between',
      last_read_at: stored[1]?.[0],
    });
    expect(await pruneHistory()).toBe(0);
  });
});
