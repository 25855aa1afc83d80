import type { HypervisorEdit } from '@fabric/agent-contract';
import { rfc3339 } from '../sys/clock';

// The request line is the client's own text: everything before it is read from the start of the line, the status from its end.
const LINE =
  /^\S+ - (\S+) \[(\d{2})\/(\d{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})\] "(POST|PUT|DELETE) (\S+) HTTP\/1\.[01]" 2\d\d (?:\d+|-)$/;
const USER = /^[^\s"@!]{1,64}@[A-Za-z][A-Za-z0-9._-]{0,31}(![A-Za-z][A-Za-z0-9._-]{0,63})?$/;
const GUEST = /^nodes\/[^/]+\/(?:qemu|lxc)\/([1-9]\d{0,8})\/(firewall(?:\/.*)?|config)$/;
const CLUSTER = /^cluster\/firewall(?:\/.*)?$/;

type Edited = Pick<HypervisorEdit, 'object' | 'vmid'>;

/** What a request to the API is about; null: nothing that decides how packets are filtered. */
function findObject(target: string): Edited | null {
  const [encoded = ''] = target.split('?');
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return null;
  }
  const [, rest] = /^\/api2\/[a-z]+\/(.+)$/.exec(path) ?? [];
  if (rest === undefined) return null;
  const [, vmid, part] = GUEST.exec(rest) ?? [];
  if (vmid !== undefined) {
    return { object: part === 'config' ? 'guest_config' : 'guest_firewall', vmid: Number(vmid) };
  }
  return CLUSTER.test(rest) ? { object: 'cluster_firewall' } : null;
}

/**
 * Parses a line of the hypervisor's access log: `<peer> - <user> [<day>/<month>/<year>:<time> <zone>] "<request>" <status> <bytes>`.
 * @returns null for everything but an edit that succeeded; its content is not in the log
 */
export function parseAccessLine(line: string): HypervisorEdit | null {
  const match = LINE.exec(line);
  if (!match) return null;
  const [, user = '', day, month, year, hour, minute, second, sign, zoneHours, zoneMinutes, method, target = ''] =
    match;
  const object = USER.test(user) ? findObject(target) : null;
  if (!object) return null;
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const at = local - zone * 60_000;
  if (new Date(local).getUTCDate() !== Number(day) || new Date(local).getUTCHours() !== Number(hour)) return null;
  return { at: rfc3339(at), user, method: method as HypervisorEdit['method'], ...object };
}
