import { decodeFlowExport } from '@/domain/collector/decode-flow-export';
import { decodeSflow } from '@/domain/collector/decode-sflow';
import type { DecodedDatagram, ExportProtocol, Observation } from '@/domain/collector/observation';
import { findRate, type PendingEstimate, PendingEstimates } from '@/domain/collector/pending-estimates';
import { type PendingFlow, PendingFlows } from '@/domain/collector/pending-flows';
import { type FlowTimes, placeInTime } from '@/domain/collector/place-in-time';
import { SequenceGaps } from '@/domain/collector/sequence';
import { TemplateMemory } from '@/domain/collector/template-memory';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import { newId } from '../../lib/ids';
import { type AllowedExporter, MOST_REFUSED, type NewCounters, type NewRefusal } from '../queries/flow-exporters';

/** Flows in memory, of all exporters: those that are being stored included. */
export const MOST_PENDING = 50_000;
/** The same for estimates; what is beyond is summed up by hour, without its ends. */
const MOST_PENDING_ESTIMATES = 50_000;
/** Flows, and estimates, that are stored in one transaction. */
const BATCH_ROWS = 2_000;

type Received = Omit<NewCounters, 'stored' | 'superseded' | 'estimated'>;

/** Part of what an exporter sent, to be stored as a whole. Stored again, it changes nothing. */
export type Batch = {
  id: string;
  exporter: AllowedExporter;
  last_seen_at: string;
  protocol: ExportProtocol | null;
  sampling: number | null;
  received: Received;
  flows: PendingFlow[];
  estimates: PendingEstimate[];
};

const nothingReceived = (): Received => ({
  ...{ datagrams: 0, records: 0, lost: 0, unknown_templates: 0, malformed: 0, untimed: 0, dropped: 0, sampled: 0 },
  folded: 0,
});

/** One exporter as the collector knows it. */
type Source = {
  exporter: AllowedExporter;
  templates: TemplateMemory;
  gaps: SequenceGaps;
  pending: PendingFlows;
  estimates: PendingEstimates;
  received: Received;
  last_seen_ms: number;
  protocol: ExportProtocol | null;
  sampling: number | null;
};

const addSource = (exporter: AllowedExporter): Source => ({
  exporter,
  templates: new TemplateMemory(),
  gaps: new SequenceGaps(),
  pending: new PendingFlows(),
  estimates: new PendingEstimates(),
  received: nothingReceived(),
  ...{ last_seen_ms: 0, protocol: null, sampling: null },
});

const countRecords = (rows: readonly { records: number }[]) => rows.reduce((sum, { records }) => sum + records, 0);

/** The same exporter for another node, or none: what it sent for the one before is not this node's. */
function replaceNode({ received, ...source }: Source, exporter: AllowedExporter): Source {
  const gone = countRecords(source.pending.drain()) + countRecords(source.estimates.drain());
  return { ...source, exporter, received: { ...received, dropped: received.dropped + gone } };
}

/** The canonical form of a sender's address; a socket for IPv6 also gets IPv4, and names the interface of link-local addresses. */
function normalizeSender(text: string): string | null {
  const ip = parseIp(text.split('%')[0] ?? '');
  return ip && formatIp(unmapIp(ip));
}

/**
 * Takes datagrams, decodes those of exporters that are allowed, and keeps what they report until it is stored. Everything in it is
 * bounded; what does not fit is counted.
 */
export class Intake {
  #sources = new Map<string, Source>();
  #refused = new Map<string, { datagrams: number; last_ms: number }>();
  /** What is in batches that are not stored yet. */
  #waiting = { flows: 0, estimates: 0 };
  readonly totals = { datagrams: 0, refused: 0, unreadable: 0 };

  /** Sets who is allowed. What an exporter announced stays known while its entry stays the same. */
  allow(exporters: readonly AllowedExporter[]): void {
    const sources = new Map<string, Source>();
    for (const exporter of exporters) {
      const before = this.#sources.get(exporter.address);
      if (before?.exporter.id !== exporter.id) sources.set(exporter.address, addSource(exporter));
      else if (before.exporter.node_id === exporter.node_id) sources.set(exporter.address, before);
      else sources.set(exporter.address, replaceNode(before, exporter));
    }
    this.#sources = sources;
  }

