import type { PveNode } from '../state/node';
import type { StatusDump } from '../state/status-cache';
import { type Call, mayAccess } from './route';

/** What `/nodes` and `/cluster/resources` tell about a node; statistics only with `Sys.Audit` on it. */
export function nodeSummary(call: Call, node: PveNode, dump: StatusDump): Record<string, unknown> {
  const summary: Record<string, unknown> = {
    id: `node/${node.name}`,
    type: 'node',
    node: node.name,
    status: 'unknown',
  };
  const known = dump.nodes.get(node.name);
  if (!node.online) summary.status = 'offline';
  else if (known) {
    summary.status = 'online';
    summary.level = '';
    if (mayAccess(call, `/nodes/${node.name}`, ['Sys.Audit'])) {
      Object.assign(summary, known.statistics, { maxcpu: node.cores, maxmem: node.memory });
    }
  }
  return summary;
}
