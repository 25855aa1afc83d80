/** A step of the schema; once released it is never edited. */
export type Migration = { readonly version: number; readonly name: string; readonly statements: readonly string[] };

/** Zero where there is none: groups by nullable ones take more than three times as long. */
const LOW_ID = 'LowCardinality(UUID)';
/** Empty where there is none, for the same reason. */
const LOW_TEXT = 'LowCardinality(String)';
const TIME = `DateTime64(3, 'UTC')`;
const SECOND = `DateTime('UTC')`;
const PACKED = 'CODEC(ZSTD(1))';
const DELTA = 'CODEC(Delta, ZSTD(1))';
const COUNTER = 'CODEC(T64, ZSTD(1))';
/** Inserts that a repeated batch is recognized among. A batch is repeated before the next one is sent. */
const WINDOW = 'non_replicated_deduplication_window = 1000';

const of = (fold: string, type: string, codec = '') =>
  `SimpleAggregateFunction(${fold}, ${type})${codec && ` ${codec}`}`;

/** Of a flow what was seen last, in this order. */
export const NEWEST = [
  ['seen_at', TIME],
  ['interface', 'Nullable(String)'],
  ['vmid', 'Nullable(UInt32)'],
  ['nic', 'Nullable(UInt16)'],
  ['vlan', 'Nullable(UInt16)'],
  ['workload_id', 'UUID'],
  ['state', 'Nullable(String)'],
  ['collector', 'String'],
  ['initiator', 'Nullable(String)'],
  ['icmp_type', 'Nullable(UInt16)'],
  ['icmp_code', 'Nullable(UInt16)'],
  ['raw', 'Nullable(String)'],
] as const;

/** The largest of these tuples, which begin with their time, is the newest: a report that came late changes nothing. */
const NEWEST_TYPE = `Tuple(${NEWEST.map(([, type]) => type).join(', ')})`;

/**
 * The identity of a flow. All other columns are folded so that a row with nothing but an end (zero, empty, null, and the last possible time
 * where the smallest is kept) only fills in this end. The hour in which its conversation began comes first, so that flows
 * are sorted by time.
 */
export const FLOW_KEY = 'began_at, conversation_id, forward, decision, node_id';

const FLOW_COLUMNS: readonly (readonly [name: string, plain: string, stored: string])[] = [
  ['began_at', SECOND, `${SECOND} ${DELTA}`],
  ['conversation_id', 'UUID', `UUID ${PACKED}`],
  ['forward', 'Bool', 'Bool'],
  ['decision', 'String', LOW_TEXT],
  ['node_id', 'UUID', LOW_ID],
  ['cluster_id', 'UUID', of('max', LOW_ID)],
  ['protocol', 'String', of('max', LOW_TEXT)],
  ['source_ip', 'IPv6', of('max', 'IPv6', PACKED)],
  ['destination_ip', 'IPv6', of('max', 'IPv6', PACKED)],
  ['source_port', 'Nullable(UInt16)', of('max', 'Nullable(UInt16)', PACKED)],
  ['destination_port', 'Nullable(UInt16)', of('max', 'Nullable(UInt16)', PACKED)],
  ['bytes', 'Nullable(Int64)', of('sum', 'Nullable(Int64)', COUNTER)],
  ['packets', 'Nullable(Int64)', of('sum', 'Nullable(Int64)', COUNTER)],
  ['first_seen_at', TIME, of('min', TIME, DELTA)],
  ['observed_at', TIME, of('max', TIME, DELTA)],
  ['created_at', TIME, of('min', TIME, DELTA)],
  ['updated_at', TIME, of('max', TIME, DELTA)],
  // When it was stored, or an end became known, by the clock of PostgreSQL: its conversation settles after that.
  ['changed_at', TIME, of('max', TIME, DELTA)],
  ['source_workload_id', 'UUID', of('max', LOW_ID)],
  ['destination_workload_id', 'UUID', of('max', LOW_ID)],
  ['source_cidr', 'String', of('max', LOW_TEXT)],
  ['destination_cidr', 'String', of('max', LOW_TEXT)],
  // An ICMP message that opens a conversation names it, whatever comes later: type and code in one number.
  ['opening_icmp', 'Nullable(UInt16)', of('max', 'Nullable(UInt16)')],
  ['newest', NEWEST_TYPE, of('max', NEWEST_TYPE, PACKED)],
  // Ended because a workload went to another tenant.
  ['is_final', 'Bool', of('max', 'Bool')],
];

/** What totals by the minute need of a row besides the columns of its flow. */
const ROLLUP_COLUMNS: readonly (readonly [name: string, plain: string])[] = [
  ['source_prefix', 'String'],
  ['destination_prefix', 'String'],
  ['service_port', 'Nullable(UInt16)'],
  ['reply', 'Bool'],
  ['is_new', 'Bool'],
  // An end is unknown that may turn out to be a workload.
  ['is_resolvable', 'Bool'],
];

