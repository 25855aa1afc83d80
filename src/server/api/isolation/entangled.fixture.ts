import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { storeBatch } from '@/server/traffic/collector/store-batch';
import { makeExporter, makeSampledBatch } from '@/server/traffic/collector/testing/sampled-batch.fixture';
import { sumTraffic } from '@/server/traffic/flows/upkeep';
import { call } from '@/test/request';
import { addPlatformPolicies } from './platform.fixture';
import type { TwoTenants } from './two-tenants.fixture';

type Sql = ReturnType<typeof sqlClient>;

/** A MAC address of a guest of theirs. */
export const THEIR_MAC = 'bc:24:11:66:00:66';
/**
 * An address of the other tenant that our workloads have conversations with, so our tenant knows it. Every other
 * address in 10.66.0.0/16 is unknown to our tenant.
 */
export const PEER = '10.66.0.10';
/** Names of interfaces on the node of guests of theirs. */
export const THEIR_TAPS = ['tap102i0', 'veth105i0'];
const THEIR_VMIDS = [102, 105];

/** What `source` holds as rows, copied with other values in some columns. */
const insertConflict = (sql: Sql, tenants: TwoTenants, values: Record<string, unknown>) =>
  sql`insert into ipam_conflicts ${sql({
    id: newId(),
    cluster_id: tenants.ours.ids.cluster ?? '',
    key: newId(),
    network_id: tenants.ours.ids.network ?? '',
    ...values,
  })}`;

/**
 * Everything in which two tenants meet: conversations with each other, seen at the interfaces of both; prefixes of
 * one network; a claim to the same address; a guest that moved from our tenant to theirs; policies of both on the
 * same address.
 */
export async function entangle(tenants: TwoTenants): Promise<void> {
  const sql = sqlClient();
  const { ours, theirs } = tenants;
  const [their, own] = [theirs.ids, ours.ids];
  const flows = [
    ...THEIR_TAPS.map((name, i) =>
      makeFlow({
        source_ip: PEER,
        destination_ip: '10.65.0.10',
        source_port: 50_000 + i,
        destination_port: 8443,
        interface: name,
        vmid: THEIR_VMIDS[i] ?? 0,
        nic: 0,
      }),
    ),
    makeFlow({
      source_ip: '10.65.0.10',
      destination_ip: PEER,
      destination_port: 5432,
      interface: 'tap100i0',
      vmid: 100,
      nic: 0,
    }),
  ];
  const answer = await call('/agents/heartbeat', {
    method: 'POST',
    headers: tenants.node,
    body: makeHeartbeat(flows, { sequence: 1 }),
  });
  if (answer.status >= 300) throw new Error(await answer.text());
  await sumTraffic();
  const sampled = await makeExporter({ id: own.cluster ?? '' }, '192.0.2.67');
  await storeBatch(
    makeSampledBatch(sampled, [
      { source_ip: PEER, destination_ip: '10.65.0.10', destination_port: 8443 },
      { source_ip: '10.65.0.10', destination_ip: PEER, destination_port: 5432 },
      { source_ip: PEER, destination_ip: '203.0.113.66' },
    ]),
  );

  // Prefixes of our network without our addresses: one around our prefix, one inside it with an address of theirs.
  const around = newId();
  const inside = newId();
  await sql`insert into subnets (id, cluster_id, network_id, cidr, source, description) values
    (${around}, ${own.cluster ?? ''}, ${own.network ?? ''}, '10.64.0.0/14', 'manual', 'zzb-around'),
    (${inside}, ${own.cluster ?? ''}, ${own.network ?? ''}, '10.65.0.64/26', 'manual', 'zzb-inside')`;
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source, hostname, mac)
    values (${newId()}, ${own.cluster ?? ''}, ${own.network ?? ''}, ${inside}, '10.65.0.70', ${their.workload ?? ''}, 'manual',
      'zzb-host-70', ${THEIR_MAC})`;
  await sql`update workload_interfaces set mac = ${THEIR_MAC} where id = ${their.interface ?? ''}`;
  await insertConflict(sql, tenants, {
    kind: 'duplicate_address',
    ip_address_id: own.ip_address ?? '',
    address: '10.65.0.10',
    workload_id: own.workload ?? '',
    other_workload_id: their.workload ?? '',
    other_interface_name: 'zzb-eth',
    other_mac: THEIR_MAC,
    other_source: 'discovered',
  });
  await insertConflict(sql, tenants, {
    kind: 'duplicate_address',
    ip_address_id: their.ip_address ?? '',
    address: '10.65.0.99',
    mac: THEIR_MAC,
    workload_id: their.workload ?? '',
    other_workload_id: own.workload ?? '',
    other_interface_name: 'net0',
  });
  await insertConflict(sql, tenants, {
    kind: 'duplicate_mac',
    mac: 'bc:24:11:65:00:65',
    workload_id: their.workload ?? '',
    other_workload_id: own.workload ?? '',
    interface_name: 'zzb-eth',
    other_mac: 'bc:24:11:65:00:65',
  });
  // A policy of the other tenant that covers one of our addresses.
  await theirs.signIn();
  const made = await call('/policies', {
    method: 'POST',
    headers: theirs.headers,
    body: {
      name: 'zzb-about-ours',
      definition: { enforcement_mode: 'enforced', sources: ['10.65.0.10'], targets: ['sg:zzb-group'] },
      rules: [{ action: 'drop', protocol: 'any' }],
    },
  });
  if (made.status >= 300) throw new Error(await made.text());
  await addPlatformPolicies(tenants);
  // A guest that was in our group when it moved to them.
  await sql`insert into security_group_members (security_group_id, workload_id)
    values (${own.security_group ?? ''}, ${their.other_workload ?? ''}) on conflict do nothing`;
}
