import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { makeSyncLab, type SyncLab } from './testing/sync-lab.fixture';

let fixture: SyncLab;
let labs = 0;
beforeEach(async () => {
  labs += 1;
  fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50 }, `lab ${labs}`);
  expect((await fixture.sync()).status).toBe('ok');
});
afterEach(() => fixture.close());

type Prefix = { id: string; network_id: string; cidr: string };
async function findPrefix(cidr: string): Promise<Prefix> {
  const [row] = await fixture.sql<Prefix[]>`
    select id, network_id, cidr::text from subnets where cluster_id = ${fixture.cluster.id} and cidr = ${cidr}`;
  if (!row) throw new Error(`no prefix ${cidr}`);
  return row;
}
const addRange = ({ id, network_id }: Prefix, first: string, last: string) => fixture.sql`
  insert into ip_ranges (id, network_id, subnet_id, kind, first_address, last_address)
  values (${newId()}, ${network_id}, ${id}, 'reserved', ${first}, ${last})`;
const addAddress = ({ id, network_id }: Prefix, address: string) => fixture.sql`
  insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, state, source)
  values (${newId()}, ${fixture.cluster.id}, ${network_id}, ${id}, ${address}, 'reserved', 'manual')`;

describe('a prefix that left the SDN', () => {
  const apps = () => findPrefix('10.60.10.0/24');
  const dropFromSdn = (vnets: readonly string[] = []) => {
    const { state } = fixture.control;
    state.change(() => {
      state.sdn.staged.subnets.clear();
      for (const vnet of vnets) state.sdn.staged.vnets.delete(vnet);
      state.applySdn();
    });
  };

  it.each([
    ['alone', []],
    ['with its network', ['apps', 'dmz']],
  ])('stays while people have a range in it: %s', async (_, vnets) => {
    const { sync, sql, cluster } = fixture;
    // Without guests nothing but the range depends on the network.
    await sql`delete from workload_interfaces i using networks n where n.id = i.network_id and n.name = any (${vnets})`;
    for (const guest of vnets.length > 0 ? [...fixture.control.state.guests.values()] : [])
      fixture.control.setConfig(guest.vmid, { net0: undefined });
    await addRange(await apps(), '10.60.10.10', '10.60.10.20');
    dropFromSdn(vnets);
    expect((await sync()).status).toBe('ok');
    const kept = await sql`
      select s.cidr::text, s.missing_since is not null as missing, host(r.first_address) as first
      from subnets s left join ip_ranges r on r.subnet_id = s.id where s.cluster_id = ${cluster.id}`;
    expect(kept).toEqual([{ cidr: '10.60.10.0/24', missing: true, first: '10.60.10.10' }]);
    await sql`delete from ip_ranges`;
    await sync();
    expect(await sql`select 1 from subnets where cluster_id = ${cluster.id}`).toEqual([]);
  });

  it('stays when a user reserves an address in it during the sync', async () => {
    const { sync, sql, cluster } = fixture;
    const prefix = await apps();
    dropFromSdn();
    let run: ReturnType<typeof sync> | undefined;
    await sqlClient().begin(async (tx) => {
      await tx`select 1 from networks where id = ${prefix.network_id} for share`;
      await tx`
        insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, state, source)
        values (${newId()}, ${cluster.id}, ${prefix.network_id}, ${prefix.id}, '10.60.10.77', 'reserved', 'manual')`;
      run = sync();
      let ended = false;
      const end = () => {
        ended = true;
      };
      run.then(end, end);
      const isWaiting = async () =>
        (
          await sqlClient()`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        ).length > 0;
      while (!ended && !(await isWaiting()));
      expect(ended).toBe(false);
    });
    expect(await run).toMatchObject({ status: 'ok', counters: { sdn: { removed: 1 } } });
    expect(await sql`select host(address) as address from ip_addresses where cluster_id = ${cluster.id}`).toEqual([
      { address: '10.60.10.77' },
    ]);
  });
});

it('a prefix that came to the SDN takes the addresses that it contains', async () => {
  const { sync, sql, cluster } = fixture;
  const { id, network_id } = await findPrefix('10.60.10.0/24');
  await sql`delete from subnets where id = ${id}`;
  const wide = { id: newId(), network_id, cidr: '10.60.0.0/16' };
  await sql`
    insert into subnets (id, cluster_id, network_id, cidr, source)
    values (${wide.id}, ${cluster.id}, ${network_id}, ${wide.cidr}, 'manual')`;
  await addAddress(wide, '10.60.10.200');
  await addAddress(wide, '10.60.11.200');
  expect((await sync()).counters.sdn).toMatchObject({ created: 1 });
  const homes = await sql`
    select host(a.address) as address, s.cidr::text from ip_addresses a join subnets s on s.id = a.subnet_id
    where a.cluster_id = ${cluster.id} order by a.address`;
  expect(homes).toEqual([
    { address: '10.60.10.200', cidr: '10.60.10.0/24' },
    { address: '10.60.11.200', cidr: '10.60.0.0/16' },
  ]);
});

it('a workload stays the same when the SMBIOS uuid goes or comes', async () => {
  const { sync, settle, control, workload } = fixture;
  const before = await workload(100);
  for (const smbios1 of ['serial=abc', 'uuid=5b1c3f0a-7d5e-4a53-9d3e-0a9c6f0e1d22,serial=abc']) {
    control.setConfig(100, { smbios1 });
    await settle();
    expect((await sync()).counters.interfaces).toMatchObject({ removed: 0 });
    expect(await workload(100)).toMatchObject({ id: before.id, nics: before.nics });
  }
});

describe('a token that lost a privilege', () => {
  const revokePrivilege = (privilege: string) => {
    const { state, tokens } = fixture.control;
    const subject = tokens.manager.split('=')[0] ?? '';
    const roles = state.access.entries.filter((entry) => entry.subject === subject).map(({ role }) => role);
    const rest = roles.flatMap((role) => state.access.roles.get(role) ?? []).filter((name) => name !== privilege);
    state.access.revoke(subject);
    state.access.addRole('Rest', [...new Set(rest)]);
    state.access.grant({ path: '/', subject, role: 'Rest', propagate: true });
  };

  it.each([[true], [false]])(
    'proves no absence without Sys.Audit, whether there is quorum (%s) or not',
    async (quorate) => {
      const { sync, settle, control, workload } = fixture;
      revokePrivilege('Sys.Audit');
      control.destroyGuest(105);
      control.setQuorum(quorate);
      await settle();
      const run = await sync();
      expect(run.status).toBe('ok');
      expect(run.errors.filter(({ stage }) => stage === 'guests')).toMatchObject([
        {
          code: 'incomplete',
          message: expect.stringContaining('Sys.Audit'),
          remedy: expect.stringContaining('PVEAuditor'),
        },
      ]);
      expect((await workload(105)).missing_since).not.toBeNull();
    },
  );

  it('keeps zones and VLAN tags without SDN.Audit', async () => {
    const { sync, sql, cluster } = fixture;
    const vnets = () => sql`
      select name, zone, vlan_tag, alias, missing_since from networks
      where cluster_id = ${cluster.id} and kind = 'vnet' order by name`;
    const before = await vnets();
    revokePrivilege('SDN.Audit');
    expect((await sync()).errors).toContainEqual(expect.objectContaining({ stage: 'sdn', code: 'incomplete' }));
    expect(await vnets()).toEqual(before);
  });
});
