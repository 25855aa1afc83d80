import { type LogLine, parsePacketLine } from './log-line';

const HEADER = /^(\d{1,10}) (\d) (\S+) (\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2}) /;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Parses a line of the hypervisor's firewall log: `<vmid> <level> <chain> <time> <text>: IN=… SRC=…`. The verdict is
 * taken from the text only: chains may be called "drop-web". VMID 0 is the host, or a rule of a group; then the guest
 * is found by its interface.
 * @returns null for lines of other shape; time in wall milliseconds
 */
export function parseHypervisorLine(line: string): { time: number; packet: LogLine } | null {
  const match = HEADER.exec(line);
  if (!match) return null;
  const [header, vmid, , chain, day, monthName, year, hour, minute, second, sign, zoneHours, zoneMinutes] = match;
  const month = MONTHS.indexOf(monthName as string);
  if (month < 0) return null;
  const packet = parsePacketLine(line, {
    vmid: Number(vmid) > 0 ? Number(vmid) : null,
    chain: chain as string,
    textAt: header.length,
  });
  if (!packet) return null;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const local = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second));
  return { time: local - zone * 60_000, packet };
}
