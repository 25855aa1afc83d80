import { ProviderError } from '../../errors';
import type { GuestRef, Presence } from '../../types';
import { apiPath } from '../http/encode';
import type { InventoryContext } from './context';

/** What asking for the configuration at one node says: the file is there, is not, or we may not know. */
async function readPresenceAt(context: InventoryContext, { kind, vmid }: GuestRef, node: string): Promise<Presence> {
  try {
    await context.client.get(apiPath`/nodes/${node}/${kind}/${vmid}/config`, { node, params: { current: true } });
    return 'present';
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'not_found') return 'absent';
    const partial = ['forbidden', 'node_unreachable', 'timeout', 'circuit_open', 'server_error', 'bad_answer'];
    if (partial.includes(error.code)) return 'unknown';
    throw error;
  }
}

/**
 * Whether a guest exists. Not being listed proves nothing, since lists are filtered silently. But a node that answers
 * "there is no such configuration" has checked the right to read this guest before, and with that right the guest
 * would be listed wherever it is: both together, from a node with quorum, prove that it is gone.
 * @throws ProviderError when the cluster as a whole cannot be asked.
 */
export async function guestPresence(context: InventoryContext, guest: GuestRef): Promise<Presence> {
  const [{ items, problem }, nodes, status] = await Promise.all([
    context.resources.get(),
    context.nodes.get(),
    context.clusterStatus.get(),
  ]);
  const listed = items.find(({ vmid }) => vmid === guest.vmid);
  // VMIDs are unique over both kinds: another kind under this VMID means that the original guest is gone.
  if (listed) return listed.type === guest.kind ? 'present' : 'absent';
  // Any online node can answer whether we may read the guest; its own may be down or have left the cluster.
  const online = nodes.items.filter((node) => node.status === 'online');
  const witness = online.find(({ node }) => node === guest.node) ?? online[0];
  if (!witness) return 'unknown';
  const answer = await readPresenceAt(context, guest, witness.node);
  if (answer !== 'absent') return answer;
  // The list was read before the guest was asked for: look again, in case it moved in between.
  const again = await context.resources.fresh();
  if (again.items.some(({ vmid, type }) => vmid === guest.vmid && type === guest.kind)) return 'present';
  const doubtful = problem !== null || again.problem !== null || status?.quorate !== true;
  return doubtful ? 'unknown' : 'absent';
}
