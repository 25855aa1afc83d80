import { isExternal } from '@/domain/flow/flow-end';
import type { FlowGroup, FlowGrouping } from '@/domain/flow/flow-sums';
import type { Narrowing } from './use-flow-view';

const END = {
  source: { workload: 'source_workload_id', address: 'source' },
  destination: { workload: 'destination_workload_id', address: 'destination' },
} as const;

/** The filter of one end of a group: its address, its workload, or the network or outside where no workload is known. */
function narrowToEnd(group: FlowGroup, end: 'source' | 'destination'): Narrowing {
  const { workload, address } = END[end];
  const ip = group[`${end}_ip`];
  if (ip !== null) return { [address]: ip };
  const id = group[`${end}_workload_id`];
  if (id !== null) return { [workload]: id, [address]: null };
  return {
    [workload]: 'none',
    [address]: group[`${end}_cidr`] ?? (isExternal(group[`${end}_label`]) ? 'external' : 'internal'),
  };
}

/** The filter that shows the flows a group was summed up from. */
export function narrowToGroup(grouping: FlowGrouping, group: FlowGroup): Narrowing {
  switch (grouping) {
    case 'workloads':
      return { ...narrowToEnd(group, 'source'), ...narrowToEnd(group, 'destination') };
    case 'source':
      return narrowToEnd(group, 'source');
    case 'destination':
      return narrowToEnd(group, 'destination');
    case 'service':
      return { protocol: group.protocol, port: group.port === null ? null : String(group.port) };
    case 'decision':
      return { decision: group.decision };
    case 'node':
      return { node_id: group.node_id };
  }
}
