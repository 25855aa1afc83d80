import type { FlowGroup } from '@/domain/flow/flow-sums';
import { getServicePort } from '@/domain/flow/service-port';
import { paths } from '@/lib/paths';

type End = {
  workload_id?: string | null;
  /** Several together; used without `workload_id`. */
  workload_ids?: readonly string[];
  address?: string | null;
};

/** One workload, or several as a list. */
const formatIds = (end: End | undefined) => end?.workload_id ?? (end?.workload_ids?.join(',') || null);

/** The traffic that a policy shall be drafted for: who called which service. What is not known is left out. */
export type DraftSeed = {
  source?: End;
  destination?: End;
  protocol?: string | null;
  port?: number | null;
  icmp_type?: number | null;
  /** Set where a workload at both ends needs the rule. */
  direction?: 'both' | null;
  /** What was observed of it. */
  action?: string;
};

/** `allow`: a rule that accepts it. `as_observed`: a rule for what is done with it now. */
export type DraftKind = 'allow' | 'as_observed';

const RULE_OF: Readonly<Record<string, 'drop' | 'reject'>> = { dropped: 'drop', rejected: 'reject' };

/** The page of a new policy, with a draft for the traffic. */
export function draftPath(seed: DraftSeed, kind: DraftKind): string {
  const { source, destination, protocol, port, icmp_type, direction, action = '' } = seed;
  return paths.newPolicy({
    draft: true,
    source_workload_id: formatIds(source),
    source: source?.address,
    destination_workload_id: formatIds(destination),
    destination: destination?.address,
    protocol,
    port,
    icmp_type,
    direction,
    action: kind === 'as_observed' ? RULE_OF[action] : null,
  });
}

/** The page of a new policy for these workloads: a group, or one workload alone. */
export const draftPathFor = (target: { security_group_id: string } | { workload_id: string }): string =>
  paths.newPolicy({
    draft: true,
    ...('workload_id' in target ? { only_workload_id: target.workload_id } : target),
  });

type FlowLike = {
  source_ip: string;
  destination_ip: string;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  protocol: string;
  source_port: number | null;
  destination_port: number | null;
  initiator?: 'source' | 'destination' | null;
  icmp_type?: number | null;
  action: string;
  rules_say?: { action: string; workload_id: string | null } | null | undefined;
};

/** Echo replies with the requests that they answer. */
const REQUEST_OF: Readonly<Record<string, number>> = { 'icmp 0': 8, 'icmpv6 129': 128 };

/** The rules of the client's own firewall deny it: a rule at the server alone would not let it pass. */
const isDeniedAtClient = ({ rules_say }: Pick<FlowLike, 'rules_say'>, client: string | null) =>
  client !== null &&
  rules_say?.workload_id === client &&
  (rules_say.action === 'dropped' || rules_say.action === 'rejected');

/** The conversation of a flow, from its client to its server: replies are turned around. */
export function toFlowSeed(flow: FlowLike): DraftSeed {
  const { service_port, reply } = getServicePort(flow);
  const request = REQUEST_OF[`${flow.protocol} ${flow.icmp_type}`];
  const [client, server] = reply || request !== undefined ? END_PAIRS.reply : END_PAIRS.request;
  const clientId = flow[`${client}_workload_id`];
  const serverId = flow[`${server}_workload_id`];
  return {
    source: { workload_id: clientId, address: flow[`${client}_ip`] },
    destination: { workload_id: serverId, address: flow[`${server}_ip`] },
    protocol: flow.protocol,
    port: service_port,
    icmp_type: request ?? flow.icmp_type ?? null,
    direction: serverId !== null && isDeniedAtClient(flow, clientId) ? 'both' : null,
    action: flow.action,
  };
}

const END_PAIRS = { request: ['source', 'destination'], reply: ['destination', 'source'] } as const;

type GroupLike = Pick<
  FlowGroup,
  | 'source_workload_id'
  | 'source_ip'
  | 'source_cidr'
  | 'destination_workload_id'
  | 'destination_ip'
  | 'destination_cidr'
  | 'protocol'
  | 'port'
  | 'action'
>;
type Ends = { source_workload_id?: string | undefined; destination_workload_id?: string | undefined };

/** The traffic of a row of totals. An end that is not part of it is known where the list is narrowed down to one workload. */
export function toGroupSeed(group: GroupLike, { source_workload_id, destination_workload_id }: Ends): DraftSeed {
  const isId = (text: string | undefined) => (text === undefined || text === 'none' ? null : text);
  return {
    source: {
      workload_id: group.source_workload_id ?? isId(source_workload_id),
      address: group.source_ip ?? group.source_cidr,
    },
    destination: {
      workload_id: group.destination_workload_id ?? isId(destination_workload_id),
      address: group.destination_ip ?? group.destination_cidr,
    },
    protocol: group.protocol,
    port: group.port,
    action: group.action,
  };
}
