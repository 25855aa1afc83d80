import { cidrContains, formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import type { Listing, SubnetFact } from '../../providers/hypervisor/types';
import { diffByKey, sameFields } from './diff';

/** The columns of a subnet that a sync writes. */
export type SubnetState = {
  network_id: string;
  cidr: string;
  gateway: string | null;
  dns_servers: string[];
  dhcp_enabled: boolean;
  source: 'provider';
  missing_since: string | null;
};
export type PresentSubnet = Omit<SubnetState, 'source'> & {
  id: string;
  source: 'provider' | 'discovery' | 'manual';
  /** Whether people changed it since the sync made it. */
  edited: boolean;
  /** Whether users changed it or it contains addresses or ranges. */
  in_use: boolean;
};

export type SubnetPlan = {
  create: SubnetState[];
  change: (SubnetState & { id: string })[];
  remove: PresentSubnet[];
  mark: PresentSubnet[];
  /** Facts that make no sense: an address that is none, a network that is not known. */
  refused: { fact: SubnetFact; reason: string }[];
  kept: number;
};

function syncedState(fact: SubnetFact, networks: ReadonlyMap<string, string>): SubnetState | string {
  const cidr = parseCidr(fact.cidr);
  if (!cidr) return `${fact.cidr} is not a network address`;
  const networkId = networks.get(fact.network);
  if (!networkId) return `the network ${fact.network} is not known`;
  const gateway = fact.gateway === null ? null : parseIp(fact.gateway);
  const servers = fact.dns_servers.map(parseIp);
  return {
    network_id: networkId,
    cidr: formatCidr(toNetwork(cidr)),
    // A gateway outside the subnet cannot be one; the database refuses it.
    gateway: gateway && cidrContains(cidr, gateway) ? formatIp(gateway) : null,
    dns_servers: servers.flatMap((server) => (server ? [formatIp(server)] : [])),
    dhcp_enabled: fact.dhcp_enabled,
    source: 'provider',
    missing_since: null,
  };
}

/**
 * Compares the hypervisor's subnets with those stored. Subnets of people and of the discovery are left alone, and of a
 * subnet that people changed only its presence is noted.
 */
export function planSubnets(
  listing: Listing<SubnetFact>,
  present: readonly PresentSubnet[],
  networks: ReadonlyMap<string, string>,
  now: Date,
): SubnetPlan {
  const refused: SubnetPlan['refused'] = [];
  const theirs = new Map(present.map((subnet) => [toSubnetKey(subnet), subnet]));
  const desired: SubnetState[] = [];
  for (const fact of listing.items) {
    const state = syncedState(fact, networks);
    if (typeof state === 'string') refused.push({ fact, reason: state });
    else desired.push(withEdits(state, theirs.get(toSubnetKey(state))));
  }
  const ours = present.filter((subnet) => subnet.source === 'provider');
  const others = new Set(present.filter((subnet) => subnet.source !== 'provider').map(toSubnetKey));
  const diff = diffByKey(
    desired.filter((subnet) => !others.has(toSubnetKey(subnet))),
    ours,
    { desired: toSubnetKey, present: toSubnetKey },
    sameFields<object>,
  );
  const plan: SubnetPlan = {
    create: diff.create,
    change: diff.change.map(({ present: row, desired: state }) => ({ ...state, id: row.id })),
    remove: [],
    mark: [],
    refused,
    kept: diff.keep.length,
  };
  for (const subnet of diff.remove) {
    if (listing.complete && !subnet.in_use) plan.remove.push(subnet);
    else if (subnet.missing_since === null) plan.mark.push({ ...subnet, missing_since: now.toISOString() });
    else plan.kept += 1;
  }
  return plan;
}

const toSubnetKey = (subnet: { network_id: string; cidr: string }) => `${subnet.network_id} ${subnet.cidr}`;

const withEdits = (state: SubnetState, row: PresentSubnet | undefined): SubnetState =>
  row?.edited
    ? { ...state, gateway: row.gateway, dns_servers: row.dns_servers, dhcp_enabled: row.dhcp_enabled }
    : state;