  #countRoom(): { flows: number; estimates: number } {
    let flows = MOST_PENDING - this.#waiting.flows;
    let estimates = MOST_PENDING_ESTIMATES - this.#waiting.estimates;
    for (const source of this.#sources.values()) {
      flows -= source.pending.size;
      estimates -= source.estimates.size;
    }
    return { flows, estimates };
  }

  #refuse(address: string, now: number): void {
    this.totals.refused += 1;
    const known = this.#refused.get(address);
    // The newest are kept: the order of the map is that of the last datagram.
    this.#refused.delete(address);
    this.#refused.set(address, { datagrams: (known?.datagrams ?? 0) + 1, last_ms: now });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MOST_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }

  /** Takes one datagram. Never throws. @param now in milliseconds since 1970 */
  receive(bytes: Uint8Array, sender: string, now: number): void {
    this.totals.datagrams += 1;
    const address = normalizeSender(sender);
    const source = address === null ? undefined : this.#sources.get(address);
    if (!source) {
      this.#refuse(address ?? sender.slice(0, 45), now);
      return;
    }
    source.received.datagrams += 1;
    source.last_seen_ms = now;
    const decoded = decodeFlowExport(bytes, source.templates, now) ?? decodeSflow(bytes);
    if (decoded) this.#add(source, decoded, now);
    else {
      this.totals.unreadable += 1;
      source.received.malformed += 1;
    }
  }

  #add(source: Source, decoded: DecodedDatagram, now: number): void {
    const { received, pending } = source;
    source.protocol = decoded.protocol;
    received.lost += source.gaps.observe(decoded);
    received.unknown_templates += decoded.unknown_templates;
    if (decoded.is_malformed) received.malformed += 1;
    received.records += decoded.observations.length;
    const room = this.#countRoom();
    for (const observation of decoded.observations) {
      const times = placeInTime(observation, now);
      // Estimates are no exact traffic, and neither is what was sampled in a way that is not known. sFlow is sampling at every rate: its
      // agents drop samples under load.
      if (observation.sampling !== 1 || decoded.protocol === 'sflow') {
        room.estimates -= this.#addSampled(source, observation, times, room.estimates > 0);
        continue;
      }
      const before = pending.size;
      if (!pending.add(observation, times, decoded.protocol, room.flows > 0)) {
        received.dropped += 1;
        continue;
      }
      room.flows -= pending.size - before;
      if (times.is_arrival) received.untimed += 1;
    }
  }

  /** @returns how many estimates more there are */
  #addSampled(source: Source, observation: Observation, times: FlowTimes, hasRoom: boolean): number {
    const { received, estimates } = source;
    received.sampled += 1;
    source.sampling = observation.sampling ?? source.sampling;
    const rate = findRate(observation);
    if (rate === null) return 0;
    const before = estimates.size;
    if (!estimates.add(observation, rate, times, hasRoom)) received.folded += 1;
    return estimates.size - before;
  }

  /** Everything that was received and is not in a batch yet. Each batch ends with `settle`. */
  drain(): Batch[] {
    const batches: Batch[] = [];
    for (const source of this.#sources.values()) {
      if (source.received.datagrams === 0) continue;
      const flows = source.pending.drain();
      const estimates = source.estimates.drain();
      this.#waiting.flows += flows.length;
      this.#waiting.estimates += estimates.length;
      const rows = Math.max(flows.length, estimates.length);
      let { received } = source;
      source.received = nothingReceived();
      const { exporter, protocol, sampling } = source;
      const shared = { exporter, protocol, sampling, last_seen_at: new Date(source.last_seen_ms).toISOString() };
      for (let from = 0; from === 0 || from < rows; from += BATCH_ROWS) {
        const part = {
          flows: flows.slice(from, from + BATCH_ROWS),
          estimates: estimates.slice(from, from + BATCH_ROWS),
        };
        batches.push({ ...shared, id: newId(), received, ...part });
        // Counted with the first.
        received = nothingReceived();
      }
    }
    return batches;
  }

  /** A batch is stored, or will not be: its records are counted as dropped with what the exporter sends next. */
  settle({ exporter, flows, estimates, received }: Batch, isStored: boolean): void {
    this.#waiting.flows -= flows.length;
    this.#waiting.estimates -= estimates.length;
    if (isStored) return;
    const source = this.#sources.get(exporter.address);
    if (source?.exporter.id !== exporter.id) return;
    for (const name of Object.keys(received) as (keyof Received)[]) source.received[name] += received[name];
    source.received.dropped += countRecords(flows) + countRecords(estimates);
  }

  /** Senders that were refused since the last call. */
  drainRefused(): NewRefusal[] {
    const refused = [...this.#refused].flatMap(([address, { datagrams, last_ms }]) =>
      parseIp(address) ? [{ address, datagrams, last_seen_at: new Date(last_ms).toISOString() }] : [],
    );
    this.#refused = new Map();
    return refused;
  }
}
