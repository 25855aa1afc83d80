import { clock } from '../../lib/clock';
import { flowStore } from '../../traffic/storage/flow-store';
import type { Collector } from './collector';

/** A node counts as reporting about guests of others for so long after the last refusal. */
const WINDOW_MS = 3_600_000;
const NAMED = 5;

/** Nodes whose agents reported about guests that are on other nodes. */
export const refusedReports: Collector = async () => {
  const since = new Date(clock.now().getTime() - WINDOW_MS).toISOString();
  return {
    facts: (await flowStore().unconfirmed.refusals(since)).map(({ node_id, node_name, vmids }) => {
      const more = vmids.length - NAMED;
      const guests = `${vmids.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      return {
        condition: 'agent_reports_refused',
        key: node_id,
        object_kind: 'agent',
        object_id: node_id,
        object_name: node_name,
        detail: `The agent of ${node_name} reported traffic of guests that are on other nodes: ${guests}. Check what runs on the node.`,
      };
    }),
  };
};
