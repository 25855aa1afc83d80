import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import type { EscapeReason } from '@/domain/enforcement-chain/escaped';
import type { ChainLink } from '@/domain/enforcement-chain/link-details';
import type { ConflictKind, IpamConflict } from '@/domain/ipam/conflict';
import type { Fact } from '@/domain/notifications/condition';
import { isWithinReach } from '@/domain/permissions';
import { listConflicts } from '../../addresses/queries/ipam-conflicts';
import { systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { listUndecidedWorkloads, sumEscaped } from '../../enforcement/queries/escaped';
import { readSuspicious } from '../../insight/dashboard/read-suspicious';
import { selectFlows } from '../../insight/flows/list-flows';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import { flowStore } from '../../traffic/storage/flow-store';
import {
  listActiveObjects,
  listReplacedTokens,
  listSilentAgents,
  listUnobservedNodes,
} from '../queries/notification-facts';
import type { Collector } from './collect-findings';
import { readUnobserved, type Unobserved } from './unobserved';

/** Traffic of so long ago still counts as going on: agents report flows while they last and once when they end. */
const TRAFFIC_WINDOW_MS = 15 * 60_000;

/** One matter is all traffic to one port of one destination: a scan from a thousand addresses is not a thousand matters. */
const toTargetKey = (entry: SuspiciousTraffic): string =>
  [entry.cluster_id, entry.destination_workload_id ?? entry.destination_ip, entry.port, entry.protocol].join(' ');

function trafficFact(key: string, entries: readonly SuspiciousTraffic[]): Fact | null {
  const [first] = entries;
  if (!first) return null;
  const { destination_workload_id, destination_workload_name, destination_ip, service, port, protocol } = first;
  const sources = [...new Set(entries.map(({ source_ip }) => source_ip))].sort();
  const others = sources.length - 1;
  const from = `${sources[0]}${others > 0 ? ` and ${others === 1 ? 'one more' : `${others} more`}` : ''}`;
  return {
    condition: 'suspicious_traffic_critical',
    key,
    object_kind: destination_workload_id === null ? 'address' : 'workload',
    object_id: destination_workload_id,
    object_name: destination_workload_name ?? destination_ip,
    detail: `${service} (${protocol} ${port}) on ${destination_ip} is reached from outside, from ${from}.`,
  };
}

/** Keys of reported destinations whose traffic no agent reports now; an address without a workload may be on any node of its cluster. */
async function listUnobservedTargets({ workloads, clusters }: Unobserved): Promise<string[]> {
  if (clusters.size === 0) return [];
  const reported = await listActiveObjects(db, 'suspicious_traffic_critical');
  return reported
    .filter(({ key, object_id }) =>
      object_id === null ? clusters.has(key.split(' ', 1)[0] ?? '') : workloads.has(object_id),
    )
    .map(({ key }) => key);
}

/**
 * Visible destinations reached at a critical port from outside all subnets, by the dashboard's criteria. A workload that
 * belongs to another tenant now is a matter of that one.
 */
export const collectCriticalTraffic: Collector = async (reach) => {
  const since = new Date(clock.now().getTime() - TRAFFIC_WINDOW_MS).toISOString();
  const [{ selection }, firewall] = await Promise.all([
    selectFlows(systemScope('flow:read', 'notifications', reach), { since }),
    readFirewallState(),
  ]);
  const { entries } = await readSuspicious(selection, firewall, { flows: reach, policies: reach, rules: null });
  const critical = entries.filter(({ severity, destination_workload_id }) => {
    const workload =
      destination_workload_id === null ? undefined : firewall.inputs.workloads.get(destination_workload_id);
    return severity === 'critical' && (workload === undefined || isWithinReach(workload, reach));
  });
  const matters = groupBy(critical, toTargetKey);
  return {
    facts: [...matters].map(([key, list]) => trafficFact(key, list)).filter((fact) => fact !== null),
    unknown: await listUnobservedTargets(await readUnobserved(firewall.inputs, TRAFFIC_WINDOW_MS)),
  };
};

/** Why traffic of a workload escaped, as far as it is known. */
const ESCAPE_TEXTS: Record<EscapeReason, (link: ChainLink | null) => string> = {
  broken_link: (link) =>
    `A link between the rules and the interface is broken: ${link?.replaceAll('_', ' ') ?? 'unknown'}.`,
  older_connection: () => 'The connections are older than the rules.',
  log_disagrees: () => 'The firewall log says that they were accepted.',
  not_explained: () => 'No broken link explains it.',
};
/** Escaped traffic of so long ago still counts as going on. */
const ESCAPED_WINDOW_MS = 3_600_000;
const MOST_ESCAPED = 500;

/** Visible workloads of which conversations passed although their rules deny them; not connections that are older than the rules. */
export const collectEscapedTraffic: Collector = async (reach) => {
  const scope = systemScope('flow:read', 'notifications', reach);
  const since = new Date(clock.now().getTime() - ESCAPED_WINDOW_MS).toISOString();
  const { most, workloads } = await sumEscaped(scope.reach, since, MOST_ESCAPED);
  const [undecided, unobserved] = await Promise.all([
    listUndecidedWorkloads(db, since),
    readUnobserved((await readFirewallState()).inputs, ESCAPED_WINDOW_MS),
  ]);
  return {
    facts: most.map(({ workload_id, workload_name, reason, broken_link }) => ({
      condition: 'traffic_escaped',
      key: workload_id,
      object_kind: 'workload',
      object_id: workload_id,
      object_name: workload_name,
      detail: `Conversations passed although the rules of the workload deny them. ${ESCAPE_TEXTS[reason](broken_link)}`,
    })),
    unknown: [...undecided, ...unobserved.workloads.keys()],
    incomplete: workloads > most.length,
  };
};

const PAGE = 500;
const MOST_PAGES = 20;

const WORDS: Record<ConflictKind, (conflict: IpamConflict, holder: string, other: string) => string> = {
  duplicate_address: ({ address }, holder, other) => `${address} is used by ${holder} and by ${other}.`,
  duplicate_mac: ({ mac }, holder, other) => `${holder} and ${other} have the same MAC address ${mac}.`,
  outside_subnet: ({ address, network_name }, holder) =>
    `${holder} uses ${address}, which is in no prefix of ${network_name ?? 'its network'}.`,
  reserved_in_use: ({ address }, _holder, other) => `${other} uses ${address}, which is reserved.`,
  moved_address: ({ address }, holder, other) => `${address} moved from ${holder} to ${other}.`,
  spoofed_address: ({ address, reason }, holder, other) =>
    reason === 'ip_filter'
      ? `${other} sends packets from ${address}, which the IP filter of its interface does not allow.`
      : `${other} sends packets from ${address}, which belongs to ${holder}.`,
  stale_address: ({ address }, holder) =>
    `${address} is assigned to ${holder}, which is running, but no source has seen the address for a week.`,
  unmanaged_address: ({ address }, _holder, other) => `${other} uses ${address}, which is not registered.`,
};

/** A party that is unknown or not visible has no name here. */
const formatPartyName = (party: IpamConflict['workload']): string => party?.name ?? 'another workload';

function conflictFact(conflict: IpamConflict): Fact {
  const { id, kind, address, mac, cluster_name, workload, other_workload } = conflict;
  const other = kind === 'reserved_in_use' && other_workload === null ? workload : other_workload;
  return {
    condition: 'address_conflict',
    key: id,
    object_kind: 'ipam_conflict',
    object_id: id,
    object_name: `${address ?? mac ?? kind} (${cluster_name})`,
    detail: WORDS[kind](conflict, formatPartyName(workload), formatPartyName(other)),
  };
}

/** Address conflicts in which a visible workload is a party and that are not decided yet. */
export const collectAddressConflicts: Collector = async (reach) => {
  const scope = systemScope('ipam:read', 'notifications', reach);
  const facts: Fact[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const found = await listConflicts(scope.reach, { status: 'open', limit: PAGE, ...(cursor && { cursor }) });
    facts.push(...found.items.map(conflictFact));
    cursor = found.next_cursor;
  }
  return { facts, incomplete: cursor !== null };
};

/** A node counts as reporting about guests of others for so long after the last refusal. */
const REFUSED_WINDOW_MS = 3_600_000;
const NAMED = 5;

/** Nodes whose agents reported about guests that are on other nodes. */
export const collectRefusedReports: Collector = async () => {
  const since = new Date(clock.now().getTime() - REFUSED_WINDOW_MS).toISOString();
  return {
    unknown: (await listUnobservedNodes(db, since)).map(({ node_id }) => node_id),
    facts: (await flowStore().unconfirmed.refusals(since)).map(({ node_id, node_name, vmids }) => {
      const more = vmids.length - NAMED;
      const guests = `${vmids.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      return {
        condition: 'agent_reports_refused',
        key: node_id,
        object_kind: 'agent',
        object_id: node_id,
        object_name: node_name,
        detail: `The agent of ${node_name} reported traffic of workloads on other nodes: ${guests}. Check what runs on the node.`,
      };
    }),
  };
};

/** A replacement stays open for so long. */
const REPLACED_WINDOW_MS = 24 * 3_600_000;

/** Nodes whose token was replaced while their agent reported: the previous holder is locked out. */
export const collectReplacedTokens: Collector = async () => {
  const since = new Date(clock.now().getTime() - REPLACED_WINDOW_MS).toISOString();
  return {
    facts: (await listReplacedTokens(db, since)).map(({ node_id, node_name, token_replacement: replaced }) => {
      const by = replaced.user_name === null ? '' : `, created by ${replaced.user_name}`;
      const machine = replaced.machine_id === replaced.previous_machine_id ? 'the same machine' : 'another machine';
      return {
        condition: 'agent_token_replaced',
        key: `${node_id} ${replaced.enrolment_id}`,
        object_kind: 'agent',
        object_id: node_id,
        object_name: node_name,
        detail: `The token of ${node_name} was replaced at ${replaced.at} with enrollment token ${replaced.enrolment_id}${by}, from ${machine}, while its agent was reporting.`,
      };
    }),
  };
};

/** Nodes whose agent stopped to report. One that was enrolled again is not over before its first report. */
export const collectStaleAgents: Collector = async () => {
  const unobserved = await listUnobservedNodes(db, clock.now().toISOString());
  return {
    facts: (await listSilentAgents(db)).map(({ node_id, node_name, cluster_name, last_heartbeat_at }) => ({
      condition: 'agent_silent',
      key: node_id,
      object_kind: 'agent',
      object_id: node_id,
      object_name: node_name,
      detail: `No heartbeat from ${node_name} (${cluster_name}) ${last_heartbeat_at === null ? 'yet' : `since ${last_heartbeat_at}`}.`,
    })),
    unknown: unobserved.filter(({ awaited }) => awaited).map(({ node_id }) => node_id),
  };
};
