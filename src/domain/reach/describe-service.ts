import { formatBox } from '../firewall/space/rows';
import { equalSpans } from '../firewall/space/spans';
import { formatPortRange, mergePortRanges, parsePortRange } from '../net/port-range';
import { type Service, serviceBox } from '../policy-tests/packet-set';
import type { ReachService } from './reach';
import type { ServiceSet } from './services';

/** A set of packets as texts; what is not limited further than the question is null. */
export function describeService(set: ServiceSet, asked: Service): ReachService {
  const whole = serviceBox(set.family, asked, [], []);
  const { protocols, source_ports, ports, icmp } = formatBox(set);
  return {
    family: set.family,
    protocols: set.protocols.length === whole.protocols.length && asked.protocol === 'any' ? null : protocols,
    ports,
    source_ports: equalSpans(set.source_ports, whole.source_ports) ? null : source_ports,
    icmp: equalSpans(set.icmp, whole.icmp) ? null : icmp,
  };
}

/** Ports of several services as one list; empty: all, where one of them has all. */
export function listPorts(services: readonly Pick<ReachService, 'ports'>[]): string[] {
  if (services.some(({ ports }) => ports === null)) return [];
  const ranges = services.flatMap(({ ports }) => (ports ?? []).flatMap((text) => parsePortRange(text) ?? []));
  return mergePortRanges(ranges).map((range) => formatPortRange(range));
}
