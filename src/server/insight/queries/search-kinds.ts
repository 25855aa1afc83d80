import { type AnyColumn, and, eq, type SQL, sql } from 'drizzle-orm';
import { getReachableTenants, type Reach } from '@/domain/permissions';
import type { SearchKind } from '@/domain/search/search';
import { db } from '../../db/client';
import { projects, roles, tenants, users } from '../../db/schema/access';
import { ipAddresses } from '../../db/schema/addresses';
import { changes } from '../../db/schema/changes';
import { clusters, nodes } from '../../db/schema/clusters';
import { networks, subnets } from '../../db/schema/networks';
import { policies, securityGroups } from '../../db/schema/policies';
import { policyTests } from '../../db/schema/policy-tests';
import { apiTokens } from '../../db/schema/sign-in';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { changeTitle } from '../../enforcement/queries/change-list';
import { changeInReach } from '../../enforcement/queries/changes';
import { policyInReach } from '../../enforcement/queries/policies';
import { testInReach } from '../../enforcement/queries/policy-tests';
import { groupInReach } from '../../enforcement/queries/security-groups';
import { addressInReach, networkInReach, subnetInReach } from '../../inventory/queries/ipam-reach';
import { primaryAddress } from '../../inventory/queries/workloads';
import { ownedInReach, tenantInReach, workloadInReach } from '../../tenancy/queries/tenant-reach';

/** Where a session holds each permission; absent where it does not. */
export type SearchReach = {
  workloads?: Reach;
  addresses?: Reach;
  policies?: { reach: Reach; touching: readonly string[] };
  policyTests?: Reach;
  groups?: Reach;
  projects?: Reach;
  tenants?: Reach;
  clusters?: true;
  users?: true;
  roles?: true;
  /** API tokens of this user; those of everyone with `users`. */
  ownTokens?: string;
};

type Text = AnyColumn | SQL;

/** Where things of one kind are read. */
export type Source = {
  kind: SearchKind;
  from: SQL;
  id: AnyColumn | SQL;
  name: Text;
  place?: Text;
  parent?: Text;
  address?: SQL;
  /** Names that other words are searched in as well, such as an external id. */
  also?: readonly Text[];
  /** Of `also`, what is shown beside the name when it matched. */
  shown?: readonly Text[];
  reach: SQL | undefined;
};

const joined = (table: SQL, on: SQL) => sql`left join ${table} on ${on}`;
const tenantName = (column: AnyColumn) => sql`(select ${tenants.name} from ${tenants} where ${eq(tenants.id, column)})`;

