import type { LiveVnet } from '@/domain/firewall/live-state';
import { ProviderError } from '../../errors';
import type { UnreadablePart } from '../../firewall-types';
import { apiPath } from '../http/encode';
import type { InventoryContext } from '../inventory/context';
import { readRunningSdn, readSubnets } from '../inventory/list-sdn';
import { Semaphore } from '../limits/semaphore';
import { appendSegments, readRules } from './read-lists';
import { readStoredOptions } from './read-options';
import { missingPrivilege, readPart } from './read-part';

/** VNets that are read at the same time. */
const VNETS_AT_ONCE = 2;
/** Zones whose nodes carry the gateway addresses of subnets themselves. */
const ROUTED_ZONES: readonly (string | undefined)[] = ['simple', 'evpn'];

/** What nodes have from the running SDN configuration. */
export type RunningSdn = {
  readonly vnets: Readonly<Record<string, LiveVnet>>;
  /** Addresses of the node as a gateway of VNets, with their prefix length. */
  readonly gatewaysOn: (node: string) => string[];
};

/** Versions before 8.3 have no firewall of VNets: the call does not exist, so nothing is stored. */
async function ignoreUnknownCall<T>(reading: Promise<T>, nothing: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ProviderError && error.detail.status === 501) return nothing;
    throw error;
  }
}

/**
 * Running VNets with what is stored for their firewall, and the addresses that nodes have in them. VNets that were
 * created but not applied do not exist on any node.
 * @throws ProviderError when the list of VNets is not known to be complete
 */
export async function readRunningVnets(context: InventoryContext, unreadable: UnreadablePart[]): Promise<RunningSdn> {
  const { client } = context;
  const { zones, vnets, problems, nodesOf } = await readRunningSdn(context);
  const [hidden, ...unread] = problems;
  if (hidden !== null) throw missingPrivilege('SDN.Audit', '/sdn/zones');
  const problem = unread.find((text) => text !== null);
  if (problem) throw incomplete(problem);
  const zoneOf = new Map(zones.map((zone) => [zone.zone, zone]));
  const lanes = new Semaphore(VNETS_AT_ONCE);
  const gateways: { cidr: string; nodes: readonly string[] }[] = [];
  const readVnet = async (vnet: string, zoneName: string): Promise<[string, LiveVnet]> => {
    const base = apiPath`/cluster/sdn/vnets/${vnet}/firewall`;
    const zone = zoneOf.get(zoneName);
    const options = readStoredOptions(client, appendSegments(base, 'options'), `the firewall options of VNet ${vnet}`);
    const [optionsPart, rules, subnets] = await Promise.all([
      readPart({ part: 'vnet_options', vnet }, ignoreUnknownCall(options, {}), unreadable),
      readPart(
        { part: 'vnet_rules', vnet },
        ignoreUnknownCall(
          readRules(client, appendSegments(base, 'rules')).then(({ items }) => items),
          [],
        ),
        unreadable,
      ),
      zone === undefined || ROUTED_ZONES.includes(zone.type) ? readSubnets(context, vnet, zone) : null,
    ]);
    const unknown = subnets?.problems.find((text) => text !== null);
    if (unknown) throw incomplete(unknown);
    const own = (subnets?.facts ?? []).flatMap(({ cidr, gateway }) =>
      gateway === null ? [] : [`${gateway}/${cidr.split('/')[1]}`],
    );
    for (const cidr of own) gateways.push({ cidr, nodes: nodesOf(zone) });
    return [vnet, { options: optionsPart, rules, gateways: own }];
  };
  const read = await Promise.all(vnets.map(({ vnet, zone }) => lanes.run(() => readVnet(vnet, zone))));
  return {
    vnets: Object.fromEntries(read.sort(([a], [b]) => (a < b ? -1 : 1))),
    gatewaysOn: (node) => gateways.filter(({ nodes }) => nodes.includes(node)).map(({ cidr }) => cidr),
  };
}

const incomplete = (problem: string) =>
  new ProviderError(
    'bad_answer',
    `The list of running VNets is incomplete: ${problem}`,
    'Check that the address is that of a supported Proxmox VE (8 or 9). If it is, report this message.',
  );
