import type { Flow } from '@fabric/agent-contract';
import type { LogFlow } from '../logs/log-flows';
import { protocolName } from '../net/protocols';
import { type Candidate, counterFields, flowTime } from './candidate';

/** A flow known only from log lines. Rules limit how much they log, so its counters are a lower bound. */
export function toLogCandidate(log: LogFlow, since: number): Candidate {
  const { line } = log;
  return {
    flow: {
      source_ip: line.source,
      destination_ip: line.destination,
      protocol: protocolName(line.protocol),
      source_port: line.sourcePort,
      destination_port: line.destinationPort,
      decision: line.decision,
      state: null,
      ...counterFields({ bytes: log.bytes, packets: log.packets }, { bytes: log.newBytes, packets: log.newPackets }),
      first_seen_at: flowTime(log.first),
      observed_at: flowTime(log.last),
      collector: log.collector,
      ...(line.icmp && { icmp_type: line.icmp.type, icmp_code: line.icmp.code }),
      ...getLogGuest(log),
      raw: getLogEvidence(log),
    },
    newBytes: log.newBytes,
    newPackets: log.newPackets,
    isNew: log.first >= since,
  };
}

/** A captured flow with the verdict a log line gave it: exact counters, and the reason why. */
export function withVerdict(captured: Candidate, log: LogFlow): Candidate {
  return {
    ...captured,
    flow: {
      ...captured.flow,
      ...(captured.flow.vmid === undefined && getLogGuest(log)),
      decision: log.line.decision,
      raw: { ...captured.flow.raw, ...getLogEvidence(log), logged_packets: log.packets },
    },
  };
}

function getLogGuest({ line }: LogFlow): Partial<Flow> {
  return {
    ...(line.interface !== null && { interface: line.interface }),
    ...(line.vmid !== null && { vmid: line.vmid }),
    ...(line.nic !== null && { nic: line.nic }),
  };
}

function getLogEvidence({ line }: LogFlow): NonNullable<Flow['raw']> {
  return { ...(line.chain !== null && { chain: line.chain }), excerpt: line.excerpt };
}
