import type postgres from 'postgres';
import { AppError } from '../../../lib/errors';
import type { Connection } from '../clickhouse/connection';
import { readStorageMark } from '../clickhouse/storage-mark';
import { assertSameTotals } from './day-totals';
import { beginMove, findMove, listDays, type Move, type MoveDay, noteStep, updateDay } from './move-record';
import { planDays, readPages, readStoredTotals } from './postgres-history';
import {
  attachStaged,
  createStaging,
  dropStaging,
  emptyStaging,
  hasClickhouseFlows,
  readStagedTotals,
  stagePage,
} from './staging';
import { switchToClickhouse } from './switch-to-clickhouse';

/** Rows of one insert. */
const PAGE_ROWS = 25_000;

export type MoveOptions = {
  /** Leaves what the store before holds where it is, until its retention ends. */
  keep: boolean;
  page_rows?: number;
  /** Called when flows are stored in the other store from now on. */
  onSwitch?: () => void;
  /** Called with how many rows are left. */
  onPlan?: (rows: number) => void;
  /** Called after each page, and for each day when both stores agree about it. */
  onPage?: (rows: number) => void;
  onDay?: (day: MoveDay) => void;
  /** Fills in what was learned about flows while they were in neither store's answers. */
  fillEnds: () => Promise<void>;
};

const IS_THERE =
  'Flows are stored in ClickHouse already. What PostgreSQL still holds from before is not shown, and expires by the retention of flows.';
const NOT_EMPTY =
  'ClickHouse holds flows already: they would count twice. To replace them, delete its tables of flows (DROP DATABASE, CREATE DATABASE) and run the command again.';

/** Copies what is left of a day. Each page is inserted with its own token, and then noted: interrupted anywhere, it counts once. */
async function copyDay(
  { client, connection }: Stores,
  move: Move,
  day: MoveDay,
  { page_rows = PAGE_ROWS, onPage }: MoveOptions,
): Promise<MoveDay> {
  let copied = day;
  let number = 0;
  for await (const { rows, page } of readPages(client, day, page_rows)) {
    number += 1;
    if (number <= day.pages) continue;
    await stagePage(connection, day.kind, `move ${move.id} ${day.kind} ${day.day} ${day.attempt} ${number}`, page);
    copied = await updateDay(client, move, copied, { pages: number, rows_moved: copied.rows_moved + rows });
    onPage?.(rows);
  }
  return copied;
}

type Stores = { client: postgres.Sql; connection: Connection };

/** Copies a day, compares it in both stores, and has it read. */
async function moveDay(stores: Stores, move: Move, day: MoveDay, options: MoveOptions): Promise<void> {
  const { client, connection } = stores;
  let at = day;
  if (at.state === 'waiting') {
    if (at.pages === 0) await emptyStaging(connection, at.kind);
    at = await copyDay(stores, move, at, options);
    try {
      assertSameTotals(at, await readStoredTotals(client, at), await readStagedTotals(connection, at.kind));
    } catch (error) {
      await updateDay(client, move, at, { pages: 0, rows_moved: 0, attempt: at.attempt + 1 });
      throw error;
    }
    at = await updateDay(client, move, at, { state: 'attaching' });
  }
  await attachStaged(connection, at.kind);
  await updateDay(client, move, at, { state: 'moved' });
}

/** @throws AppError `refused` when there is nothing that could move, or flows are where they would go */
async function assertBothFit({ client, connection }: Stores): Promise<void> {
  if ((await readStorageMark(client)) === 'clickhouse') throw new AppError('refused', IS_THERE);
  if (await hasClickhouseFlows(connection)) throw new AppError('refused', NOT_EMPTY);
}

/** Empties what PostgreSQL had of flows: both stores have agreed about all of it. */
const emptyPostgres = (client: postgres.Sql) => client`
  truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, flow_hour_totals,
    flow_complete_hours`;

/**
 * Moves what PostgreSQL holds of flows to ClickHouse while heartbeats are stored there: first the state that the next reports continue,
 * then day by day, the newest first, totals before flows. Interrupted anywhere, called again it continues. One at a time.
 * @throws AppError `conflict` when the stores differ about a day, `refused` when ClickHouse holds flows already
 */
export async function moveToClickhouse(stores: Stores, options: MoveOptions): Promise<void> {
  const { client, connection } = stores;
  if (!(await findMove(client))?.is_switched) await assertBothFit(stores);
  const known = await beginMove(client, 'clickhouse');
  if (!known.is_switched) await switchToClickhouse(client, known);
  options.onSwitch?.();
  await createStaging(connection);
  if (!known.is_planned) {
    await planDays(client, known);
    await noteStep(client, known, 'planned');
  }
  const days = await listDays(client, known);
  options.onPlan?.(days.reduce((sum, { rows, rows_moved }) => sum + Math.max(0, rows - rows_moved), 0));
  for (const day of days) {
    await moveDay(stores, known, day, options);
    options.onDay?.(day);
  }
  if (!known.is_moved) await noteStep(client, known, 'moved');
  await options.fillEnds();
  if (!options.keep) await emptyPostgres(client);
  await noteStep(client, known, 'finished');
  await dropStaging(connection);
}
