import { permissionError } from '../pve-error';
import { type Call, mayAccess, type Route } from './route';

const TOP_LEVEL = ['/', '/access', '/access/groups', '/nodes', '/pool', '/sdn', '/storage', '/vms'];

const USER_ID = /^(?:[^\s:/]+)@(?:[A-Za-z][A-Za-z0-9.\-_]+)(?:!(?:[A-Za-z][A-Za-z0-9.\-_]+))?$/;

/** Paths worth reporting: the fixed top level, everything with an ACL entry, guests that are in a pool. */
function reportedPaths(call: Call): string[] {
  const paths = new Set(TOP_LEVEL);
  for (const entry of call.cluster.access.entries) paths.add(entry.path);
  for (const pool of call.cluster.pools.values()) {
    paths.add(`/pool/${pool.poolid}`);
    for (const vmid of pool.members) paths.add(`/vms/${vmid}`);
  }
  return [...paths].sort();
}

export const accessRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/version',
    params: {},
    proxied: false,
    handledBy: 'pveproxy',
    handle: ({ cluster: { version } }) => ({
      release: version.release,
      repoid: version.repoid,
      version: version.version,
    }),
  },
  {
    method: 'GET',
    pattern: '/access/permissions',
    params: {
      path: { type: 'string', optional: true },
      userid: { type: 'string', optional: true, pattern: USER_ID },
    },
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) => {
      const { params, caller, cluster } = call;
      const subject = params.userid ?? caller.subject;
      const own = subject === caller.subject || subject === caller.userId || subject.startsWith(`${caller.userId}!`);
      if (!own && !mayAccess(call, '/access', ['Sys.Audit'])) throw permissionError('/access', ['Sys.Audit']);
      const answer: Record<string, Record<string, 0 | 1>> = {};
      for (const path of params.path === undefined ? reportedPaths(call) : [params.path]) {
        const privileges = cluster.access.privileges(subject, path);
        if (privileges.size === 0 && params.path === undefined) continue;
        answer[path] = Object.fromEntries([...privileges].map(([name, propagate]) => [name, propagate ? 1 : 0]));
      }
      return answer;
    },
  },
];