/** Visible things with a name, one source for each kind. */
export function listSearchSources(within: SearchReach): Source[] {
  const ofCluster = (column: AnyColumn) => joined(sql`${clusters}`, eq(clusters.id, column));
  return [
    within.workloads !== undefined && {
      kind: 'workload' as const,
      from: sql`${workloads} ${ofCluster(workloads.cluster_id)}`,
      id: workloads.id,
      name: workloads.name,
      place: clusters.name,
      address: primaryAddress,
      also: [workloads.external_id],
      shown: [sql`(select string_agg(tag, ', ') from unnest(${workloads.tags}) as tag)`],
      reach: workloadInReach(within.workloads),
    },
    within.policies && {
      kind: 'policy' as const,
      from: sql`${policies}`,
      id: policies.id,
      name: policies.name,
      place: tenantName(policies.tenant_id),
      shown: [policies.description],
      reach: policyInReach(within.policies.reach, within.policies.touching),
    },
    within.policyTests !== undefined && {
      kind: 'policy_test' as const,
      from: sql`${policyTests}`,
      id: policyTests.id,
      name: policyTests.name,
      place: tenantName(policyTests.tenant_id),
      shown: [policyTests.reason],
      reach: testInReach(within.policyTests),
    },
    within.policies && {
      kind: 'change' as const,
      from: sql`${changes}`,
      id: changes.id,
      name: changeTitle(within.policies.reach),
      place: changes.state,
      also: [sql`replace(${changes.state}, '_', ' ')`],
      reach: changeInReach(db, within.policies.reach),
    },
    within.groups !== undefined && {
      kind: 'security_group' as const,
      from: sql`${securityGroups}`,
      id: securityGroups.id,
      name: securityGroups.name,
      place: tenantName(securityGroups.tenant_id),
      shown: [securityGroups.description],
      reach: groupInReach(within.groups),
    },
    within.clusters && {
      kind: 'cluster' as const,
      from: sql`${clusters}`,
      id: clusters.id,
      name: clusters.name,
      shown: [clusters.api_url],
      reach: undefined,
    },
    within.clusters && {
      kind: 'node' as const,
      from: sql`${nodes} ${ofCluster(nodes.cluster_id)}`,
      id: nodes.id,
      name: nodes.name,
      place: clusters.name,
      shown: [sql`host(${nodes.address})`],
      reach: undefined,
    },
    within.addresses !== undefined && {
      kind: 'network' as const,
      from: sql`${networks} ${ofCluster(networks.cluster_id)}`,
      id: networks.id,
      name: networks.name,
      place: clusters.name,
      shown: [networks.alias, networks.description],
      reach: networkInReach(within.addresses),
    },
    within.projects !== undefined && {
      kind: 'project' as const,
      from: sql`${projects}`,
      id: projects.id,
      name: projects.name,
      place: tenantName(projects.tenant_id),
      parent: projects.tenant_id,
      reach: ownedInReach({ tenant_id: projects.tenant_id, project_id: projects.id }, within.projects),
    },
    within.tenants !== undefined && {
      kind: 'tenant' as const,
      from: sql`${tenants}`,
      id: tenants.id,
      name: tenants.name,
      shown: [tenants.description],
      reach: tenantInReach(tenants.id, getReachableTenants(within.tenants)),
    },
    within.users && {
      kind: 'user' as const,
      from: sql`${users}`,
      id: users.id,
      name: users.email,
      shown: [users.name],
      reach: undefined,
    },
    (within.users || within.ownTokens !== undefined) && {
      kind: 'api_token' as const,
      from: sql`${apiTokens} join ${users} on ${eq(users.id, apiTokens.user_id)}`,
      id: apiTokens.id,
      name: apiTokens.name,
      place: users.email,
      parent: apiTokens.user_id,
      reach: within.users ? undefined : eq(apiTokens.user_id, within.ownTokens ?? ''),
    },
    within.roles && {
      kind: 'role' as const,
      from: sql`${roles}`,
      id: roles.id,
      name: roles.title,
      also: [roles.name],
      reach: undefined,
    },
  ].filter((source) => typeof source === 'object');
}

/** Visible prefixes. */
export const prefixSource = (reach: Reach): Source => ({
  kind: 'subnet',
  from: sql`${subnets} join ${networks} on ${eq(networks.id, subnets.network_id)} join ${clusters} on ${eq(clusters.id, subnets.cluster_id)}`,
  id: subnets.id,
  name: sql`${subnets.cidr}::text`,
  place: sql`${networks.name} || ' · ' || ${clusters.name}`,
  shown: [subnets.description],
  reach: subnetInReach(reach),
});

/** Visible addresses. */
export const addressSource = (reach: Reach): Source => ({
  kind: 'ip_address',
  from: sql`${ipAddresses} join ${networks} on ${eq(networks.id, ipAddresses.network_id)}
    left join ${workloads} on ${eq(workloads.id, ipAddresses.workload_id)}`,
  id: ipAddresses.id,
  name: sql`host(${ipAddresses.address})`,
  place: sql`concat_ws(' · ', ${ipAddresses.hostname}, ${workloads.name}, ${networks.name})`,
  reach: addressInReach(reach),
});

/** Visible VLANs: those of networks and prefixes, and those that interfaces set on a network. */
export function vlanSource(reach: Reach, tag: string): Source {
  const isTag = (column: AnyColumn) => sql`${column} = ${tag}::int`;
  const found = sql`(select ${networks.id} as id, ${networks.vlan_tag} as tag from ${networks}
      where ${and(isTag(networks.vlan_tag), networkInReach(reach))}
    union select ${subnets.network_id}, ${subnets.vlan_tag} from ${subnets} where ${and(isTag(subnets.vlan_tag), subnetInReach(reach))}
    union select ${workloadInterfaces.network_id}, ${workloadInterfaces.vlan_tag} from ${workloadInterfaces}
      join ${workloads} on ${eq(workloads.id, workloadInterfaces.workload_id)}
      where ${and(sql`${workloadInterfaces.network_id} is not null`, isTag(workloadInterfaces.vlan_tag), workloadInReach(reach))})`;
  return {
    kind: 'vlan',
    from: sql`${found} as vlan join ${networks} on ${networks.id} = vlan.id join ${clusters} on ${eq(clusters.id, networks.cluster_id)}`,
    id: sql.raw('vlan.id'),
    name: sql.raw('vlan.tag::text'),
    place: sql`${networks.name} || ' · ' || ${clusters.name}`,
    reach: undefined,
  };
}
