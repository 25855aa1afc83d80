import { PveError } from '../pve-error';
import type { Pool } from '../state/cluster-state';
import { guestResource } from './cluster-routes';
import { type Call, mayAccess, type Route, requireAccess, textParam } from './route';

function withMembers(call: Call, pool: Pool): Record<string, unknown> {
  const dump = call.cluster.status.dump(call.cluster.clock.now());
  const members = [...pool.members]
    .map((vmid) => call.cluster.guests.get(vmid))
    .filter((guest) => guest !== undefined && mayAccess(call, `/vms/${guest.vmid}`, ['VM.Audit']))
    .flatMap((guest) => (guest ? [guestResource(call, guest, dump)] : []));
  return { ...(pool.comment !== undefined && { comment: pool.comment }), members };
}

const getPool = (call: Call): Pool => {
  const poolid = textParam(call, 'poolid');
  requireAccess(call, `/pool/${poolid}`, ['Pool.Audit']);
  const pool = call.cluster.pools.get(poolid);
  if (!pool) throw new PveError(500, `no such pool '${poolid}'`);
  return pool;
};

export const poolRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/pools',
    params: {
      poolid: { type: 'string', optional: true },
      type: { type: 'string', optional: true, enum: ['qemu', 'lxc', 'storage'], requires: 'poolid' },
    },
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) => {
      if (call.params.poolid !== undefined) {
        const pool = getPool(call);
        return [{ poolid: pool.poolid, ...withMembers(call, pool) }];
      }
      return [...call.cluster.pools.values()]
        .filter((pool) => mayAccess(call, `/pool/${pool.poolid}`, ['Pool.Audit']))
        .map(({ poolid, comment }) => ({ poolid, ...(comment !== undefined && { comment }) }));
    },
  },
  {
    method: 'GET',
    pattern: '/pools/{poolid}',
    params: { poolid: { type: 'string' }, type: { type: 'string', optional: true, enum: ['qemu', 'lxc', 'storage'] } },
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) => withMembers(call, getPool(call)),
  },
];
