import { HOUR_MS } from '../durations';
import { floorTo } from '../flow/plan-range';
import { getServicePort } from '../flow/service-port';
import type { Observation } from './observation';
import type { FlowTimes } from './place-in-time';

/** Of so many packets one is sampled at most: no device says more than 32 bits. */
const MOST_RATE = 2 ** 32;

/** Sampled packets between two addresses in an hour, projected to all packets. */
export type PendingEstimate = {
  /** Null: all that found no room of their own. */
  ends: {
    source_ip: string;
    destination_ip: string;
    /** IP protocol number. */
    protocol: number;
    service_port: number | null;
  } | null;
  /** Where the hour begins. */
  bucket_ms: number;
  /** When the last of them was seen. */
  last_ms: number;
  bytes: number;
  packets: number;
  /** Packets that were sampled. */
  samples: number;
  /** Sum of the squared rate of each sampled packet. */
  variance: number;
  /** How many records it comes from. */
  records: number;
};

const add = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER);

/** The rate by which a sampled record is projected; null: it is not known. */
export const findRate = ({ sampling }: Pick<Observation, 'sampling'>): number | null =>
  sampling !== null && sampling >= 1 && sampling <= MOST_RATE ? sampling : null;

/** Estimates of one exporter that wait to be stored. */
export class PendingEstimates {
  #estimates = new Map<string, PendingEstimate>();

  get size(): number {
    return this.#estimates.size;
  }

  /**
   * Adds what a sampled record reports.
   * @returns false when there is no room for another pair of ends, and it was added to the others of its hour
   */
  add(observation: Observation, rate: number, { last_ms }: Pick<FlowTimes, 'last_ms'>, hasRoom: boolean): boolean {
    const { source_ip, destination_ip, protocol } = observation;
    const { service_port } = getServicePort(observation);
    const bucket_ms = floorTo(last_ms, HOUR_MS);
    const key = `${bucket_ms} ${source_ip} ${destination_ip} ${protocol} ${service_port}`;
    const isPlaced = hasRoom || this.#estimates.has(key);
    const estimate = isPlaced
      ? this.#find(key, { source_ip, destination_ip, protocol, service_port }, bucket_ms)
      : this.#find(`${bucket_ms}`, null, bucket_ms);
    const samples = observation.packets ?? 0;
    estimate.bytes = add(estimate.bytes, Math.round((observation.bytes ?? 0) * rate));
    estimate.packets = add(estimate.packets, Math.round(samples * rate));
    estimate.samples = add(estimate.samples, samples);
    estimate.variance += samples * rate * rate;
    estimate.last_ms = Math.max(estimate.last_ms, last_ms);
    estimate.records += 1;
    return isPlaced;
  }

  #find(key: string, ends: PendingEstimate['ends'], bucket_ms: number): PendingEstimate {
    let found = this.#estimates.get(key);
    if (!found) {
      found = { ends, bucket_ms, last_ms: bucket_ms, bytes: 0, packets: 0, samples: 0, variance: 0, records: 0 };
      this.#estimates.set(key, found);
    }
    return found;
  }

  /** All of them; none is left. */
  drain(): PendingEstimate[] {
    const estimates = [...this.#estimates.values()];
    this.#estimates = new Map();
    return estimates;
  }
}
