import { beforeAll, describe, expect, it } from 'vitest';
import type { Dashboard } from '@/domain/dashboard/dashboard';
import { type Protection, UNPROTECTED_REASONS } from '@/domain/firewall/protection';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { ProtectionCounts, Workload, WorkloadDetail } from '@/domain/inventory';
import { db, sqlClient } from '@/server/db/client';
import { storeClusterSnapshot, storeGuestSnapshots } from '@/server/enforcement/queries/firewall-snapshots';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { guest } from '../../insight/dashboard/testing/planted-dashboard.fixture';

type Nic = NonNullable<GuestSnapshot['nics']>[number];
const nic = (name: string, firewall: boolean | null = true): Nic => ({ name, firewall, mac: null });
const ACCEPT = { enable: 1, policy_in: 'ACCEPT' };
const SSH = { pos: 0, type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '22', enable: 1 };

/** Each snapshot with its expected protection and enforcement. */
const CASES: Record<string, [Protection | null, string, Partial<GuestSnapshot>]> = {
  denies: ['default_deny', 'enforced', { options: { enable: 1 } }],
  accepts: ['rules_default_accept', 'enforced', { options: ACCEPT, rules: [SSH] }],
  bare: ['no_rules', 'enforced', { options: ACCEPT }],
  off: ['off', 'unenforced', { options: { enable: 0 } }],
  unread: ['unknown', 'unknown', { options: null }],
  'half-open': [
    'no_rules',
    'enforced',
    { options: ACCEPT, rules: [{ ...SSH, iface: 'net0' }], nics: [nic('net0'), nic('net1')] },
  ],
  'half-off': ['off', 'unenforced', { options: { enable: 1 }, nics: [nic('net0'), nic('net1', false)] }],
  cardless: [null, 'without_interface', { options: { enable: 1 }, nics: [] }],
};

/** Why each of them is not protected. */
const REASONS: Record<string, string[]> = {
  denies: [],
  accepts: ['default_accept'],
  bare: ['no_rules'],
  off: ['guest_firewall_off'],
  unread: ['unknown'],
  'half-open': ['no_rules', 'default_accept'],
  'half-off': ['nic_flag_off'],
  cardless: [],
  unseen: ['unknown'],
};

const sql = sqlClient();
let admin: { authorization: string };
let viewer: { authorization: string };
let clusterId: string;
const ids = new Map<string, string>();

const read = async <T>(path: string, headers = admin): Promise<T> => {
  const response = await call(path, { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
};
const names = async (query: string, headers = admin) =>
  (await read<{ items: Workload[] }>(`/workloads?${query}`, headers)).items.map(({ name }) => name).sort();

beforeAll(async () => {
  const tenant = await makeTenant();
  const project = await makeProject(tenant);
  const cluster = await makeCluster();
  clusterId = cluster.id;
  admin = await bearer(await makeUser('admin'));
  viewer = await bearer(await makeUser('viewer', tenant));
  const read_at = new Date().toISOString();
  await storeClusterSnapshot(db, {
    cluster_id: cluster.id,
    read_at,
    state_hash: 'c',
    state: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] },
  });
  for (const [name, [, , values]] of Object.entries(CASES)) {
    const own = name === 'denies' || name === 'bare' ? project : null;
    const { id } = await makeWorkload(cluster, own, { name, status: 'running' });
    ids.set(name, id);
    const state = guest(values);
    await storeGuestSnapshots(db, [{ workload_id: id, read_at, state_hash: name, state }]);
    for (const { name: card } of state.nics ?? []) {
      await sql`insert into workload_interfaces (id, workload_id, name, firewall, raw)
        values (gen_random_uuid(), ${id}, ${card}, true, '')`;
    }
  }
  ids.set('unseen', (await makeWorkload(cluster, null, { name: 'unseen', status: 'running' })).id);
});

