import { and, asc, desc, eq, isNull, ne, sql } from 'drizzle-orm';
import type { RULE_PLACEMENTS } from '@/domain/choices';
import type { Owned } from '@/domain/permissions';
import type { CompilablePolicy } from '@/domain/policy/desired';
import type { MemberRule } from '@/domain/policy/group-members';
import type { IndexedWorkload, Inventory } from '@/domain/policy/inventory-index';
import type { TemporaryLog } from '@/domain/policy/temporary-log';
import type { TenantVisibility } from '@/domain/policy/tier';
import type { Executor } from '../../db/client';
import { rowStamp } from '../../db/row-stamp';
import { projects } from '../../db/schema/access';
import { ipAddresses } from '../../db/schema/addresses';
import { temporaryLogs } from '../../db/schema/changes';
import { clusters, nodes } from '../../db/schema/clusters';
import { policyPlacements } from '../../db/schema/deployments';
import { clusterFirewallSnapshots, guestFirewallSnapshots } from '../../db/schema/firewall-snapshots';
import { networks, subnets } from '../../db/schema/networks';
import { deployments, policies, securityGroupMembers, securityGroups, securityRules } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import { acceptedStamp } from './drifts';

export type InputPolicy = CompilablePolicy & {
  readonly name: string;
  readonly enabled: boolean;
  readonly tenant_visibility: TenantVisibility;
  readonly project_id: string | null;
};

export type InputWorkload = IndexedWorkload & {
  readonly project_id: string | null;
  readonly node_name: string | null;
  /** Whether its node filters with the new implementation; null: not known. */
  readonly nftables: boolean | null;
  readonly kind: 'qemu' | 'lxc';
  readonly external_id: string;
  readonly status: 'running' | 'stopped' | 'paused' | 'suspended' | 'unknown';
  readonly lock: string | null;
  readonly creation_fingerprint: string | null;
  readonly missing_since: string | null;
};

export type InputCluster = {
  readonly id: string;
  readonly name: string;
  readonly rule_placement: (typeof RULE_PLACEMENTS)[number];
  /** As of the last sync; null: not readable. */
  readonly firewall_enabled: boolean | null;
  /** What the token lacks to write, as of the last sync; null: not known. */
  readonly missing_write_privileges: readonly string[] | null;
  readonly has_api_token: boolean;
};

/** A group with what decides who its members are. */
export type InputGroup = Owned & MemberRule & { readonly id: string; readonly name: string };

/** A policy that was deployed and is deleted, with its owner then. */
export type GonePolicy = Owned & { readonly id: string };

export type PolicyInputRows = {
  policies: InputPolicy[];
  clusters: InputCluster[];
  workloads: InputWorkload[];
  groups: InputGroup[];
  networks: Inventory['networks'];
  gone: GonePolicy[];
  /** Rules that are logged until their change is confirmed or rolled back. */
  logs: TemporaryLog[];
};

const readWorkloads = (executor: Executor) =>
  executor
    .select({
      id: workloads.id,
      cluster_id: workloads.cluster_id,
      node_name: nodes.name,
      nftables: nodes.nftables,
      vmid: workloads.vmid,
      kind: workloads.kind,
      external_id: workloads.external_id,
      name: workloads.name,
      status: workloads.status,
      template: workloads.template,
      tags: workloads.tags,
      lock: workloads.lock,
      creation_fingerprint: workloads.creation_fingerprint,
      missing_since: workloads.missing_since,
      tenant_id: projects.tenant_id,
      project_id: workloads.project_id,
    })
    .from(workloads)
    .leftJoin(nodes, eq(nodes.id, workloads.node_id))
    .leftJoin(projects, eq(projects.id, workloads.project_id));

// An address in conflict stays with the workload that had it first: otherwise any workload could claim it and take it
// over.
const readAddresses = (executor: Executor) =>
  executor
    .select({
      workload_id: sql<string>`${ipAddresses.workload_id}`,
      subnet_id: ipAddresses.subnet_id,
      address: sql<string>`host(${ipAddresses.address})`,
    })
    .from(ipAddresses)
    .where(sql`${ipAddresses.workload_id} is not null and ${ne(ipAddresses.state, 'stale')}`)
    .orderBy(asc(ipAddresses.address), asc(ipAddresses.subnet_id));

