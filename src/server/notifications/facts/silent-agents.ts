import { db } from '../../db/client';
import { listSilentAgents } from '../queries/notification-facts';
import type { Collector } from './collector';

/** Nodes whose agent stopped to report. */
export const silentAgents: Collector = async () => ({
  facts: (await listSilentAgents(db)).map(({ node_id, node_name, cluster_name, last_heartbeat_at }) => ({
    condition: 'agent_silent',
    key: node_id,
    object_kind: 'agent',
    object_id: node_id,
    object_name: node_name,
    detail: `No heartbeat of ${node_name} (${cluster_name}) ${last_heartbeat_at === null ? 'yet' : `since ${last_heartbeat_at}`}.`,
  })),
});
