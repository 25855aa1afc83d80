import type { CompileFailure } from '@/domain/firewall/compile-failure';
import { formatCompileFailures } from '@/domain/firewall/compile-failure-text';
import type { UnreadableNote } from '@/domain/firewall/snapshot';
import type { NodeCompileFailure } from '@/domain/inventory';
import { db } from '../../db/client';
import { listNodeRulesets } from '../../inventory/queries/nodes';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';

/** A node whose firewall cannot be compiled, as those see it who may see the whole installation. */
export type FailingNode = NodeCompileFailure & {
  readonly node_id: string;
  readonly cluster_id: string;
  readonly node_name: string;
};

type Ruleset = Awaited<ReturnType<typeof listNodeRulesets>>[number];

/**
 * What the node's agent says about it. Other programs change the packet filter too, so a change does not prove that the
 * compile succeeded.
 */
function agentEvidence(since: string, agent: Ruleset): NodeCompileFailure['agent_evidence'] {
  const { agent_status, last_heartbeat_at, nftables_ruleset_hash, ruleset_changed_at } = agent;
  // A stale agent confirms nothing: the last report was before what may have changed.
  if (agent_status !== 'ok' && agent_status !== 'degraded') return 'none';
  if (last_heartbeat_at === null || nftables_ruleset_hash === null || last_heartbeat_at < since) return 'none';
  if (agent.service_running === false) return 'service_stopped';
  return ruleset_changed_at !== null && ruleset_changed_at > since ? 'ruleset_changed_since' : 'ruleset_unchanged';
}

function withWorkloadNames(
  firewall: FirewallState,
  clusterId: string,
  failures: readonly CompileFailure[],
): NodeCompileFailure['failures'] {
  const workloads = new Map(
    [...firewall.inputs.workloads.values()]
      .filter((workload) => workload.cluster_id === clusterId)
      .map((workload) => [workload.vmid, workload]),
  );
  return failures.map((failure) => {
    const workload = failure.vmid === undefined ? undefined : workloads.get(failure.vmid);
    return { ...failure, workload_id: workload?.id ?? null, workload_name: workload?.name ?? null };
  });
}

/** Nodes whose stored firewall cannot be compiled, so they keep the old rules active. At most two queries. */
export async function listFailingNodes(): Promise<FailingNode[]> {
  const firewall = await readFirewallState();
  const failing = [...firewall.snapshots.clusters].flatMap(([cluster_id, { state }]) =>
    Object.entries(state.nodes ?? {}).flatMap(([node_name, { compile_failure }]) =>
      compile_failure ? [{ cluster_id, node_name, ...compile_failure }] : [],
    ),
  );
  if (failing.length === 0) return [];
  const rulesets = await listNodeRulesets(db, [...new Set(failing.map(({ cluster_id }) => cluster_id))]);
  return failing.flatMap(({ cluster_id, node_name, since, failures }) => {
    const agent = rulesets.find((node) => node.cluster_id === cluster_id && node.name === node_name);
    if (!agent) return [];
    const list = withWorkloadNames(firewall, cluster_id, failures);
    const findWorkloadName = (vmid: number) => list.find((failure) => failure.vmid === vmid)?.workload_name ?? null;
    const message = formatCompileFailures(node_name, failures, findWorkloadName);
    const agent_evidence = agentEvidence(since, agent);
    return [{ node_id: agent.node_id, cluster_id, node_name, since, message, agent_evidence, failures: list }];
  });
}

/** What decides whether the firewall of a node can be compiled. */
const COMPILED_PARTS: readonly UnreadableNote['part'][] = [
  'options',
  'rules',
  'ipsets',
  'aliases',
  'groups',
  'nodes',
  'node_options',
  'node_rules',
];

/** Ids of nodes of which the last snapshot does not show whether their firewall can be compiled. At most two queries. */
export async function listUncertainNodes(): Promise<string[]> {
  const { clusters } = (await readFirewallState()).snapshots;
  const isUncertain = (clusterId: string, name?: string) => {
    const state = clusters.get(clusterId)?.state;
    const nodes = Object.entries(state?.nodes ?? {}).filter(([node]) => name === undefined || node === name);
    const missing = (state?.unreadable ?? []).filter(({ part }) => COMPILED_PARTS.includes(part));
    return (
      nodes.some(([, { compile_unknown }]) => compile_unknown) ||
      missing.some(({ node }) => name === undefined || node === undefined || node === name)
    );
  };
  const uncertain = [...clusters.keys()].filter((id) => isUncertain(id));
  if (uncertain.length === 0) return [];
  const rulesets = await listNodeRulesets(db, uncertain);
  return rulesets.filter(({ cluster_id, name }) => isUncertain(cluster_id, name)).map(({ node_id }) => node_id);
}
