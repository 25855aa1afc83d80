import { type SQL, sql } from 'drizzle-orm';
import { type EndFilter, parseEndFilter } from '@/domain/flow/end-filter';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { EPHEMERAL_FROM } from '@/domain/flow/port-of-service';
import { commonConditions, type FlowSelection } from './flow-conditions';
import { oneOf } from './flow-reach';

const wordOf = (text: string | undefined) => (text === undefined ? null : parseEndFilter(text));

/** Whether sums per minute and hour know what the filter asks for. They keep neither addresses nor ephemeral ports. */
export function sumsCanAnswer(filter: FlowFilter): boolean {
  const ends = [filter.address, filter.source, filter.destination].map(wordOf);
  return (
    !filter.q && (filter.port ?? 0) < EPHEMERAL_FROM && ends.every((end) => end === null || end.kind !== 'network')
  );
}

const SOURCE = sql.raw('t.source_workload_id');
const DESTINATION = sql.raw('t.destination_workload_id');

const isInternal = (end: 'source' | 'destination', { kind }: EndFilter): SQL =>
  sql.raw(`${kind === 'internal' ? '' : 'not '}t.${end}_internal`);

/** The WHERE of sums, of the table under the alias `t`; for filters that `sumsCanAnswer`. */
export function rollupConditions(selection: FlowSelection & { until: string }): SQL {
  const { visible, since, until, filter } = selection;
  const conditions = [
    sql`t.bucket_at >= ${since}::timestamptz and t.bucket_at < ${until}::timestamptz`,
    visible === 'all' ? null : sql`(${oneOf(SOURCE, visible)} or ${oneOf(DESTINATION, visible)})`,
    ...commonConditions(selection),
  ];
  const { workload_id, port } = filter;
  if (workload_id !== undefined) {
    conditions.push(sql`(${SOURCE} = ${workload_id}::uuid or ${DESTINATION} = ${workload_id}::uuid)`);
  }
  if (port !== undefined) conditions.push(sql`t.service_port = ${port}`);
  const [address, source, destination] = [filter.address, filter.source, filter.destination].map(wordOf);
  if (address) conditions.push(sql`(${isInternal('source', address)} or ${isInternal('destination', address)})`);
  if (source) conditions.push(isInternal('source', source));
  if (destination) conditions.push(isInternal('destination', destination));
  return sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  );
}

/** The tables that hold sums of a range: minutes only, or hours and the minutes that are not yet summed up to them. */
export function rollupRows(source: 'minutes' | 'hours', columns: SQL, where: SQL): SQL {
  const minutes = sql`select ${columns} from flow_rollup_minutes as t where ${where}`;
  return source === 'minutes'
    ? minutes
    : sql`${minutes} union all select ${columns} from flow_rollup_hours as t where ${where}`;
}
