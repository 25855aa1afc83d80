import {
  canEncode,
  encodeIpfix,
  encodeIpfixTemplates,
  type IpfixMessage,
  type IpfixRecord,
} from '@/domain/forwarding/ipfix';
import { addExported, isClientLow, toIpfixRecords } from '@/domain/forwarding/ipfix-conversation';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { env } from '../lib/env';
import { groupBy } from '../lib/group-by';
import { stableKey } from '../lib/ids';
import { countForwarded } from '../lib/metrics';
import { type Datagrams, openDatagrams } from '../providers/forwarding/open-datagrams';
import { createAddressGuard } from '../providers/net/address-guard';
import type { SettledConversation } from '../traffic/storage/flow-rows';
import { flowStore } from '../traffic/storage/flow-store';
import type { DestinationRow } from './queries/forwarding-destinations';
import { type ExportRow, listExports, storeExports } from './queries/forwarding-exports';
import { advanceStream, countUnsent, type StreamRow } from './queries/forwarding-streams';
import type { RecordSource } from './read-records';

/** The observation domain of a cluster: the last eight hexadecimal digits of its id, as users see it. */
export const getObservationDomain = (clusterId: string): number => Number.parseInt(clusterId.slice(-8), 16) || 1;

/** The key of a conversation: the same whichever end is the client. */
function getFlowKey(one: SettledConversation): string {
  const ends = [one.client, one.server].map(({ ip, port }) => [ip, port] as const);
  if (!isClientLow(one)) ends.reverse();
  return stableKey([one.cluster_id, one.protocol, ...ends.flat()]);
}

type Planned = {
  flows: (IpfixRecord & { conversation_id: string; cluster_id: string })[];
  exports: ExportRow[];
  /** Conversations that are a part of others by now. */
  parts: string[];
};

/** What is new of conversations since they were sent, also as the parts that they were joined from. */
async function planExport(destination_id: string, conversations: readonly SettledConversation[]): Promise<Planned> {
  const keyed = conversations.map((conversation) => ({ conversation, flow_key: getFlowKey(conversation) }));
  const known = await listExports(destination_id, [...new Set(keyed.map(({ flow_key }) => flow_key))]);
  const ids = new Set(conversations.map(({ id }) => id));
  const others = known.filter(({ conversation_id }) => !ids.has(conversation_id));
  const gone = new Set(await flowStore().settled.listGone(others.map(({ conversation_id }) => conversation_id)));
  const byKey = groupBy(known, ({ flow_key }) => flow_key);
  const planned: Planned = { flows: [], exports: [], parts: [] };
  const exported_at = clock.now().toISOString();
  for (const { conversation, flow_key } of keyed) {
    const { id, cluster_id, first_seen_at, last_seen_at } = conversation;
    const isPart = (row: ExportRow) =>
      gone.has(row.conversation_id) &&
      Date.parse(row.first_seen_at) <= Date.parse(last_seen_at) &&
      Date.parse(row.last_seen_at) >= Date.parse(first_seen_at);
    const before = (byKey.get(flow_key) ?? []).filter((row) => row.conversation_id === id || isPart(row));
    const { records, exported } = toIpfixRecords(conversation, before.length === 0 ? null : addExported(before));
    planned.flows.push(...records.map((record) => ({ ...record, conversation_id: id, cluster_id })));
    const times = { first_seen_at, last_seen_at, exported_at };
    planned.exports.push({ destination_id, conversation_id: id, flow_key, ...exported, ...times });
    for (const { conversation_id } of before) {
      if (conversation_id !== id) planned.parts.push(conversation_id);
      gone.delete(conversation_id);
    }
  }
  return planned;
}

type Encoded = {
  messages: IpfixMessage[];
  conversations: string[];
  sequences: Record<string, number>;
  /** How many conversations have no place in a message. */
  lost: number;
};

/** Messages of all clusters, with the conversation of each record in their order, and the sequence numbers after them. */
function encodePlanned({ flows }: Planned, before: Record<string, number>, most: number): Encoded {
  const exported_at = Math.floor(clock.now().getTime() / 1000);
  const unfit = new Set(flows.flatMap((record) => (canEncode(record) ? [] : [record.conversation_id])));
  const encoded: Encoded = { messages: [], conversations: [], sequences: { ...before }, lost: unfit.size };
  const fit = flows.filter(({ conversation_id }) => !unfit.has(conversation_id));
  for (const [clusterId, records] of groupBy(fit, ({ cluster_id }) => cluster_id)) {
    const sequence = before[clusterId] ?? 0;
    const header = { domain: getObservationDomain(clusterId), sequence, exported_at };
    encoded.messages.push(...encodeIpfix(records, header, most));
    encoded.conversations.push(...records.map(({ conversation_id }) => conversation_id));
    encoded.sequences[clusterId] = sequence + records.length;
  }
  return encoded;
}

/** Opens the socket to a destination with a first message, which is lost when the receiver refuses. @throws DeliveryError */
export function openExport({ host, port }: DestinationRow, first: Uint8Array): Promise<Datagrams> {
  if (host === null || port === null) throw new Error('expected host and port of the destination');
  return openDatagrams({ host, port, guard: createAddressGuard(env().FABRIC_ALLOW_PRIVATE_TARGETS) }, first);
}

/**
 * Sends conversations as IPFIX over UDP. Their receiver adds up, and nothing confirms what it got: the position is stored before a batch
 * is sent, so a crash can lose the rest of the batch, which the receiver sees in the sequence numbers, but never counts it twice.
 */
export function createExporter(destination: DestinationRow, source: RecordSource<SettledConversation>) {
  let channel: Datagrams | null = null;
  const open = async ({ messages }: Encoded): Promise<Datagrams | null> => {
    const [first] = messages;
    if (!first) return null;
    if (channel) channel.assertAccepting();
    // Header of the first message: its templates again, without data.
    else channel = await openExport(destination, encodeIpfixTemplates(first.header));
    return channel;
  };
  /** Null: another process sends this stream. */
  const sendBatch = async (row: StreamRow, limit: number) => {
    const batch = await source.read(row.position, limit);
    const planned = await planExport(
      destination.id,
      batch.records.map(({ record }) => record),
    );
    const encoded = encodePlanned(planned, row.sequences, destination.max_message_bytes ?? 0);
    const datagrams = await open(encoded);
    const { sequences, messages, conversations, lost: unfit } = encoded;
    const count = new Set(conversations).size;
    const progress = { position: batch.end, sent: count + unfit, sequences, at: clock.now().toISOString() };
    const next = await db.transaction(async (tx) => {
      const advanced = await advanceStream(tx, row, progress);
      if (advanced) await storeExports(tx, planned.exports, planned.parts);
      return advanced;
    });
    if (!next) return null;
    if (unfit > 0) {
      await countUnsent(db, next, unfit, progress.at);
      countForwarded(destination.kind, row.stream, 'lost', unfit);
    }
    const { sent, error } = (await datagrams?.send(messages.map(({ bytes }) => bytes))) ?? { sent: 0, error: null };
    if (error) {
      const records = messages.slice(0, sent).reduce((sum, message) => sum + message.records, 0);
      const lost = new Set(conversations.slice(records)).size;
      await countUnsent(db, next, lost, clock.now().toISOString());
      countForwarded(destination.kind, row.stream, 'lost', lost);
      countForwarded(destination.kind, row.stream, 'sent', count - lost);
      throw error;
    }
    countForwarded(destination.kind, row.stream, 'sent', count);
    return { row: next, is_last: batch.is_last };
  };
  return { sendBatch, close: () => channel?.close() };
}
