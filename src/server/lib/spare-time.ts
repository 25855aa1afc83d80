import { cpus } from 'node:os';
import { processState } from './process-state';

/** Least and largest share of time for work that is not urgent. */
const LEAST_SHARE = 0.05;
const LARGEST_SHARE = 0.5;

/** The times of all processors of this machine since it started, in ms. Also other programs count. Replaced by tests. */
export const machine = processState(() => ({
  readTimes: (): { idle: number; total: number } => {
    const times = cpus().map((cpu) => cpu.times);
    const sum = (of: (time: (typeof times)[number]) => number) => times.reduce((total, time) => total + of(time), 0);
    return {
      idle: sum(({ idle }) => idle),
      total: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
    };
  },
}));

/**
 * Paces work that is not urgent, so that it takes what the machine has to spare: half of the time while processors are idle, a
 * twentieth while all of them are busy. A database on another machine is not seen.
 * @returns how long to pause after a piece of work, in ms; the share is that of the time since the call before
 */
export function createPacer(): (workMs: number) => number {
  let before = machine.readTimes();
  return (workMs) => {
    const now = machine.readTimes();
    const total = now.total - before.total;
    const idle = total > 0 ? (now.idle - before.idle) / total : 1;
    before = now;
    return workMs * (1 / Math.min(LARGEST_SHARE, Math.max(LEAST_SHARE, idle)) - 1);
  };
}
