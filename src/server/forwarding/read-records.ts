import { HOUR_MS, MINUTE_MS } from '@/domain/durations';
import { CONVERSATION_IDLE_MS } from '@/domain/flow/assign-conversation';
import { type ForwardedRecord, toAuditEvent } from '@/domain/forwarding/record';
import type { TenantReach } from '@/domain/permissions';
import { countAuditRecordsAfter, firstAuditSeq, lastAuditRecord, listAuditRecordsAfter } from '../audit/queries/audit';
import { db } from '../db/client';
import { storedSettings } from '../settings/settings';
import { findFlowReach } from '../traffic/queries/flow-reach';
import type { SettledConversation, SettledPosition } from '../traffic/storage/flow-rows';
import { flowStore } from '../traffic/storage/flow-store';
import type { DestinationRow } from './queries/forwarding-destinations';
import type { ForwardingPosition } from './queries/forwarding-streams';
import { readAhead } from './read-ahead';

/** As the id of a position: everything that was due until its time was read. */
export const ALL_UNTIL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Conversations that settled in this time are sorted together: a receiver that was away for long gets them part by part. */
const WINDOW_MS = 10 * MINUTE_MS;
/** Conversations that expire so soon may do so before they are read: also during the pause after a failure. */
const EXPIRING_MS = 20 * MINUTE_MS;

export type Batch<R> = {
  records: { record: R; position: ForwardingPosition }[];
  /** Where the stream is when all of them were sent. */
  end: ForwardingPosition;
  /** Whether there is nothing after them now. */
  is_last: boolean;
};
/** What is skipped: records that cannot be read any more, or are too old. */
export type Loss = { lost: number; is_lost_exact: boolean; position: ForwardingPosition };

/** How records of one stream are read after a position. */
export type RecordSource<R = ForwardedRecord> = {
  /** What is lost since the position; null: nothing. */
  findLoss: (position: ForwardingPosition) => Promise<Loss | null>;
  read: (position: ForwardingPosition, limit: number) => Promise<Batch<R>>;
  countWaiting: (position: ForwardingPosition) => Promise<number>;
};

type Destination = Pick<DestinationRow, 'tenant_id' | 'max_wait_hours'>;

const getReach = ({ tenant_id }: Destination): TenantReach => (tenant_id === null ? 'all' : [tenant_id]);

const getSeq = (position: ForwardingPosition): number => ('seq' in position ? position.seq : 0);

/** The audit trail: in its order, without gaps unless its retention made them. */
export function readAudit(destination: Destination, host: string): RecordSource {
  const tenants = getReach(destination);
  return {
    findLoss: async (position) => {
      const first = await firstAuditSeq(db);
      const lost = (first ?? 0) - 1 - getSeq(position);
      if (first === null || lost <= 0) return null;
      // Of removed records it is not known whose they were.
      return { lost, is_lost_exact: tenants === 'all', position: { seq: first - 1 } };
    },
    read: async (position, limit) => {
      const newest = (await lastAuditRecord(db))?.seq ?? 0;
      const rows = await listAuditRecordsAfter(tenants, getSeq(position), limit);
      const records = rows.map(({ seq, record }) => ({ record: toAuditEvent(host, record), position: { seq } }));
      const is_last = rows.length < limit;
      const last = rows.at(-1)?.seq ?? getSeq(position);
      return { records, end: { seq: is_last ? Math.max(newest, last) : last }, is_last };
    },
    countWaiting: (position) => countAuditRecordsAfter(tenants, getSeq(position)),
  };
}

const getSettled = (position: ForwardingPosition): SettledPosition =>
  'seq' in position ? { due_at: new Date(0).toISOString(), id: ALL_UNTIL } : position;

const toTime = (ms: number): string => new Date(ms).toISOString();

/** Conversations in the order in which they ended, or changed after that. `toRecord` makes what is sent of one. */
export function readConversations<R>(
  destination: Destination,
  toRecord: (conversation: SettledConversation) => R,
): RecordSource<R> {
  const { settled } = flowStore();
  const getKeptMs = async () => (await storedSettings(db)).flow_retention_hours * HOUR_MS;
  /** What settles now may be as old as what is kept: who owned its workloads then decides. */
  const findReach = async (now: string) =>
    findFlowReach(getReach(destination), toTime(Date.parse(now) - (await getKeptMs()) - EXPIRING_MS));
  return {
    findLoss: async (position) => {
      const after = getSettled(position);
      const clock = await settled.readClock();
      const now = Date.parse(clock.now);
      const kept = await getKeptMs();
      const oldest = now - Math.min(destination.max_wait_hours * HOUR_MS, kept - EXPIRING_MS);
      if (Date.parse(after.due_at) >= oldest) return null;
      const until = toTime(oldest);
      const lost = await settled.count(await findReach(clock.now), { after, until });
      // They expire by when they were last seen.
      const is_lost_exact = Date.parse(after.due_at) >= now - kept + CONVERSATION_IDLE_MS;
      return { lost, is_lost_exact, position: { due_at: until, id: ALL_UNTIL } };
    },
    read: readAhead(async (position, limit) => {
      const after = getSettled(position);
      const { now, complete_until: complete } = await settled.readClock();
      const until = toTime(Math.min(Date.parse(after.due_at) + WINDOW_MS, Date.parse(complete)));
      if (Date.parse(until) < Date.parse(after.due_at)) return { records: [], end: position, is_last: true };
      const rows = await settled.list(await findReach(now), { after, until }, limit);
      const records = rows.map((row) => ({
        record: toRecord(row),
        position: { due_at: row.due_at, id: row.id },
      }));
      if (rows.length === limit) return { records, end: records.at(-1)?.position ?? position, is_last: false };
      return { records, end: { due_at: until, id: ALL_UNTIL }, is_last: until === complete };
    }),
    countWaiting: async (position) => {
      const after = getSettled(position);
      const { now, complete_until: until } = await settled.readClock();
      return settled.count(await findReach(now), { after, until });
    },
  };
}
