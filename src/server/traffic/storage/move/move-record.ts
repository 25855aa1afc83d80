import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import type { Executor } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import type { StorageEngine } from '../clickhouse/storage-mark';

export type MoveKind = 'totals' | 'flows';

/** A move of stored flows to another store, as far as it has come. */
export type Move = {
  id: number;
  engine: StorageEngine;
  /** The ClickHouse that it is to or from; null: an earlier release began it. */
  store_id: string | null;
  is_switched: boolean;
  is_planned: boolean;
  is_moved: boolean;
};

/** One day of it. `attaching`: all of it is copied, and both stores agree. */
export type MoveDay = {
  kind: MoveKind;
  /** Where the day begins, in UTC. */
  day: string;
  state: 'waiting' | 'attaching' | 'moved';
  rows: number;
  rows_moved: number;
  pages: number;
  attempt: number;
  /** Where the next page begins; null: at the start, or pages are found by their number. */
  position: string | null;
};

/** What a move has still to do. */
export type MoveProgress = {
  engine: StorageEngine;
  is_switched: boolean;
  rows: number;
  rows_moved: number;
  /** The newest day that has not moved of totals and of flows; null: all have. Before the days are listed it is the present. */
  totals_missing_until: string | null;
  flows_missing_until: string | null;
};

const DAY = `YYYY-MM-DD"T"HH24:MI:SS"Z"`;

/** The move that is not finished; null: there is none. */
export async function findMove(client: postgres.Sql): Promise<Move | null> {
  const [move] = await client<Move[]>`
    select id::float8 as id, engine, store_id, switched_at is not null as is_switched, planned_at is not null as is_planned,
      moved_at is not null as is_moved
    from flow_moves where finished_at is null order by id limit 1`;
  return move ?? null;
}

/** How far the unfinished move is; null: there is none. */
export async function readMoveProgress(client: postgres.Sql): Promise<MoveProgress | null> {
  const [row] = await client<MoveProgress[]>`
    select m.engine, m.switched_at is not null as is_switched, coalesce(sum(d.rows), 0)::float8 as rows,
      coalesce(sum(d.rows_moved), 0)::float8 as rows_moved,
      case when m.planned_at is null then to_char(now() at time zone 'UTC', ${DAY})
        else to_char((max(d.day) filter (where d.kind = 'totals' and d.state <> 'moved')) at time zone 'UTC', ${DAY}) end as totals_missing_until,
      case when m.planned_at is null then to_char(now() at time zone 'UTC', ${DAY})
        else to_char((max(d.day) filter (where d.kind = 'flows' and d.state <> 'moved')) at time zone 'UTC', ${DAY}) end as flows_missing_until
    from flow_moves as m left join flow_move_days as d on d.move_id = m.id
    where m.finished_at is null group by m.id order by m.id limit 1`;
  return row ?? null;
}

/**
 * Begins a move, or continues the one that is not finished.
 * @param storeId the ClickHouse that it is to or from
 * @throws AppError `refused` when that one goes elsewhere
 */
export async function beginMove(client: postgres.Sql, engine: StorageEngine, storeId: string): Promise<Move> {
  const known = await findMove(client);
  if (known && known.engine !== engine) {
    throw new AppError(
      'refused',
      `A move to ${known.engine} is not finished. Finish it first: fabric flow-store move --to ${known.engine}.`,
    );
  }
  if (known?.is_switched) return known;
  // What has not been switched to has nothing in the other store.
  if (known) await client`update flow_moves set store_id = ${storeId} where id = ${known.id}`;
  else await client`insert into flow_moves (engine, store_id) values (${engine}, ${storeId})`;
  return (await findMove(client)) ?? beginMove(client, engine, storeId);
}

/** Days that have not moved: totals before flows, and the newest first. */
export const listDays = (client: postgres.Sql, { id }: Move): Promise<MoveDay[]> =>
  client<MoveDay[]>`
    select kind, to_char(day at time zone 'UTC', ${DAY}) as day, state, rows::float8 as rows, rows_moved::float8 as rows_moved, pages, attempt, position
    from flow_move_days where move_id = ${id} and state <> 'moved' order by kind desc, flow_move_days.day desc`;

/** Notes how far a day is. @throws Error when another process has changed the day in the meantime */
export async function updateDay(
  executor: Executor,
  { id }: Move,
  day: MoveDay,
  change: Partial<Pick<MoveDay, 'state' | 'rows_moved' | 'pages' | 'attempt' | 'position'>>,
): Promise<MoveDay> {
  const changed = { ...day, ...change };
  const rows = await executor.execute(sql`
    update flow_move_days set state = ${changed.state}, rows_moved = ${changed.rows_moved}, pages = ${changed.pages}, attempt = ${changed.attempt},
      position = ${changed.position}
    where move_id = ${id} and kind = ${day.kind} and day = ${day.day}::timestamptz and state = ${day.state} and pages = ${day.pages}
      and attempt = ${day.attempt} and position is not distinct from ${day.position}::text returning 1`);
  if (rows.length === 0) throw new Error('another process moves the same day');
  return changed;
}

const STEPS = { planned: 'planned_at', moved: 'moved_at', finished: 'finished_at' } as const;

/** Notes that a step of the move is done. */
export async function noteStep(client: postgres.Sql, { id }: Move, step: keyof typeof STEPS): Promise<void> {
  await client`update flow_moves set ${client(STEPS[step])} = now() where id = ${id}`;
}
