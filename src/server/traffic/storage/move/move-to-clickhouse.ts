import { drizzle } from 'drizzle-orm/postgres-js';
import { AppError } from '../../../lib/errors';
import { emptyPostgresFlows, readStorageMark } from '../clickhouse/storage-mark';
import { type MoveOptions, type MoveSteps, runMove, type Stores } from './move-days';
import { updateDay } from './move-record';
import { countRows, planDays, readPages, readStoredTotals } from './postgres-history';
import {
  attachStaged,
  createStaging,
  dropStaging,
  emptyStaging,
  forgetSettled,
  hasClickhouseFlows,
  readStagedTotals,
  stagePage,
} from './staging';
import { switchToClickhouse } from './switch-to-clickhouse';

/** Rows of one insert. */
const PAGE_ROWS = 25_000;

const IS_THERE =
  'Flows are stored in ClickHouse already. What PostgreSQL still holds from before is not shown, and expires by the retention of flows.';
const NOT_EMPTY =
  'ClickHouse holds flows already: they would count twice. To replace them, delete its tables of flows (DROP DATABASE, CREATE DATABASE) and run the command again.';

function listSteps({ client, connection }: Stores): MoveSteps {
  const db = drizzle(client);
  const update: MoveSteps['updateDay'] = (move, day, change) => updateDay(db, move, day, change);
  return {
    engine: 'clickhouse',
    assertBothFit: async () => {
      if ((await readStorageMark(client)) === 'clickhouse') throw new AppError('refused', IS_THERE);
      if (await hasClickhouseFlows(connection)) throw new AppError('refused', NOT_EMPTY);
    },
    switchOver: async (move) => {
      await forgetSettled(connection);
      await switchToClickhouse(client, move);
    },
    createStaging: () => createStaging(connection),
    planDays: (move) => planDays(client, move),
    emptyStaging: (kind) => emptyStaging(connection, kind),
    // Each page is inserted with its own token, and then noted.
    copyDay: async (move, day, { page_rows = PAGE_ROWS, onPage }) => {
      let copied = day;
      let number = 0;
      for await (const { rows, page } of readPages(client, day, page_rows)) {
        number += 1;
        if (number <= day.pages) continue;
        const token = `move ${move.id} ${day.kind} ${day.day} ${day.attempt} ${number}`;
        await stagePage(connection, day.kind, token, page);
        copied = await update(move, copied, { pages: number, rows_moved: copied.rows_moved + rows });
        onPage?.(rows);
      }
      return copied;
    },
    updateDay: update,
    countRows: (_, day) => countRows(client, day),
    readTotals: async (day) => ({
      from: await readStoredTotals(client, day),
      to: await readStagedTotals(connection, day.kind),
    }),
    attachDay: async (_, day) => {
      await attachStaged(connection, day.kind);
      return day;
    },
    emptySource: () => emptyPostgresFlows(client),
    dropStaging: () => dropStaging(connection),
  };
}

/** Moves what PostgreSQL holds of flows to ClickHouse. See `runMove`. */
export const moveToClickhouse = (stores: Stores, options: MoveOptions): Promise<void> =>
  runMove(stores, listSteps(stores), options);
