import { parseCidr } from '@/domain/net/cidr';
import type { EndResolver } from '../storage/flow-rows';
import type { AddressBook } from './address-book';
import { attributeFlow, confirmedObserver, endLookup, isResolvable } from './known-ends';

/** Ends of stored flows by an address book. It remembers every address that it was asked for. */
export function endResolver(book: AddressBook): EndResolver {
  const lookups = new Map<string, ReturnType<typeof endLookup>>();
  const lookupIn = (clusterId: string) => {
    let endOf = lookups.get(clusterId);
    if (!endOf) {
      endOf = endLookup(book, clusterId);
      lookups.set(clusterId, endOf);
    }
    return endOf;
  };
  return {
    endsOf: (flow) => {
      const endOf = lookupIn(flow.cluster_id);
      const [source, destination] = [endOf(flow.source_ip), endOf(flow.destination_ip)];
      if (!source || !destination) return null;
      const workload_id = flow.workload_id ?? confirmedObserver(book, flow);
      return {
        ...attributeFlow(book, flow, source, destination, workload_id),
        workload_id,
        source_cidr: source.cidr,
        destination_cidr: destination.cidr,
        is_resolvable: (ends) => isResolvable([source, destination], ends, { vmid: flow.vmid, workload_id }),
      };
    },
    observerOf: (sighting) => confirmedObserver(book, sighting),
    subnetsAmong: (networks) => book.subnetsAmong(networks),
    subnetAround: (network) => {
      const cidr = parseCidr(network);
      const found = cidr && book.subnetOf(cidr.address);
      const around = found ? parseCidr(found) : null;
      return cidr && around && around.prefix <= cidr.prefix ? found : null;
    },
  };
}
