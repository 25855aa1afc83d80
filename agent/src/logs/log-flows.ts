import { AGENT_LIMITS, type Collector } from '@fabric/agent-contract/limits';
import type { LogLine } from './log-line';

/** Lines of one 5-tuple with one verdict. Counters are in total since `first` and since the last heartbeat. */
export type LogFlow = {
  line: LogLine;
  collector: Collector;
  packets: number;
  bytes: number;
  newPackets: number;
  newBytes: number;
  first: number;
  last: number;
};

const WINDOW_MILLISECONDS = AGENT_LIMITS.kernel_log_window_seconds * 1000;
const MAX_FLOWS = 20_000;

/**
 * Adds log lines up by 5-tuple and verdict and remembers them for five minutes, the span in which a verdict still
 * explains the packets seen on a guest's interface.
 */
export class LogFlows {
  /** Lines that found no room, since the start. */
  overflow = 0;
  private readonly flows = new Map<string, LogFlow>();

  /** @param time wall milliseconds of the packet */
  add(line: LogLine, time: number, collector: Collector): void {
    const key = toFlowKey(line);
    const known = this.flows.get(key);
    if (known) {
      known.packets += 1;
      known.bytes += line.bytes ?? 0;
      known.newPackets += 1;
      known.newBytes += line.bytes ?? 0;
      known.first = Math.min(known.first, time);
      if (time >= known.last) {
        known.last = time;
        known.line = line;
        known.collector = collector;
      }
      return;
    }
    if (this.flows.size >= MAX_FLOWS) {
      this.overflow += 1;
      return;
    }
    const bytes = line.bytes ?? 0;
    this.flows.set(key, {
      line,
      collector,
      packets: 1,
      bytes,
      newPackets: 1,
      newBytes: bytes,
      first: time,
      last: time,
    });
  }

  /** Every flow of the window, also those without new lines. */
  all(): Iterable<LogFlow> {
    return this.flows.values();
  }

  /** Begins a new reporting interval and forgets what is outside the window, before it or by a clock that was put back since. */
  startInterval(now: number): void {
    for (const [key, flow] of this.flows) {
      flow.newPackets = 0;
      flow.newBytes = 0;
      if (Math.abs(now - flow.last) > WINDOW_MILLISECONDS) this.flows.delete(key);
    }
  }
}

function toFlowKey({ source, destination, protocol, sourcePort, destinationPort, decision, icmp }: LogLine): string {
  const ports = icmp ? `${icmp.type}.${icmp.code}` : `${sourcePort} ${destinationPort}`;
  return `${source} ${destination} ${protocol} ${ports} ${decision}`;
}