describe('the protection of workloads', () => {
  it('appears in the list as it was read, whatever the enforcement', async () => {
    const { items } = await read<{ items: Workload[] }>('/workloads');
    expect(Object.fromEntries(items.map(({ name, protection }) => [name, protection]))).toEqual({
      ...Object.fromEntries(Object.entries(CASES).map(([name, [protection]]) => [name, protection])),
      unseen: 'unknown',
    });
    for (const kind of ['enforced', 'unenforced', 'without_interface']) {
      const expected = Object.keys(CASES).filter((name) => CASES[name]?.[1] === kind);
      expect(await names(`enforcement=${kind}`)).toEqual(expected.sort());
    }
  });

  it('filters by one value or several', async () => {
    expect(await names('protection=default_deny')).toEqual(['denies']);
    expect(await names('protection=no_rules')).toEqual(['bare', 'half-open']);
    expect(await names('protection=no_rules,off')).toEqual(['bare', 'half-off', 'half-open', 'off']);
    expect(await names('protection=unknown')).toEqual(['unread', 'unseen']);
    expect(await names('protection=no_rules&enforcement=unenforced')).toEqual([]);
    expect(await names('protection=no_rules,default_deny', viewer)).toEqual(['bare', 'denies']);
    expect((await call('/workloads?protection=some', { headers: admin })).status).toBe(400);
    expect((await call('/workloads?protection=', { headers: admin })).status).toBe(400);
  });

  it('has a column in the CSV file', async () => {
    const response = await call('/workloads?format=csv&q=bare', { headers: admin });
    const [head = '', row = ''] = (await response.text()).trim().split(/\r?\n/);
    expect(row.split(',')[head.split(',').indexOf('protection')]).toBe('no_rules');
  });

  it('covers each interface; the workload has the worst of them', async () => {
    const detail = async (name: string) => read<WorkloadDetail>(`/workloads/${ids.get(name)}`);
    const half = await detail('half-open');
    expect(half.protection).toBe('no_rules');
    expect(half.interfaces.map(({ name, protection }) => [name, protection])).toEqual([
      ['net0', 'rules_default_accept'],
      ['net1', 'no_rules'],
    ]);
    expect((await detail('half-off')).interfaces.map(({ protection }) => protection)).toEqual(['default_deny', 'off']);
    expect(await detail('cardless')).toMatchObject({ protection: null, interfaces: [] });
    expect(await detail('unseen')).toMatchObject({ protection: 'unknown' });
  });

  it('appears in the list with its reasons, which are a filter', async () => {
    const { items } = await read<{ items: Workload[] }>('/workloads');
    expect(Object.fromEntries(items.map(({ name, protection_reasons }) => [name, protection_reasons]))).toEqual(
      REASONS,
    );
    const half = items.find(({ name }) => name === 'half-off');
    expect(half?.unprotected_interfaces).toEqual([{ name: 'net1', reasons: ['nic_flag_off'] }]);
    for (const reason of UNPROTECTED_REASONS) {
      const expected = Object.keys(REASONS).filter((name) => REASONS[name]?.includes(reason));
      expect(await names(`protection_reason=${reason}`), reason).toEqual(expected.sort());
    }
    expect(await names('protection_reason=no_rules,nic_flag_off')).toEqual(['bare', 'half-off', 'half-open']);
    expect(await names('protection_reason=no_rules&protection=off')).toEqual([]);
    expect(await names('protection_reason=no_rules', viewer)).toEqual(['bare']);
    expect((await call('/workloads?protection_reason=off', { headers: admin })).status).toBe(400);
    const text = await (await call('/workloads?format=csv&q=half-open', { headers: admin })).text();
    const [head = '', row = ''] = text.trim().split(/\r?\n/);
    expect(row.split(',')[head.split(',').indexOf('protection_reasons')]).toBe('no_rules default_accept');
  });

  it('has counts by value and by reason that equal the filtered list', async () => {
    const { protection, protection_reason, without_interface } = await read<ProtectionCounts>('/workload-protection');
    expect(protection).toEqual({ default_deny: 1, rules_default_accept: 1, no_rules: 2, off: 2, unknown: 2 });
    expect(without_interface).toBe(1);
    for (const reason of UNPROTECTED_REASONS) {
      expect(protection_reason[reason], reason).toBe((await names(`protection_reason=${reason}`)).length);
    }
    const within = await read<ProtectionCounts>('/workload-protection?protection=off&q=half');
    expect(within.protection).toMatchObject({ no_rules: 1, off: 1, unknown: 0 });
    expect(within.protection_reason).toMatchObject({ nic_flag_off: 1, guest_firewall_off: 0, no_rules: 0 });
    const own = await read<ProtectionCounts>('/workload-protection', viewer);
    expect(own.protection).toEqual({ default_deny: 1, rules_default_accept: 0, no_rules: 1, off: 0, unknown: 0 });
    expect(own.without_interface).toBe(0);
    const { queries: one } = await countQueries(() => read('/workload-protection?q=bare'));
    const { queries: all } = await countQueries(() => read('/workload-protection'));
    expect([one, all]).toEqual([3, 3]);
  });

  it('decides what the dashboard counts as enforced', async () => {
    const { security_posture } = await read<Dashboard>('/dashboard');
    expect(security_posture.enforcement).toMatchObject({
      running: 9,
      enforced: 1,
      unenforced: 5,
      unknown: 2,
      without_interface: 1,
      share: 1 / 6,
      protection: { default_deny: 1, rules_default_accept: 1, no_rules: 2, off: 2, unknown: 2 },
    });
    const own = (await read<Dashboard>('/dashboard', viewer)).security_posture.enforcement;
    expect(own).toMatchObject({ running: 2, enforced: 1, unenforced: 1, share: 0.5 });
  });

  it('takes as many queries for one workload as for all', async () => {
    await read('/workloads');
    const { queries: one } = await countQueries(() => read('/workloads?limit=1&protection=default_deny'));
    const { queries: all } = await countQueries(() => read('/workloads?protection=default_deny,no_rules,off,unknown'));
    expect([one, all]).toEqual([4, 4]);
  });

  it('follows the next snapshot', async () => {
    const state = guest({ options: { enable: 1, policy_in: 'DROP' } });
    const read_at = new Date().toISOString();
    await storeGuestSnapshots(db, [{ workload_id: ids.get('bare') ?? '', read_at, state_hash: 'bare-2', state }]);
    expect(await names('protection=default_deny')).toEqual(['bare', 'denies']);
    await storeClusterSnapshot(db, {
      cluster_id: clusterId,
      read_at,
      state_hash: 'c-2',
      state: { firewall_enabled: false, groups: {}, ipsets: {}, aliases: {}, unreadable: [] },
    });
    expect(await names('protection=default_deny')).toEqual([]);
  });
});
