import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second of /proc, the same on every Linux that Node runs on. */
const TICKS = 100;

function readStat(pid: number): { parent: number; own: number; reaped: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold blanks.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [own, reaped] = [(fields[11] ?? 0) + (fields[12] ?? 0), (fields[13] ?? 0) + (fields[14] ?? 0)];
    return { parent: fields[1] ?? 0, own, reaped };
  } catch {
    return null;
  }
}

/** Seconds a process has spent on processors, with all its threads. */
export const processCpu = (pid: number): number => (readStat(pid)?.own ?? 0) / TICKS;

/** The same of a PostgreSQL server: its main process, its children, and those that have ended. */
export function postgresCpu(pid: number): number {
  const main = readStat(pid);
  if (!main) return 0;
  let ticks = main.own + main.reaped;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat?.parent === pid) ticks += stat.own + stat.reaped;
  }
  return ticks / TICKS;
}
