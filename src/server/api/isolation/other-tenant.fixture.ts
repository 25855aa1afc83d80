import { randomUUID } from 'node:crypto';
import { sqlClient } from '@/server/db/client';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { storeBatch } from '@/server/traffic/collector/store-batch';
import { makeExporter, makeSampledBatch } from '@/server/traffic/collector/testing/sampled-batch.fixture';
import { sumTraffic } from '@/server/traffic/flows/upkeep';
import { call } from '@/test/request';
import { PEER, THEIR_MAC, THEIR_TAPS } from './entangled.fixture';
import { changePlatformPolicies, observe } from './platform.fixture';
import { THEIR_MARK, type TwoTenants } from './two-tenants.fixture';

const KEPT = '<the peer>';

/** Says everything that is theirs in another way: ids, names, addresses, MAC addresses, VMIDs. */
function translator(ids: readonly string[]): (text: string) => string {
  const other = new Map(ids.map((id) => [id, randomUUID()]));
  const names: [RegExp, string][] = [
    [new RegExp(THEIR_MARK, 'g'), 'qqother'],
    [new RegExp(`${PEER.replaceAll('.', '\\.')}(?!\\d)`, 'g'), KEPT],
    [/\b10\.66\./g, '10.67.'],
    [/\b10\.64\.0\.0\/14\b/g, '10.64.0.0/15'],
    [/\b10\.65\.0\.64\/26\b/g, '10.65.0.64/27'],
    [new RegExp(THEIR_MAC, 'gi'), 'bc:24:11:77:00:77'],
    ...THEIR_TAPS.map((name): [RegExp, string] => [new RegExp(name, 'g'), name.replace(/\d+/, (n) => `14${n}`)]),
    [new RegExp(KEPT, 'g'), PEER],
  ];
  const anyId = new RegExp(ids.join('|'), 'g');
  return (text) =>
    names.reduce(
      (all, [from, to]) => all.replace(from, to),
      text.replace(anyId, (id) => other.get(id) ?? id),
    );
}

type Table = { name: string; columns: string[] };

const listTables = () => sqlClient()<Table[]>`
  select quote_ident(c.relname) as name, array_agg(quote_ident(a.attname)) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.attidentity <> 'a'
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'rate_limits' group by c.relname`;

/** They get more of everything: rules, groups, prefixes of our network, addresses in a prefix that we share with them, and traffic of their own. */
async function addTenantData({ theirs, ours, node, strangerNode }: TwoTenants): Promise<void> {
  await theirs.signIn();
  const make = async (path: string, headers: Record<string, string>, body: object) => {
    const answer = await call(path, { method: 'POST', headers, body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${await answer.text()}`);
  };
  await make('/security-groups', theirs.headers, { name: `${THEIR_MARK}-more`, member_tags: [`${THEIR_MARK}-tag`] });
  await make('/policies', theirs.headers, {
    name: `${THEIR_MARK}-more`,
    definition: { enforcement_mode: 'enforced', sources: ['any'], targets: [`sg:${THEIR_MARK}-more`] },
    priority: 1,
    rules: [{ action: 'drop', protocol: 'any' }],
  });
  const flows = [20, 21, 22].map((last) =>
    makeFlow({
      source_ip: `10.66.0.${last}`,
      destination_ip: '10.66.0.11',
      destination_port: 9_000 + last,
      bytes: 5_000_000,
    }),
  );
  await make('/agents/heartbeat', node, makeHeartbeat(flows, { sequence: 2 }));
  // An agent that lies about guests of other nodes, including our own: at their interfaces, and without one.
  const lies = [100, 102].flatMap((vmid) => {
    const seen = { source_ip: '203.0.113.200', destination_ip: vmid === 100 ? '10.65.0.10' : '10.66.0.10' };
    return [
      makeFlow({ ...seen, destination_port: 3389, interface: `tap${vmid}i0`, vmid, nic: 0 }),
      makeFlow({ ...seen, destination_port: 6379 }),
    ];
  });
  await make('/agents/heartbeat', strangerNode, makeHeartbeat(lies));
  await sumTraffic();
  const sampled = await makeExporter({ id: ours.ids.cluster ?? '' }, '192.0.2.68');
  const packets = [20, 21, 22].map((last) => ({ source_ip: `10.66.0.${last}`, destination_ip: '10.66.0.11' }));
  await storeBatch(makeSampledBatch(sampled, packets));
  const { cluster = '', network = '', subnet = '' } = ours.ids;
  await sqlClient()`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source, hostname)
    values (${randomUUID()}, ${cluster}, ${network}, ${subnet}, '10.65.0.200', ${theirs.ids.workload ?? ''}, 'manual',
      ${`${THEIR_MARK}-host-200`})`;
  const more = randomUUID();
  await sqlClient()`insert into subnets (id, cluster_id, network_id, cidr, source, description)
    values (${more}, ${cluster}, ${network}, '10.65.0.128/26', 'manual', ${`${THEIR_MARK}-more`})`;
  await sqlClient()`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source, hostname)
    values (${randomUUID()}, ${cluster}, ${network}, ${more}, '10.65.0.130', ${theirs.ids.workload ?? ''}, 'manual',
      ${`${THEIR_MARK}-host-130`})`;
}

/**
 * Turns the world into one that differs only in what our tenant may not see: everything of the other tenant gets
 * other ids, names, addresses and MAC addresses (and so another list order), and there is more of it. Facts our
 * tenant may see stay: the address of the peer that our workloads have conversations with, which addresses of a
 * shared prefix are in use, what filters our own guests.
 */
export async function replaceOtherTenant(tenants: TwoTenants): Promise<void> {
  const sql = sqlClient();
  await addTenantData(tenants);
  await changePlatformPolicies();
  await observe(tenants);
  const { theirs } = tenants;
  const { cluster: _, node: __, ...own } = theirs.ids;
  const secondary = await sql<{ id: string }[]>`select id from subnets where description like ${`${THEIR_MARK}-%`}
    union select id from ip_addresses where hostname like ${`${THEIR_MARK}-%`}`;
  const translate = translator([...Object.values(own), ...secondary.map(({ id }) => id)]);
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const { name, columns } of await listTables()) {
      const rows = await tx.unsafe<{ ctid: string; row: string }[]>(
        `select ctid::text, to_jsonb(t)::text as row from ${name} t`,
      );
      for (const { ctid, row } of rows) {
        const other = translate(row);
        if (other === row) continue;
        const list = columns.join(', ');
        await tx.unsafe(
          `update ${name} set (${list}) = (select ${list} from jsonb_populate_record(null::${name}, $1::text::jsonb)) where ctid = $2::tid`,
          [other, ctid],
        );
      }
    }
    // More of theirs: records between our own in the trail.
    await tx`update audit_records set seq = -seq * 3`;
    await tx`update audit_records set seq = -seq`;
    // Less of theirs: a policy that covers one of our addresses.
    await tx`delete from policies where name = ${'qqother-about-ours'}`;
  });
}
