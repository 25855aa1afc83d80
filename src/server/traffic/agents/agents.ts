import {
  type Agent,
  type AgentDetail,
  type AgentListInput,
  type AgentSummary,
  type AgentSummaryInput,
  isOlderVersion,
} from '@/domain/agent';
import { DAY_MS } from '@/domain/durations';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { notFound } from '../../lib/refusals';
import { countAgents, findAgentDetail, findAgentVersions, listAgents as list } from '../queries/agent-list';
import { markStaleAgents } from '../queries/agents';
import { flowStore } from '../storage/flow-store';
import { readAgentBundle } from './agent-bundle';
import { readReport } from './read-report';

/** The version that this service hands out; null when it was built without the agent. */
export async function offeredVersion(): Promise<string | null> {
  return (await readAgentBundle())?.version ?? null;
}

/** Whether an agent of this version should be updated; null when this is unknown. */
export function isOutdated(version: string | null, offered: string | null): boolean | null {
  return version === null || offered === null ? null : isOlderVersion(version, offered);
}

const NO_FLOWS = { waiting: 0, refused: 0 };

/** Nodes with their agents, page by page. */
export async function listAgents(_scope: Scope<'agent:read'>, input: AgentListInput): Promise<Page<Agent>> {
  const offered = await offeredVersion();
  const versions = input.outdated === undefined ? [] : await findAgentVersions();
  const page = await list(
    input,
    versions.filter((version) => isOutdated(version, offered)),
  );
  const unconfirmed = await flowStore().unconfirmed.countByNode(page.items.map(({ node_id }) => node_id));
  return {
    ...page,
    items: page.items.map((agent) => ({
      ...agent,
      unconfirmed: unconfirmed.get(agent.node_id) ?? NO_FLOWS,
      outdated: isOutdated(agent.agent_version, offered),
    })),
  };
}

/** The agent of a node with its newest heartbeat. @throws AppError `not_found` */
export async function readAgent(_scope: Scope<'agent:read'>, nodeId: string): Promise<AgentDetail> {
  const since = new Date(clock.now().getTime() - DAY_MS).toISOString();
  const { unconfirmed } = flowStore();
  const [offered, agent, counts, unconfirmed_guests] = await Promise.all([
    offeredVersion(),
    findAgentDetail(nodeId, since),
    unconfirmed.countByNode([nodeId]),
    unconfirmed.guestsOf(nodeId),
  ]);
  if (!agent) throw notFound('node');
  return {
    ...agent,
    reported: readReport(agent),
    unconfirmed: counts.get(nodeId) ?? { waiting: 0, refused: 0 },
    unconfirmed_guests,
    outdated: isOutdated(agent.agent_version, offered),
  };
}

/** How many nodes report, are silent, wait, have no agent, or have an old one; of one cluster when it is given. */
export async function summarizeAgents(
  _scope: Scope<'agent:read'>,
  { cluster_id }: AgentSummaryInput,
): Promise<AgentSummary> {
  const [agent_version, groups] = await Promise.all([offeredVersion(), countAgents(cluster_id)]);
  const summary: AgentSummary = {
    nodes: 0,
    ok: 0,
    degraded: 0,
    silent: 0,
    pending: 0,
    none: 0,
    outdated: 0,
    lacking: 0,
    agent_version,
  };
  for (const group of groups) {
    summary.nodes += group.nodes;
    summary[group.status ?? 'none'] += group.nodes;
    summary.lacking += group.lacking;
    if (isOutdated(group.agent_version, agent_version)) summary.outdated += group.nodes;
  }
  return summary;
}

/** An agent is stale when three of its heartbeats are missing, but not before this many seconds. */
const MISSED_HEARTBEATS = 3;
const MINIMUM_SECONDS = 90;

/** How long an agent may be silent before it is stale. */
export const getStaleSeconds = (intervalSeconds: number | null): number =>
  Math.max(MINIMUM_SECONDS, MISSED_HEARTBEATS * (intervalSeconds ?? 0));

/** Marks agents as stale and notifies the pages. A heartbeat clears the mark. @returns how many became stale */
export function watchAgents(): Promise<number> {
  return db.transaction(async (tx) => {
    const silent = await markStaleAgents(tx, clock.now().toISOString(), MISSED_HEARTBEATS, MINIMUM_SECONDS);
    for (const cluster_id of new Set(silent.map((agent) => agent.cluster_id))) {
      await publishEvent(tx, { type: 'inventory.changed', cluster_id });
    }
    return silent.length;
  });
}
