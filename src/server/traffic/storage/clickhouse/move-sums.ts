import { minuteCutoff } from '@/domain/flow/plan-range';
import { db, type Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { groupBy } from '../../../lib/group-by';
import { fillPart, findSubnets } from '../fill-ends';
import type { EndResolver, Learned } from '../flow-rows';
import { lockTrafficSums } from '../postgres/hours-to-sum';
import type { RollupIdentity } from '../postgres/minutes';
import { addressText } from './conditions';
import type { Connection } from './connection';
import { NEWEST, ROLLUP_IDENTITY, SUMS } from './migrations';
import { addObjectsToOutbox } from './outbox';
import { any, ch, join, NONE, number, type Part, raw, second, text, texts, uuid } from './statement';

const CHUNK_ROWS = 5_000;

/** An end that is not known has `NONE` as its id. */
type Identity = { [Name in keyof RollupIdentity]: Name extends `${string}_id` ? string : RollupIdentity[Name] };
type Sums = Record<(typeof SUMS)[number], number>;
type Stored = Identity & Sums & { bucket_at: string; rollup_key: string; node_id: string; cluster_id: string };

/** A row of `incoming_moves`. */
type Move = Record<string, unknown> & { bucket_at: string; node_id: string; cluster_id: string };

const toIso = (stored: string) => `${stored.replace(' ', 'T')}Z`;
const orNull = (id: string): string | null => (id === NONE ? null : id);
const list = (alias: string, names: readonly string[]) =>
  raw(names.map((name) => `${alias}.${name} as ${name}`).join(', '));

/** What a row takes from where it was, and brings to where it belongs. */
function planMove(row: Stored & Record<string, unknown>, to: Identity, isPart: boolean, staysPart: boolean): Move[] {
  const { rollup_key: _, ...from } = row;
  const taken = Object.fromEntries(SUMS.map((name) => [name, -row[name]]));
  return [
    { ...from, ...taken, is_resolvable: isPart },
    { ...from, ...to, is_resolvable: isPart && staysPart },
  ];
}

async function storeMoves(tx: Tx, moves: readonly Move[]): Promise<void> {
  for (const [cluster_id, ofCluster] of groupBy(moves, (move) => move.cluster_id)) {
    const node = { node_id: ofCluster[0]?.node_id ?? '', cluster_id };
    const observed = [...new Set(ofCluster.map(({ bucket_at }) => toIso(bucket_at)))];
    await addObjectsToOutbox(tx, node, 'incoming_moves', ofCluster, observed);
  }
}

export type PartPosition = {
  bucket_at: string;
  node_id: string;
  rollup_key: string;
  conversation_id: string;
  forward: boolean;
};
type StoredPart = Stored & PartPosition & { began_at: string };

const PART_KEY = 'p.bucket_at, p.node_id, p.rollup_key, p.conversation_id, p.forward';

function readParts(connection: Connection, after: PartPosition | null): Promise<StoredPart[]> {
  const from = after && ch`toDateTime(${text(after.bucket_at)}, 'UTC')`;
  const isAfter =
    after && from
      ? ch`p.bucket_at >= ${from} and (${raw(PART_KEY)}) > (${from}, ${uuid(after.node_id)}, ${uuid(after.rollup_key)},
          ${uuid(after.conversation_id)}, ${raw(String(after.forward))})`
      : raw('true');
  return connection.read<StoredPart>(ch`
    select ${list('p', ['bucket_at', 'node_id', 'rollup_key', 'conversation_id', 'forward', 'cluster_id', 'began_at', ...ROLLUP_IDENTITY, ...SUMS])}
    from unresolved_minutes as p final where ${isAfter} order by ${raw(PART_KEY)} limit ${number(CHUNK_ROWS)}`);
}

type KnownFlow = {
  key: string;
  source_ip: string;
  destination_ip: string;
  vmid: number | null;
  workload_id: string;
  source_workload_id: string;
  destination_workload_id: string;
};

const toFlowKey = (row: { conversation_id: string; forward: boolean; decision: string; node_id: string }) =>
  `${row.conversation_id} ${row.forward} ${row.decision} ${row.node_id}`;

/** The flows of some parts as they are stored now. */
async function findFlows(connection: Connection, parts: readonly StoredPart[]): Promise<Map<string, KnownFlow>> {
  if (parts.length === 0) return new Map();
  const keys = new Map(parts.map((part) => [part.conversation_id, part.began_at]));
  const tuples = [...keys].map(([id, began]) => ch`(${second(Date.parse(toIso(began)))}, ${uuid(id)})`);
  const newest = (name: string) => `tupleElement(f.newest, ${NEWEST.findIndex(([known]) => known === name) + 1})`;
  const rows = await connection.read<KnownFlow>(ch`
    select concat(toString(f.conversation_id), ' ', if(f.forward, 'true', 'false'), ' ', f.decision, ' ', toString(f.node_id)) as key,
      ${addressText(raw('f.source_ip'))} as source_address, ${addressText(raw('f.destination_ip'))} as destination_address,
      ${raw(`${newest('vmid')} as vmid, ${newest('workload_id')} as workload_id`)}, f.source_workload_id as source_workload_id,
      f.destination_workload_id as destination_workload_id
    from flows as f final where (f.began_at, f.conversation_id) in (${join(tuples, ', ')})`);
  return new Map(
    rows.map((row) => {
      const { source_address, destination_address } = row as KnownFlow &
        Record<`${'source' | 'destination'}_address`, string>;
      return [row.key, { ...row, source_ip: source_address, destination_ip: destination_address }];
    }),
  );
}

/** Moves what flows had added to the totals of unknown ends to those of the ends that are known by now. */
export async function fillParts(connection: Connection, resolver: EndResolver, after: PartPosition | null) {
  return db.transaction(async (tx) => {
    await lockTrafficSums(tx);
    const parts = await readParts(connection, after);
    const flows = await findFlows(connection, parts);
    const moves = parts.flatMap((part): Move[] => {
      const flow = flows.get(toFlowKey(part));
      if (!flow) return [];
      const minute = {
        source_workload_id: orNull(part.source_workload_id),
        destination_workload_id: orNull(part.destination_workload_id),
      };
      const seen = {
        ...{ ...flow, node_id: part.node_id, cluster_id: part.cluster_id, workload_id: orNull(flow.workload_id) },
        source_workload_id: orNull(flow.source_workload_id),
        destination_workload_id: orNull(flow.destination_workload_id),
      };
      const filled = fillPart({ flow: seen, minute, bucket_at: toIso(part.bucket_at) }, resolver);
      const prefixes = findSubnets(resolver, part);
      if (!filled && !prefixes) return [];
      const ends = filled?.ends ?? minute;
      const to: Identity = {
        ...part,
        ...prefixes,
        source_workload_id: ends.source_workload_id ?? NONE,
        destination_workload_id: ends.destination_workload_id ?? NONE,
      };
      const identity = Object.fromEntries(ROLLUP_IDENTITY.map((name) => [name, to[name as keyof Identity]]));
      return planMove(part, identity as Identity, true, filled?.is_resolvable ?? true);
    });
    await storeMoves(tx, moves);
    const last = parts.length === CHUNK_ROWS ? (parts.at(-1) ?? null) : null;
    const position = last && {
      ...{ bucket_at: last.bucket_at, node_id: last.node_id, rollup_key: last.rollup_key },
      ...{ conversation_id: last.conversation_id, forward: last.forward },
    };
    return { last: position, moved: moves.length / 2 };
  });
}

/** Totals by the minute first, then those by the hour of the time before. */
export type SumPosition = {
  table: 'minutes' | 'hours';
  after: { bucket_at: string; rollup_key: string; node_id: string } | null;
};

/** Networks that were external when they were stored, and are in a known subnet by now. */
async function findLearnedPrefixes(connection: Connection, resolver: EndResolver, table: string): Promise<string[]> {
  const rows = await connection.read<{ prefix: string }>(ch`
    select distinct arrayJoin([if(r.source_internal, '', toString(r.source_prefix)), if(r.destination_internal, '', toString(r.destination_prefix))])
      as prefix from ${raw(table)} as r`);
  return rows.map(({ prefix }) => prefix).filter((prefix) => prefix !== '' && resolver.subnetAround(prefix) !== null);
}

/** Moves totals of networks that are known by now. @returns where to go on; null: nothing is left */
export function moveSums(
  connection: Connection,
  resolver: EndResolver,
  learned: Learned | null,
  { table, after }: SumPosition,
): Promise<{ next: SumPosition | null; moved: number }> {
  const following: SumPosition | null = table === 'minutes' ? { table: 'hours', after: null } : null;
  if (resolver.subnetsAmong(learned?.networks ?? null).length === 0) return Promise.resolve({ next: null, moved: 0 });
  return db.transaction(async (tx) => {
    await lockTrafficSums(tx);
    const prefixes = await findLearnedPrefixes(connection, resolver, `rollup_${table}`);
    if (prefixes.length === 0) return { next: following, moved: 0 };
    const border = second(minuteCutoff(clock.now().getTime()));
    const from = after && ch`toDateTime(${text(after.bucket_at)}, 'UTC')`;
    const isAfter =
      after && from
        ? ch`r.bucket_at >= ${from} and (r.bucket_at, r.rollup_key, r.node_id) > (${from}, ${uuid(after.rollup_key)}, ${uuid(after.node_id)})`
        : raw('true');
    const isExternal = (end: string): Part =>
      ch`(not r.${raw(end)}_internal and has(${texts(prefixes)}, r.${raw(end)}_prefix))`;
    const rows = await connection.read<Stored>(ch`
      select ${list('r', ['bucket_at', 'rollup_key', 'node_id', 'cluster_id', ...ROLLUP_IDENTITY, ...SUMS])}
      from ${raw(`rollup_${table}`)} as r final
      where ${table === 'minutes' ? ch`r.bucket_at >= ${border}` : ch`r.bucket_at < ${border}`} and ${isAfter}
        and ${any([isExternal('source'), isExternal('destination')])}
      order by r.bucket_at, r.rollup_key, r.node_id limit ${number(CHUNK_ROWS)}`);
    const moves = rows.flatMap((row): Move[] => {
      const found = findSubnets(resolver, row);
      const whole = { ...row, conversation_id: NONE, began_at: row.bucket_at, forward: true };
      return found
        ? planMove(whole, { ...row, ...found }, false, false).map(({ rollup_key: _, ...move }) => move as Move)
        : [];
    });
    await storeMoves(tx, moves);
    const last = rows.length === CHUNK_ROWS ? rows.at(-1) : undefined;
    const next: SumPosition | null = last
      ? { table, after: { bucket_at: last.bucket_at, rollup_key: last.rollup_key, node_id: last.node_id } }
      : following;
    return { next, moved: moves.length / 2 };
  });
}
