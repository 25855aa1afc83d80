import { createHash } from 'node:crypto';
import { common, formats } from '../schema/formats';
import { type Call, mayAccess, type Route, textParam } from './route';

type Entry = Record<string, unknown>;
const READ = ['SDN.Audit', 'SDN.Allocate'];

/** One digest for the whole file, repeated in every element. */
const fileDigest = (entries: Map<string, Entry>): string =>
  createHash('sha1')
    .update(JSON.stringify([...entries]))
    .digest('hex');

const isSameText = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** With `pending=1` an entry shows its running values, and what is staged under `pending`. */
function withPending(staged: Entry | undefined, running: Entry | undefined): Entry {
  if (!staged) return { ...running, state: 'deleted' };
  if (!running) return { ...staged, state: 'new', pending: { ...staged } };
  const changed = Object.fromEntries(
    [...new Set([...Object.keys(staged), ...Object.keys(running)])]
      .filter((key) => !isSameText(staged[key], running[key]))
      .map((key) => [key, staged[key] ?? 'deleted']),
  );
  return Object.keys(changed).length === 0 ? { ...running } : { ...running, state: 'changed', pending: changed };
}

/** Staged configuration by default, the applied one with `running=1`, both with `pending=1`. */
function listEntries(call: Call, kind: 'zones' | 'vnets' | 'subnets', visible: (entry: Entry) => boolean): Entry[] {
  const staged = call.cluster.sdn.staged[kind] as Map<string, Entry>;
  const running = call.cluster.sdn.running[kind] as Map<string, Entry>;
  if (call.params.pending === '1') {
    const ids = new Set([...running.keys(), ...staged.keys()]);
    return [...ids].map((id) => withPending(staged.get(id), running.get(id))).filter(visible);
  }
  const source = call.params.running === '1' ? running : staged;
  const digest = fileDigest(source);
  return [...source.values()].filter(visible).map((entry) => ({ ...entry, digest }));
}

const flags = { pending: common.flag, running: common.flag };

export const sdnRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/cluster/sdn/zones',
    params: {
      ...flags,
      type: { type: 'string', optional: true, enum: ['evpn', 'faucet', 'qinq', 'simple', 'vlan', 'vxlan'] },
    },
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) =>
      listEntries(
        call,
        'zones',
        (entry) =>
          (call.params.type === undefined || entry.type === call.params.type) &&
          mayAccess(call, `/sdn/zones/${entry.zone}`, READ),
      ),
  },
  {
    method: 'GET',
    pattern: '/cluster/sdn/vnets',
    params: flags,
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) =>
      listEntries(call, 'vnets', (entry) => mayAccess(call, `/sdn/zones/${entry.zone}/${entry.vnet}`, READ)),
  },
  {
    method: 'GET',
    pattern: '/cluster/sdn/vnets/{vnet}/subnets',
    params: { ...flags, vnet: { type: 'string', format: formats.vnet } },
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) => {
      const vnet = textParam(call, 'vnet');
      return listEntries(
        call,
        'subnets',
        (entry) => entry.vnet === vnet && mayAccess(call, `/sdn/zones/${entry.zone}/${vnet}`, READ),
      );
    },
  },
  {
    method: 'GET',
    pattern: '/cluster/sdn/ipams/{ipam}/status',
    params: { ipam: { type: 'string', format: formats.configId } },
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) =>
      call.cluster.leases.filter((lease) => mayAccess(call, `/sdn/zones/${lease.zone}/${lease.vnet}`, READ)),
  },
];
