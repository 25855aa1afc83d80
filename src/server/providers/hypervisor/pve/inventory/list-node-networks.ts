import { z } from 'zod';
import type { Listing, NetworkFact } from '../../types';
import { flagField, textField } from '../answers/fields';
import { parseList, toListing } from '../answers/parse-list';
import { apiPath } from '../http/encode';
import type { InventoryContext } from './context';

const MAX_INTERFACES = 5000;
const Interface = z.object({
  iface: z.string().min(1).max(64),
  type: z.string().max(40),
  comments: textField().optional(),
  bridge_vlan_aware: flagField.optional(),
  vlanaware: flagField.optional(),
});

/** Plain bridges belong to this implicit zone. */
const LOCAL_ZONE = 'localnetwork';

function toFact(node: string, entry: z.infer<typeof Interface>): NetworkFact | null {
  const shared = { name: entry.iface, vlan_tag: null, alias: entry.comments || null, node_names: [node] };
  switch (entry.type) {
    case 'bridge':
      return { ...shared, kind: 'bridge', zone: LOCAL_ZONE, vlan_aware: entry.bridge_vlan_aware ?? false };
    case 'OVSBridge':
      return { ...shared, kind: 'ovs_bridge', zone: LOCAL_ZONE, vlan_aware: null };
    case 'vnet':
      // Only the SDN of the cluster reports zone and tag of a vnet.
      return { ...shared, kind: 'vnet', zone: null, vlan_aware: entry.vlanaware ?? false };
    default:
      return null;
  }
}

/** Bridges of a node and the vnets on it. Both are left out silently for a token that may not see them. */
export async function listNodeNetworks(context: InventoryContext, node: string): Promise<Listing<NetworkFact>> {
  const [{ data }, permissions] = await Promise.all([
    // Without this type the answer has no vnets.
    context.client.get(apiPath`/nodes/${node}/network`, { node, params: { type: 'any_bridge' } }),
    context.permissions.get(),
  ]);
  const { items, problem } = parseList(`interfaces of ${node}`, Interface, data, MAX_INTERFACES);
  const visible = ['SDN.Audit', 'SDN.Use'].some((privilege) => permissions.hasBelow(privilege, '/sdn/zones'));
  return toListing(
    items.map((entry) => toFact(node, entry)).filter((fact) => fact !== null),
    [
      context.report(problem),
      visible
        ? null
        : 'the token has neither SDN.Audit nor SDN.Use on all of /sdn/zones, so networks may be hidden from it',
    ],
  );
}
