import { z } from 'zod';
import { formatCidr, parseCidr } from '@/domain/net/cidr';
import { ProviderError } from '../../errors';
import { flagField } from '../answers/fields';
import { parseList } from '../answers/parse-list';
import type { Permissions } from '../answers/permissions';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';
import { missingPrivilege } from './read-part';
import type { RunningSdn } from './read-vnet-firewalls';

const MAX_INTERFACES = 5_000;

const Interface = z.object({
  iface: z.string().min(1).max(64),
  active: flagField.optional(),
  method: z.string().max(40).optional(),
  cidr: z.string().max(60).optional(),
  cidr6: z.string().max(60).optional(),
});

const unknown = (node: string, why: string) =>
  new ProviderError(
    'bad_answer',
    `The addresses of ${node} are not known: ${why}`,
    'Results for packets from broadcast addresses stay unknown until all addresses of the node can be read.',
  );

/**
 * Addresses of a node's active interfaces with their prefix length, those of gateways of running VNets among them. A
 * bridge is hidden without an error from a token that may not see it, so the list is only believed with that privilege.
 * @throws ProviderError when it is not complete
 */
export async function readOwnNetworks(
  client: PveClient,
  permissions: Permissions,
  node: string,
  running: Promise<RunningSdn | null>,
): Promise<string[]> {
  if (!['SDN.Audit', 'SDN.Use'].some((privilege) => permissions.hasBelow(privilege, '/sdn/zones'))) {
    throw missingPrivilege('SDN.Audit', '/sdn/zones');
  }
  const [{ data }, sdn] = await Promise.all([client.get(apiPath`/nodes/${node}/network`, { node }), running]);
  const { items, problem } = parseList(`interfaces of ${node}`, Interface, data, MAX_INTERFACES);
  if (problem !== null) throw unknown(node, problem);
  if (sdn === null) throw unknown(node, 'the running VNets could not be read');
  const active = items.filter((entry) => entry.active === true);
  const dynamic = active.find(({ method, cidr }) => method === 'dhcp' && cidr === undefined);
  // The API shows the configuration, not what a DHCP server assigned.
  if (dynamic) throw unknown(node, `${dynamic.iface} gets its address by DHCP`);
  const texts = active.flatMap(({ cidr, cidr6 }) => [cidr, cidr6]).filter((text) => text !== undefined && text !== '');
  const networks = [...texts, ...sdn.gatewaysOn(node)].map((text) => {
    const parsed = parseCidr(text ?? '');
    if (!parsed) throw unknown(node, `${text} is not an address`);
    return formatCidr(parsed);
  });
  return [...new Set(networks)].sort();
}
