import { paths } from '@/lib/paths';
import type { MapNode } from './map-model';

type Time = { range?: string | null; since?: string | null; until?: string | null };

/** One end as the page of flows filters it: a workload, or addresses outside or inside without one. */
const endFilter = (end: 'source' | 'destination', node: MapNode) =>
  node.workload ? { [`${end}_workload_id`]: node.workload.id } : { [`${end}_workload_id`]: 'none', [end]: node.kind };

/** The flows that opened a connection, at the same time. */
export const connectionFlows = (source: MapNode, destination: MapNode, time: Time): string =>
  paths.flows({ ...endFilter('source', source), ...endFilter('destination', destination), ...time });
