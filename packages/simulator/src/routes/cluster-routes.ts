import type { Guest } from '../state/guest';
import type { StatusDump } from '../state/status-cache';
import { nodeSummary } from './node-routes';
import { type Call, mayAccess, type Route } from './route';

type Resource = Record<string, unknown>;

/** A guest without status data has nothing but its identity. */
export function guestResource(call: Call, guest: Guest, dump: StatusDump): Resource {
  const entry: Resource = {
    id: `${guest.type}/${guest.vmid}`,
    type: guest.type,
    vmid: guest.vmid,
    node: guest.node,
    status: 'unknown',
  };
  const known = dump.guests.get(guest.vmid);
  // Data of another node belongs to the time before a move, data of a predecessor to another guest.
  if (!known || known.node !== guest.node || known.guest !== guest) return entry;
  const { statistics } = known;
  Object.assign(entry, statistics);
  if (guest.type === 'qemu' && call.cluster.version.major >= 9) entry.memhost = Math.floor(statistics.mem * 1.02);
  const { current } = guest.config;
  const pool = call.cluster.poolOf(guest.vmid);
  if (pool) entry.pool = pool.poolid;
  if (current.get('tags')) entry.tags = current.get('tags');
  if (guest.lock !== undefined) entry.lock = guest.lock;
  if (guest.haState !== undefined) entry.hastate = guest.haState;
  return entry;
}

const guests = (call: Call, dump: StatusDump): Resource[] =>
  [...call.cluster.guests.values()]
    .filter((guest) => mayAccess(call, `/vms/${guest.vmid}`, ['VM.Audit']))
    .sort((a, b) => a.vmid - b.vmid)
    .map((guest) => guestResource(call, guest, dump));

const pools = (call: Call): Resource[] =>
  [...call.cluster.pools.values()]
    .filter((pool) => mayAccess(call, `/pool/${pool.poolid}`, ['Pool.Audit']))
    .map((pool) => ({ id: `/pool/${pool.poolid}`, type: 'pool', pool: pool.poolid }));

const STORAGES = [
  { storage: 'local', plugintype: 'dir', content: 'iso,vztmpl,backup' },
  { storage: 'local-lvm', plugintype: 'lvmthin', content: 'images,rootdir' },
];

const storages = (call: Call): Resource[] =>
  [...call.cluster.nodes.values()].flatMap((node) =>
    STORAGES.filter(({ storage }) => mayAccess(call, `/storage/${storage}`, ['Datastore.Audit'])).map((entry) => ({
      id: `storage/${node.name}/${entry.storage}`,
      type: 'storage',
      node: node.name,
      ...entry,
      shared: 0,
      ...(node.online
        ? { status: 'available', disk: 20 * 1024 ** 3, maxdisk: 400 * 1024 ** 3 }
        : { status: 'unknown' }),
    })),
  );

/** SDN zones per node; the entry type changed with release 9. */
function zones(call: Call): Resource[] {
  const { cluster } = call;
  const all = [{ zone: 'localnetwork', type: undefined as string | undefined }, ...cluster.sdn.running.zones.values()];
  const visible = all.filter(({ zone }) => mayAccess(call, `/sdn/zones/${zone}`, ['SDN.Audit']));
  return [...cluster.nodes.values()].flatMap((node) =>
    visible.map(({ zone, type }) => {
      const status = node.online ? 'ok' : 'unknown';
      if (cluster.version.major < 9)
        return { id: `sdn/${node.name}/${zone}`, type: 'sdn', sdn: zone, node: node.name, status };
      return {
        id: `network/${node.name}/zone/${zone}`,
        type: 'network',
        'network-type': 'zone',
        network: zone,
        node: node.name,
        status,
        ...(type && { 'zone-type': type }),
      };
    }),
  );
}

function clusterStatus({ cluster, node }: Call): Resource[] {
  const nodes: Resource[] = [...cluster.nodes.values()].map((member) => ({
    type: 'node',
    id: `node/${member.name}`,
    name: member.name,
    nodeid: cluster.standalone ? 0 : member.id,
    ip: member.ip,
    local: member === node ? 1 : 0,
    online: member.online ? 1 : 0,
    level: '',
  }));
  if (cluster.standalone) return nodes;
  const summary = {
    type: 'cluster',
    id: 'cluster',
    name: cluster.name,
    nodes: cluster.nodes.size,
    quorate: cluster.quorate ? 1 : 0,
    version: cluster.configVersion,
  };
  return [summary, ...nodes];
}

export const clusterRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/cluster/status',
    params: {},
    permission: { path: '/', anyOf: ['Sys.Audit'] },
    proxied: false,
    handledBy: 'pvedaemon',
    handle: clusterStatus,
  },
  {
    method: 'GET',
    pattern: '/cluster/resources',
    params: { type: { type: 'string', optional: true, enum: ['vm', 'storage', 'node', 'sdn'] } },
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) => {
      const { type } = call.params;
      const dump = call.cluster.status.dump(call.cluster.clock.now());
      const requested = (name: string) => type === undefined || type === name;
      const resources: Resource[] = [];
      if (type === undefined) resources.push(...pools(call));
      if (requested('vm')) resources.push(...guests(call, dump));
      if (requested('node')) {
        for (const node of call.cluster.nodes.values()) {
          const summary = nodeSummary(call, node, dump);
          if (summary.uptime !== undefined) summary['cgroup-mode'] = 2;
          resources.push(summary);
        }
      }
      if (requested('storage')) resources.push(...storages(call));
      const zoneType = call.cluster.version.major < 9 ? 'sdn' : 'network';
      if (type === undefined || type === zoneType) resources.push(...zones(call));
      return resources;
    },
  },
];
