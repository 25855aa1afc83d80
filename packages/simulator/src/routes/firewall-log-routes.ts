import { common } from '../schema/formats';
import type { ParamSpecs } from '../schema/param-spec';
import { type Call, Reply, type Route } from './route';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Time of a log line in epoch seconds. */
export function logLineTime(line: string): number | undefined {
  const match = /^\d+ \d \S+ (\d{2})\/(\w{3})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2}) /.exec(line);
  if (!match) return undefined;
  const [, day, month, year, hour, minute, second, sign, offsetHours, offsetMinutes] = match;
  const utc = Date.UTC(
    Number(year),
    MONTHS.indexOf(month ?? ''),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return Math.floor((utc - (sign === '-' ? -offset : offset)) / 1000);
}

/** Oldest line first, 50 lines by default; rotated files count only with a time filter. */
function readLog(call: Call, prefix: string): Reply {
  const { since, until, start, limit } = call.params;
  const { current, rotated } = call.node.firewallLog;
  const filtered = since !== undefined || until !== undefined;
  const lines = (filtered ? [...rotated, ...current] : current).filter((line) => {
    if (!line.startsWith(prefix)) return false;
    if (!filtered) return true;
    const time = logLineTime(line);
    if (time === undefined) return false;
    return (since === undefined || time >= Number(since)) && (until === undefined || time <= Number(until));
  });
  const first = Number(start ?? 0);
  const count = limit === undefined ? 50 : Number(limit);
  const page = lines.slice(first, count === 0 ? undefined : first + count);
  const data = page.map((t, index) => ({ n: first + index + 1, t }));
  return new Reply(data.length > 0 ? data : [{ n: 1, t: 'no content' }], { total: lines.length });
}

const number = { type: 'integer', optional: true, minimum: 0 } as const;
const range: ParamSpecs = { start: number, limit: number, since: number, until: number };

/** Firewall log of a node and, filtered by line prefix, of a guest. */
export const firewallLogRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/nodes/{node}/firewall/log',
    params: { ...range, node: common.node },
    permission: { path: '/nodes/{node}', anyOf: ['Sys.Syslog'] },
    proxied: true,
    handledBy: 'pvedaemon',
    handle: (call) => readLog(call, ''),
  },
  ...(['qemu', 'lxc'] as const).map(
    (type): Route => ({
      method: 'GET',
      pattern: `/nodes/{node}/${type}/{vmid}/firewall/log`,
      params: { ...range, node: common.node, vmid: common.vmid },
      permission: { path: '/vms/{vmid}', anyOf: ['VM.Console'] },
      proxied: true,
      handledBy: 'pvedaemon',
      handle: (call) => readLog(call, `${call.params.vmid} `),
    }),
  ),
];