/** What a rollup's key is made of. */
export const ROLLUP_IDENTITY = [
  ...['source_workload_id', 'destination_workload_id', 'source_prefix', 'destination_prefix'],
  ...['source_internal', 'destination_internal', 'protocol', 'service_port', 'reply', 'decision'],
];
const IDENTITY = ROLLUP_IDENTITY.join(', ');

/** SQL of the key, of these columns. */
export const rollupKey = (columns: readonly string[]): string =>
  `reinterpretAsUUID(sipHash128(tuple(${columns.join(', ')})))`;

const IDENTITY_COLUMNS = `
    source_workload_id ${LOW_ID}, destination_workload_id ${LOW_ID}, source_prefix ${LOW_TEXT},
    destination_prefix ${LOW_TEXT}, source_internal Bool, destination_internal Bool, protocol ${LOW_TEXT},
    service_port Nullable(UInt16), reply Bool, decision ${LOW_TEXT}`;

/** By the number of reports a row that counts nothing differs from one whose content moved elsewhere. */
export const SUMS = ['bytes', 'packets', 'flows', 'reports'] as const;
const SUM_COLUMNS = SUMS.map((name) => `${name} Int64 ${COUNTER}`).join(', ');

const createRollups = (bucket: 'minute' | 'hour'): string => `
  create table rollup_${bucket}s (
    bucket_at ${SECOND} ${DELTA}, rollup_key UUID ${PACKED}, node_id ${LOW_ID}, cluster_id ${LOW_ID}, ${IDENTITY_COLUMNS},
    ${SUM_COLUMNS})
  engine = SummingMergeTree((${SUMS.join(', ')})) partition by ${bucket === 'minute' ? 'toDate(bucket_at)' : 'toYYYYMM(bucket_at)'}
  order by (bucket_at, rollup_key, node_id) settings ${WINDOW}`;

/**
 * What counts of a day that is over, and what does not, of all its hours; `bucket_at` is the last one. A day is replaced as a whole (`made_days`).
 */
const createDays = (table: string): string => `
  create table ${table} (day Date, bucket_at ${SECOND} ${DELTA}, node_id ${LOW_ID}, cluster_id ${LOW_ID}, ${IDENTITY_COLUMNS}, counted Bool,
    ${['bytes', 'packets', 'flows'].map((name) => `${name} Int64 ${COUNTER}`).join(', ')})
  engine = MergeTree partition by day order by (source_workload_id, destination_workload_id, source_prefix, destination_prefix)`;

/** Reports with what they add to totals, of a bucket of time. */
const addedRows = (bucket: 'Minute' | 'Hour') => `
  (select toStartOf${bucket}(observed_at) as bucket_at, node_id, cluster_id, conversation_id, began_at, forward, source_workload_id,
    destination_workload_id, source_prefix, destination_prefix, source_cidr <> '' as source_internal,
    destination_cidr <> '' as destination_internal, protocol, service_port, reply, decision, ifNull(bytes, 0) as added_bytes,
    ifNull(packets, 0) as added_packets, is_new, is_resolvable
  from incoming_flows)`;
const ADDED = `sum(added_bytes) as bytes, sum(added_packets) as packets, sum(toInt64(is_new)) as flows, toInt64(count()) as reports`;

const createRollupView = (bucket: 'minute' | 'hour'): string => `
  create materialized view to_rollup_${bucket}s to rollup_${bucket}s as
  select bucket_at, ${rollupKey(ROLLUP_IDENTITY)} as rollup_key, node_id, cluster_id, ${IDENTITY}, ${ADDED}
  from ${addedRows(bucket === 'minute' ? 'Minute' : 'Hour')}
  group by bucket_at, node_id, cluster_id, ${IDENTITY}`;

/** What of a minute came from which flow, as long as an end of it is unknown that may turn out to be a workload. */
const CREATE_UNRESOLVED = `
  create table unresolved_minutes (
    bucket_at ${SECOND} ${DELTA}, rollup_key UUID ${PACKED}, node_id ${LOW_ID}, conversation_id UUID ${PACKED}, forward Bool,
    cluster_id ${LOW_ID}, began_at ${SECOND}, ${IDENTITY_COLUMNS}, ${SUM_COLUMNS})
  engine = SummingMergeTree((${SUMS.join(', ')})) partition by toDate(bucket_at)
  order by (bucket_at, node_id, rollup_key, conversation_id, forward) settings ${WINDOW}`;
