import type { ExportProtocol, Observation } from './observation';
import type { FlowTimes } from './place-in-time';

/** What an exporter reported of one direction of a conversation since it was last stored. */
export type PendingFlow = Omit<Observation, 'sampling' | 'first_ms' | 'last_ms'> & {
  first_ms: number;
  last_ms: number;
  export_protocol: ExportProtocol;
  /** How many records it comes from. */
  records: number;
};

const sum = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a + b, Number.MAX_SAFE_INTEGER);

/** Flows of one exporter that wait to be stored, each once: exporters report the same one several times while it lasts. */
export class PendingFlows {
  #flows = new Map<string, PendingFlow>();

  get size(): number {
    return this.#flows.size;
  }

  /** Adds what a record reports. @returns false when there is no room for another flow */
  add(observation: Observation, times: FlowTimes, export_protocol: ExportProtocol, hasRoom: boolean): boolean {
    const { source_ip, destination_ip, protocol, source_port, destination_port } = observation;
    const key = `${source_ip} ${destination_ip} ${protocol} ${source_port} ${destination_port}`;
    const known = this.#flows.get(key);
    if (!known && !hasRoom) return false;
    const { sampling: _sampling, ...record } = observation;
    const { first_ms, last_ms } = times;
    if (!known) {
      this.#flows.set(key, { ...record, first_ms, last_ms, export_protocol, records: 1 });
      return true;
    }
    known.records += 1;
    known.bytes = sum(known.bytes, record.bytes);
    known.packets = sum(known.packets, record.packets);
    known.first_ms = Math.min(known.first_ms, first_ms);
    known.last_ms = Math.max(known.last_ms, last_ms);
    known.vlan = record.vlan ?? known.vlan;
    known.initiator ??= record.initiator;
    return true;
  }

  /** All of them; none is left. */
  drain(): PendingFlow[] {
    const flows = [...this.#flows.values()];
    this.#flows = new Map();
    return flows;
  }
}
