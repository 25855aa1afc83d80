import { z } from 'zod';
import { formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import type { Listing, NetworkFact, SubnetFact } from '../../types';
import { flagField, integerField, textField } from '../answers/fields';
import { parseList, toListing } from '../answers/parse-list';
import { apiPath } from '../http/encode';
import type { InventoryContext } from './context';

const MAX_ENTRIES = 10_000;
const name = z.string().min(1).max(64);
const address = z.union([z.ipv4(), z.ipv6()]);
const Zone = z.object({
  zone: name,
  type: z.string().max(40).optional(),
  nodes: z.string().max(8192).optional(),
  dhcp: z.string().max(40).optional(),
});
const Vnet = z.object({
  vnet: name,
  zone: name,
  tag: integerField.optional(),
  alias: textField().optional(),
  vlanaware: flagField.optional(),
});
const Subnet = z.object({
  /** `<zone>-<network>-<prefix>` */
  subnet: z.string().max(200),
  cidr: z.string().max(60).optional(),
  gateway: address.optional(),
  'dhcp-dns-server': address.optional(),
  'dhcp-range': z.union([z.array(z.unknown()), z.string()]).optional(),
});

type ZoneEntry = z.infer<typeof Zone>;
type VnetEntry = z.infer<typeof Vnet>;

const RUNNING = { params: { running: true } };

async function readEntries<T>(context: InventoryContext, what: 'zones' | 'vnets', schema: z.ZodType<T>) {
  // Without `running` the answer is the configuration that is still being edited.
  const { data } = await context.client.get(apiPath`/cluster/sdn/${what}`, RUNNING);
  return parseList(`SDN ${what}`, schema, data, MAX_ENTRIES);
}

/** Network of a subnet in canonical form, from its own field or its id; null when neither says it. */
function subnetCidr({ cidr, subnet }: z.infer<typeof Subnet>): string | null {
  const fromId = /-([0-9a-f.:]+)-(\d{1,3})$/i.exec(subnet);
  const parsed = parseCidr(cidr ?? (fromId ? `${fromId[1]}/${fromId[2]}` : ''));
  return parsed && formatCidr(toNetwork(parsed));
}

/** Zones and VNets of the running configuration, and why the lists may be incomplete. @throws ProviderError */
export async function readRunningSdn(context: InventoryContext): Promise<{
  zones: readonly ZoneEntry[];
  vnets: readonly VnetEntry[];
  problems: (string | null)[];
  nodesOf: (zone: ZoneEntry | undefined) => string[];
}> {
  const [zones, vnets, nodes, permissions] = await Promise.all([
    readEntries(context, 'zones', Zone),
    readEntries(context, 'vnets', Vnet),
    context.nodes.get(),
    context.permissions.get(),
  ]);
  const hidden = ['SDN.Audit', 'SDN.Allocate'].some((privilege) => permissions.hasBelow(privilege, '/sdn/zones'))
    ? null
    : 'the token does not have SDN.Audit on all of /sdn/zones, so networks may be hidden from it';
  return {
    zones: zones.items,
    vnets: vnets.items,
    problems: [hidden, context.report(zones.problem), context.report(vnets.problem)],
    // A zone that names no nodes is on all of them; the nodes of one that is hidden from the token are unknown.
    nodesOf: (zone) =>
      zone ? (zone.nodes?.split(/[,;\s]+/).filter(Boolean) ?? nodes.items.map(({ node }) => node)) : [],
  };
}

/** Subnets of a running VNet, and what of the answer could not be read. @throws ProviderError */
export async function readSubnets(context: InventoryContext, vnet: string, zone: ZoneEntry | undefined) {
  const { data } = await context.client.get(apiPath`/cluster/sdn/vnets/${vnet}/subnets`, RUNNING);
  const { items, problem } = parseList(`subnets of ${vnet}`, Subnet, data, MAX_ENTRIES);
  const facts: SubnetFact[] = [];
  const problems = [context.report(problem)];
  for (const entry of items) {
    const cidr = subnetCidr(entry);
    if (cidr === null) problems.push(context.report(`subnet ${entry.subnet} has no valid CIDR`));
    else {
      facts.push({
        network: vnet,
        cidr,
        gateway: entry.gateway ?? null,
        dns_servers: entry['dhcp-dns-server'] === undefined ? [] : [entry['dhcp-dns-server']],
        dhcp_enabled: zone?.dhcp !== undefined && (entry['dhcp-range']?.length ?? 0) > 0,
      });
    }
  }
  return { facts, problems };
}

/** The cluster's virtual networks and their subnets, as the nodes use them. */
export async function listSdn(
  context: InventoryContext,
): Promise<{ networks: Listing<NetworkFact>; subnets: Listing<SubnetFact> }> {
  const { zones, vnets, problems: shared, nodesOf } = await readRunningSdn(context);
  const zoneOf = new Map(zones.map((zone) => [zone.zone, zone]));
  const networks = vnets.map(
    (vnet): NetworkFact => ({
      name: vnet.vnet,
      kind: 'vnet',
      zone: vnet.zone,
      vlan_tag: vnet.tag ?? null,
      vlan_aware: vnet.vlanaware ?? false,
      alias: vnet.alias || null,
      node_names: nodesOf(zoneOf.get(vnet.zone)),
    }),
  );
  const subnets = await Promise.all(vnets.map(({ vnet, zone }) => readSubnets(context, vnet, zoneOf.get(zone))));
  return {
    networks: toListing(networks, shared),
    subnets: toListing(
      subnets.flatMap(({ facts }) => facts),
      [...shared, ...subnets.flatMap(({ problems }) => problems)],
    ),
  };
}
