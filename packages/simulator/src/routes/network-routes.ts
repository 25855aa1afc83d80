import { common } from '../schema/formats';
import { type Call, mayAccess, Reply, type Route } from './route';

const TYPES = [
  'bridge',
  'bond',
  'eth',
  'alias',
  'vlan',
  'fabric',
  'OVSBridge',
  'OVSBond',
  'OVSPort',
  'OVSIntPort',
  'vnet',
  'any_bridge',
  'any_local_bridge',
  'include_sdn',
];

const BRIDGES: readonly string[] = ['bridge', 'OVSBridge'];

/** A bridge is listed when the caller may see it or use one of its VLANs; otherwise it is left out silently. */
function mayUseBridge(call: Call, zone: string, bridge: string): boolean {
  const path = `/sdn/zones/${zone}/${bridge}`;
  const privileges = ['SDN.Audit', 'SDN.Use'];
  if (mayAccess(call, path, privileges)) return true;
  return call.cluster.access.entries.some(
    (entry) => entry.path.startsWith(`${path}/`) && mayAccess(call, entry.path, privileges),
  );
}

/** VNets that exist on the node, from the applied SDN configuration. */
function localVnets(call: Call): Record<string, unknown>[] {
  const { zones, vnets } = call.cluster.sdn.running;
  return [...vnets.values()]
    .filter((vnet) => {
      const nodes = zones.get(vnet.zone)?.nodes;
      return nodes === undefined || String(nodes).split(',').includes(call.node.name);
    })
    .filter((vnet) => mayUseBridge(call, vnet.zone, vnet.vnet))
    .map((vnet) => ({
      iface: vnet.vnet,
      type: 'vnet',
      active: 1,
      ...(vnet.alias !== undefined && { comments: vnet.alias }),
      ...(vnet.vlanaware && { vlanaware: 1 }),
      ...(zones.get(vnet.zone)?.ipam !== undefined && { ipam: 1 }),
    }));
}

function interfaces(call: Call): Reply {
  const { type } = call.params;
  const withVnets = type === 'vnet' || type === 'any_bridge' || type === 'include_sdn';
  const local = call.node.interfaces
    .filter((entry) => {
      if (type === undefined || type === 'include_sdn') return true;
      if (type === 'any_bridge' || type === 'any_local_bridge') return BRIDGES.includes(entry.type);
      return entry.type === type;
    })
    .filter((entry) => !BRIDGES.includes(entry.type) || mayUseBridge(call, 'localnetwork', entry.iface));
  const data = [...local, ...(withVnets ? localVnets(call) : [])];
  return new Reply(data, call.node.networkChanges === undefined ? {} : { changes: call.node.networkChanges });
}

export const networkRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/nodes/{node}/network',
    params: { node: common.node, type: { type: 'string', optional: true, enum: TYPES } },
    proxied: true,
    handledBy: 'pveproxy',
    handle: interfaces,
  },
];