const CREATE_UNRESOLVED_VIEW = `
  create materialized view to_unresolved_minutes to unresolved_minutes as
  select bucket_at, ${rollupKey(ROLLUP_IDENTITY)} as rollup_key, node_id, conversation_id, forward, cluster_id, began_at, ${IDENTITY}, ${ADDED}
  from ${addedRows('Minute')} where is_resolvable
  group by bucket_at, node_id, conversation_id, forward, cluster_id, began_at, ${IDENTITY}`;

/** Columns of `flows`. */
export const FLOW_NAMES = FLOW_COLUMNS.map(([name]) => name);

const names = FLOW_NAMES.join(', ');

/** The end of time, where the smallest is kept. */
const LAST = `toDateTime64('2299-12-31 00:00:00', 3, 'UTC')`;
const ENDS = [
  'changed_at',
  'source_workload_id',
  'destination_workload_id',
  'source_cidr',
  'destination_cidr',
  'newest',
  'is_final',
];
const KEY_NAMES = FLOW_KEY.split(', ');

/** What becomes known about flows after they were stored: in all other columns is what changes nothing. */
const CREATE_ENDS = `
  create table incoming_ends (${FLOW_COLUMNS.filter(([name]) => KEY_NAMES.includes(name) || ENDS.includes(name))
    .map(([name, plain]) => `${name} ${plain}`)
    .join(', ')})
  engine = Null`;
const CREATE_ENDS_VIEW = `
  create materialized view to_flow_ends to flows as
  select ${FLOW_KEY}, ${ENDS.join(', ')}, ${LAST} as first_seen_at, ${LAST} as created_at from incoming_ends`;

/** What moves between totals: a negative row where it was, a positive one where it belongs. */
const CREATE_MOVES = `
  create table incoming_moves (
    bucket_at ${SECOND}, node_id UUID, conversation_id UUID, forward Bool, cluster_id UUID, began_at ${SECOND}, is_resolvable Bool,
    ${IDENTITY_COLUMNS}, ${SUMS.map((name) => `${name} Int64`).join(', ')})
  engine = Null`;
/** Rows of totals as they are given, by the bucket. @param rows what is read, as `m` */
export const selectMoves = (bucket: 'minute' | 'hour', rows: string): string =>
  `select bucket_at, ${rollupKey(ROLLUP_IDENTITY)} as rollup_key, node_id, cluster_id, ${IDENTITY},
    ${SUMS.map((name) => `sum(moved_${name}) as ${name}`).join(', ')}
  from (select toStartOf${bucket === 'minute' ? 'Minute' : 'Hour'}(m.bucket_at) as bucket_at, m.node_id as node_id, m.cluster_id as cluster_id,
    ${ROLLUP_IDENTITY.map((name) => `m.${name} as ${name}`).join(', ')}, ${SUMS.map((name) => `m.${name} as moved_${name}`).join(', ')}
    from ${rows})
  group by bucket_at, node_id, cluster_id, ${IDENTITY}`;
/** What of them came from flows with an end that may turn out to be a workload. */
export const selectMovedParts = (rows: string): string =>
  `select bucket_at, ${rollupKey(ROLLUP_IDENTITY)} as rollup_key, node_id, conversation_id, forward, cluster_id, began_at, ${IDENTITY},
    ${SUMS.join(', ')}
  from ${rows} where is_resolvable`;
const createMovesView = (bucket: 'minute' | 'hour') => `
  create materialized view to_moved_${bucket}s to rollup_${bucket}s as
  ${selectMoves(bucket, 'incoming_moves as m')}`;
const CREATE_MOVED_PARTS = `
  create materialized view to_moved_parts to unresolved_minutes as
  ${selectMovedParts('incoming_moves')}`;

/** What was last seen before has expired, by the newest run of the retention. */
const CREATE_EXPIRY = `
  create table flow_expiry (one UInt8, until ${of('max', TIME)}) engine = AggregatingMergeTree order by one`;

/** Conversations as they are read (`conversationRows`), of which `bytes` and `packets` follow from those of both ends. */
export const CONVERSATION_COLUMNS: Readonly<Record<string, string>> = {
  id: `UUID ${PACKED}`,
  ...{ cluster_id: LOW_ID, protocol: LOW_TEXT, client_ip: `IPv6 ${PACKED}`, server_ip: `IPv6 ${PACKED}` },
  ...{ client_port: `Nullable(UInt16) ${PACKED}`, server_port: `Nullable(UInt16) ${PACKED}` },
  ...{ service_port: `Nullable(UInt16) ${PACKED}`, is_client_known: 'Bool' },
  ...{ client_workload_id: LOW_ID, server_workload_id: LOW_ID, client_cidr: LOW_TEXT, server_cidr: LOW_TEXT },
  ...{ workload_id: LOW_ID, nic: 'Nullable(UInt16)', icmp_type: 'Nullable(UInt16)', icmp_code: 'Nullable(UInt16)' },
  ...{ client_bytes: `Nullable(Int64) ${COUNTER}`, client_packets: `Nullable(Int64) ${COUNTER}` },
  ...{ server_bytes: `Nullable(Int64) ${COUNTER}`, server_packets: `Nullable(Int64) ${COUNTER}` },
  ...{ action: LOW_TEXT, decision: LOW_TEXT, is_closed: 'Bool', is_final: 'Bool' },
  node_ids: 'Array(LowCardinality(String))',
  ...Object.fromEntries(
    ['first_seen_at', 'last_seen_at', 'created_at', 'changed_at'].map((name) => [name, `${TIME} ${DELTA}`]),
  ),
};

