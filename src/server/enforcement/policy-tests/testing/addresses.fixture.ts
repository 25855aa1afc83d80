import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import type { PolicyLab } from '../../policies/testing/policy-lab.fixture';

/** Gives workloads of a lab these addresses, as if someone had entered them. */
export async function assignAddresses(
  lab: Pick<PolicyLab, 'cluster' | 'id'>,
  addresses: Readonly<Record<number, string>>,
): Promise<void> {
  const sql = sqlClient();
  const [network] = await sql<
    { id: string }[]
  >`select id from networks where cluster_id = ${lab.cluster.id} order by name limit 1`;
  const network_id = network?.id ?? '';
  for (const [vmid, address] of Object.entries(addresses)) {
    const cidr = address.replace(/\.\d+$/, '.0/24');
    await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (${newId()}, ${lab.cluster.id}, ${network_id}, ${cidr}, 'manual') on conflict do nothing`;
    const [subnet] = await sql<
      { id: string }[]
    >`select id from subnets where network_id = ${network_id} and cidr = ${cidr}`;
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (${newId()}, ${lab.cluster.id}, ${network_id}, ${subnet?.id ?? ''}, ${address}, ${await lab.id(Number(vmid))}, 'manual')`;
  }
}