const readRules = (executor: Executor) =>
  executor
    .select({
      policy_id: securityRules.policy_id,
      position: securityRules.position,
      action: securityRules.action,
      protocol: securityRules.protocol,
      destination_ports: securityRules.destination_ports,
      source_ports: securityRules.source_ports,
      icmp_type: securityRules.icmp_type,
      log: securityRules.log,
      enabled: securityRules.enabled,
      comment: securityRules.comment,
    })
    .from(securityRules)
    .orderBy(asc(securityRules.policy_id), asc(securityRules.position));

const readPolicies = (executor: Executor) =>
  executor
    .select({
      id: policies.id,
      name: policies.name,
      enabled: policies.enabled,
      version: policies.version,
      rules_version: policies.rules_version,
      tenant_id: policies.tenant_id,
      tier: policies.tier,
      tenant_visibility: policies.tenant_visibility,
      project_id: policies.project_id,
      priority: policies.priority,
      created_at: policies.created_at,
      definition: policies.definition,
    })
    .from(policies);

const readClusters = (executor: Executor) =>
  executor
    .select({
      id: clusters.id,
      name: clusters.name,
      rule_placement: clusters.rule_placement,
      firewall_enabled: clusters.firewall_enabled,
      missing_write_privileges: clusters.missing_write_privileges,
      has_api_token: sql<boolean>`${clusters.api_token_encrypted} is not null`,
    })
    .from(clusters)
    .orderBy(asc(clusters.name));

/** Their rules may be live still, or again: whose these are decides who may read them. */
const readDeletedPolicies = (executor: Executor): Promise<GonePolicy[]> =>
  executor
    .selectDistinctOn([deployments.policy_id], {
      id: deployments.policy_id,
      tenant_id: deployments.tenant_id,
      project_id: deployments.project_id,
    })
    .from(deployments)
    .leftJoin(policies, eq(policies.id, deployments.policy_id))
    .where(and(isNull(policies.id), ne(deployments.kind, 'removal')))
    .orderBy(deployments.policy_id, desc(deployments.created_at));

const readTemporaryLogs = (executor: Executor): Promise<TemporaryLog[]> =>
  executor
    .select({
      policy_id: temporaryLogs.policy_id,
      workload_id: temporaryLogs.workload_id,
      level: temporaryLogs.level,
      rule_hashes: temporaryLogs.rule_hashes,
    })
    .from(temporaryLogs);

