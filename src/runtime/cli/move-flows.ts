import { env } from '@/server/lib/env';
import { resolveFlowEnds } from '@/server/traffic/flows/upkeep';
import type { MoveOptions } from '@/server/traffic/storage/move/move-days';
import type { MoveDay } from '@/server/traffic/storage/move/move-record';
import { moveFlowStorage } from '@/server/traffic/storage/move/run-move';
import type { Terminal } from './command';
import { type Installation, withServices } from './open-installation';

const PROGRESS_MS = 2_000;
const SECONDS = 60;

const formatSeconds = (seconds: number): string =>
  seconds < 2 * SECONDS ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / SECONDS)} min`;

/** Prints how far a move is, at most every two seconds. Rows are those that were left when the command was called. */
function makeProgress(terminal: Terminal, now = () => performance.now()) {
  let left: number | undefined;
  let moved = 0;
  let started = now();
  let printedAt = started;
  return {
    begin: (rows: number) => {
      left = rows;
      started = now();
    },
    add: (rows: number) => {
      moved += rows;
      if (left === undefined || now() - printedAt < PROGRESS_MS) return;
      printedAt = now();
      const perSecond = moved / ((printedAt - started) / 1000);
      const percent = Math.min(100, Math.floor((100 * moved) / left));
      const remaining = formatSeconds(Math.max(0, left - moved) / perSecond);
      terminal.note(`${percent}%, ${moved} of ${left} rows, ${Math.round(perSecond)} rows/s, ${remaining} remaining`);
    },
    describe: () => {
      const seconds = (now() - started) / 1000;
      return `${moved} rows in ${formatSeconds(seconds)} (${Math.round(moved / Math.max(seconds, 0.001))} rows/s)`;
    },
  };
}

const describeDay = ({ kind, day, rows }: MoveDay): string => {
  const date = Date.parse(day) === 0 ? 'before conversations' : day.slice(0, 10);
  return `${date}, ${kind}: ${rows} rows, both stores agree`;
};

type Engine = 'postgres' | 'clickhouse';

const SWITCHED: Record<Engine, string> = {
  clickhouse:
    'Flows are stored in ClickHouse from now on. Set CLICKHOUSE_URL for every process and restart it: until then it takes no flows, and agents keep theirs for 24 hours.',
  postgres:
    'Flows are stored in PostgreSQL from now on. Remove CLICKHOUSE_URL from every process and restart it: until then it takes no flows, and agents keep theirs for 24 hours. Only this command still needs it.',
};
const FINISHED: Record<Engine, { moved: string; kept: string; deleted: string }> = {
  clickhouse: {
    moved: 'Flows have moved to ClickHouse',
    kept: 'Those in PostgreSQL are still there, are not shown, and expire by the retention of flows.',
    deleted: 'Those in PostgreSQL are deleted.',
  },
  postgres: {
    moved: 'Flows have moved to PostgreSQL',
    kept: 'Those in ClickHouse are still there, and are not shown. Nothing deletes them: drop its database when you do not need them.',
    deleted: 'Those in ClickHouse are deleted. Its database can be dropped when nothing else is in it.',
  },
};

/** Moves stored flows to the other store while Fabric runs. @returns what to do next */
export async function moveFlows(
  installation: Installation,
  to: Engine,
  keep: boolean,
  terminal: Terminal,
): Promise<string[]> {
  const progress = makeProgress(terminal);
  const options: MoveOptions = {
    keep,
    onSwitch: () => {
      terminal.note(SWITCHED[to]);
      // What follows works with the store that has them.
      if (to === 'postgres') env().CLICKHOUSE_URL = undefined;
    },
    onPlan: (rows) => progress.begin(rows),
    onPage: (rows) => progress.add(rows),
    onDay: (day) => terminal.note(describeDay(day)),
    fillEnds: async () => {
      terminal.note('Filling in what the inventory has learned since the switch.');
      while (!(await resolveFlowEnds(undefined, 0)).done);
    },
  };
  await withServices(installation, () => moveFlowStorage(installation.databaseUrl, to, options));
  const { moved, kept, deleted } = FINISHED[to];
  return [`${moved}: ${progress.describe()}.`, keep ? kept : deleted];
}