/** Conversations of the same ends are side by side, so parts of a table have few workloads. */
const indexEnds = (columns: Readonly<Record<string, string>>): string[] =>
  Object.entries(columns).map(([name, column]) => `index by_${name} ${column} type set(300) granularity 1`);

/** Tables of what has been put together from flows: all of it can be made from them again. */
export const SETTLED_TABLES = ['settled_conversations', 'settled_until', 'ended_conversations'] as const;

/** Up to which change every conversation is in `settled_conversations` as its flows have it. */
const CREATE_SETTLED = `
  create table settled_conversations (began_at ${SECOND} ${DELTA},
    ${Object.entries(CONVERSATION_COLUMNS)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')},
    index seen last_seen_at type minmax granularity 1, index begun first_seen_at type minmax granularity 1,
    index changed changed_at type minmax granularity 1, ${indexEnds({ client: 'client_workload_id', server: 'server_workload_id', observer: 'workload_id' }).join(', ')})
  engine = ReplacingMergeTree(changed_at) partition by toDate(began_at) order by (began_at, id)`;
const CREATE_SETTLED_UNTIL = `
  create table settled_until (one UInt8, until ${of('max', TIME)}) engine = AggregatingMergeTree order by one`;

/** A workload moved and ended these: no change of them, but they are shown as ended. An hour later they have ended anyway. */
const CREATE_ENDED = `
  create table ended_conversations (ended_at ${SECOND} default now('UTC'), began_at ${SECOND}, conversation_id UUID)
  engine = MergeTree order by ended_at ttl ended_at + interval 1 day`;
const CREATE_ENDED_VIEW = `
  create materialized view to_ended_conversations to ended_conversations as
  select distinct now('UTC') as ended_at, began_at, conversation_id from incoming_ends where is_final`;

const list = (columns: readonly string[]) => columns.join(',\n    ');

/** The schema, in steps. Rows of a batch go into `incoming_flows`, which stores nothing: views write the tables. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'flows-and-totals',
    statements: [
      `create table flows (\n    ${list(FLOW_COLUMNS.map(([name, , stored]) => `${name} ${stored}`))},
    index seen observed_at type minmax granularity 1, index begun first_seen_at type minmax granularity 1,
    index changed changed_at type minmax granularity 1)
  engine = AggregatingMergeTree partition by toDate(began_at) order by (${FLOW_KEY}) settings ${WINDOW}`,
      createRollups('minute'),
      createRollups('hour'),
      CREATE_UNRESOLVED,
      `create table incoming_flows (\n    ${list([...FLOW_COLUMNS, ...ROLLUP_COLUMNS].map(([name, plain]) => `${name} ${plain}`))})
  engine = Null`,
      `create materialized view to_flows to flows as select ${names} from incoming_flows`,
      createRollupView('minute'),
      createRollupView('hour'),
      CREATE_UNRESOLVED_VIEW,
      CREATE_ENDS,
      CREATE_ENDS_VIEW,
      CREATE_MOVES,
      createMovesView('minute'),
      createMovesView('hour'),
      CREATE_MOVED_PARTS,
      CREATE_EXPIRY,
    ],
  },
  {
    version: 2,
    name: 'settled-conversations',
    statements: [
      ...indexEnds({
        source: 'source_workload_id',
        destination: 'destination_workload_id',
        observer: `tupleElement(newest, ${NEWEST.findIndex(([name]) => name === 'workload_id') + 1})`,
      }).map((index) => `alter table flows add ${index}`),
      CREATE_SETTLED,
      CREATE_SETTLED_UNTIL,
      CREATE_ENDED,
      CREATE_ENDED_VIEW,
    ],
  },
  { version: 3, name: 'counted-days', statements: ['counted_days', 'made_days'].map(createDays) },
];

/** Tables of these steps that have rows of their own. */
export const STORED_TABLES: readonly string[] = MIGRATIONS.flatMap(({ statements }) => statements).flatMap(
  (statement) => /^\s*create table (\w+)[\s\S]*engine = \w*MergeTree/.exec(statement)?.[1] ?? [],
);