/** The tenants and projects that have addresses in a subnet, by the subnet's id. */
function groupSubnetOwners(
  addresses: readonly { workload_id: string; subnet_id: string }[],
  workloadRows: readonly { id: string; tenant_id: string | null; project_id: string | null }[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const ownersOf = new Map(
    workloadRows.map(({ id, tenant_id, project_id }) => [
      id,
      [tenant_id, project_id].filter((owner) => owner !== null),
    ]),
  );
  const found = new Map<string, Set<string>>();
  for (const { workload_id, subnet_id } of addresses) {
    const known = found.get(subnet_id) ?? new Set<string>();
    for (const owner of ownersOf.get(workload_id) ?? []) known.add(owner);
    if (known.size > 0) found.set(subnet_id, known);
  }
  return found;
}

function toNetworkCidrs(
  rows: readonly { id: string; cidr: string }[],
  owners: ReadonlyMap<string, ReadonlySet<string>>,
): Pick<Inventory['networks'][number], 'cidrs' | 'cidrs_of_owners'> {
  const ofOwners: Record<string, string[]> = {};
  for (const { id, cidr } of rows) {
    for (const owner of owners.get(id) ?? []) ofOwners[owner] = [...(ofOwners[owner] ?? []), cidr];
  }
  return { cidrs: rows.map(({ cidr }) => cidr), cidrs_of_owners: ofOwners };
}

/**
 * Everything that decides which rules policies want, for all clusters. Eleven queries, whatever there is; give it a
 * transaction that sees one state (repeatable read), or a policy may come with rules of another version.
 * @param moves workloads that have another owner than the stored one, by ID
 */
export async function readPolicyInputs(
  executor: Executor,
  moves: ReadonlyMap<string, Owned> = new Map(),
): Promise<PolicyInputRows> {
  const [
    policyRows,
    ruleRows,
    clusterRows,
    storedWorkloads,
    addressRows,
    groupRows,
    memberRows,
    networkRows,
    subnetRows,
    gone,
    logs,
  ] = await Promise.all([
    readPolicies(executor),
    readRules(executor),
    readClusters(executor),
    readWorkloads(executor),
    readAddresses(executor),
    executor
      .select({
        id: securityGroups.id,
        name: securityGroups.name,
        tenant_id: securityGroups.tenant_id,
        project_id: securityGroups.project_id,
        member_tags: securityGroups.member_tags,
        member_tags_match: securityGroups.member_tags_match,
      })
      .from(securityGroups),
    executor
      .select({
        security_group_id: securityGroupMembers.security_group_id,
        workload_id: securityGroupMembers.workload_id,
      })
      .from(securityGroupMembers),
    executor.select({ id: networks.id, cluster_id: networks.cluster_id, name: networks.name }).from(networks),
    executor.select({ id: subnets.id, network_id: subnets.network_id, cidr: subnets.cidr }).from(subnets),
    readDeletedPolicies(executor),
    readTemporaryLogs(executor),
  ]);
  const workloadRows = storedWorkloads.map((row) => ({ ...row, ...moves.get(row.id) }));
  const rules = groupBy(ruleRows, (row) => row.policy_id);
  const addresses = groupBy(addressRows, (row) => row.workload_id);
  const members = groupBy(memberRows, (row) => row.security_group_id);
  const cidrs = groupBy(subnetRows, (row) => row.network_id);
  const owners = groupSubnetOwners(addressRows, workloadRows);
  const inventory = workloadRows.map((row) => ({
    ...row,
    addresses: (addresses.get(row.id) ?? []).map(({ address }) => address),
  }));
  return {
    policies: policyRows.map((row) => ({
      ...row,
      rules: (rules.get(row.id) ?? []).map(({ policy_id: _, ...rule }) => rule),
    })),
    clusters: clusterRows,
    workloads: inventory,
    groups: groupRows.map((group) => ({
      ...group,
      added: (members.get(group.id) ?? []).map(({ workload_id }) => workload_id),
    })),
    networks: networkRows.map((row) => ({ ...row, ...toNetworkCidrs(cidrs.get(row.id) ?? [], owners) })),
    gone,
    logs,
  };
}

export type PolicyInputsStamp = { inputs: string; placed: string; snapshots: string; accepted: string };

/**
 * `inputs` changes whenever anything changes that `readPolicyInputs` reads, `placed` whenever it is recorded what
 * was applied where, `snapshots` whenever guests or clusters were read again, `accepted` whenever drift is accepted or an
 * acceptance ends. One query. Totals of the rows'
 * transaction numbers also detect a change that began earlier and was committed later than one already seen; for
 * clusters and nodes, whose rows change often, only the relevant values count.
 */
export async function policyInputsStamp(executor: Executor): Promise<PolicyInputsStamp> {
  const tables = [
    policies,
    securityRules,
    workloads,
    projects,
    ipAddresses,
    securityGroups,
    securityGroupMembers,
    networks,
    subnets,
    temporaryLogs,
  ];
  const clusterText = sql`(select md5(string_agg(concat_ws(' ', id, name, rule_placement, firewall_enabled,
    missing_write_privileges, api_token_encrypted is not null), ',' order by id)) from ${clusters})`;
  const nodeText = sql`(select md5(string_agg(concat_ws(' ', id, name, nftables), ',' order by id)) from ${nodes})`;
  const parts = [...tables.map(rowStamp), clusterText, nodeText];
  const rows = await executor.execute<PolicyInputsStamp>(
    sql`select concat_ws('/', ${sql.join(parts, sql`, `)}) as inputs, ${rowStamp(policyPlacements)} as placed,
      concat_ws('/', ${rowStamp(guestFirewallSnapshots)}, ${rowStamp(clusterFirewallSnapshots)}) as snapshots,
      ${acceptedStamp(clock.now())} as accepted`,
  );
  return rows[0] ?? { inputs: '', placed: '', snapshots: '', accepted: '' };
}
