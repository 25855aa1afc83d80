import { ProviderError } from '../../errors';
import type { GuestInterfaces, GuestRef } from '../../types';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';
import { interfaceFacts } from './parse-interfaces';

/** `10.0.0.5/24` of the older fields in the shape of the newer ones. */
function oldField(value: unknown): unknown[] {
  if (typeof value !== 'string') return [];
  const [address, prefix] = value.split('/', 2);
  return [{ 'ip-address': address, prefix }];
}

/**
 * The interfaces inside a container, from the kernel; null when it does not run. Newer nodes list all addresses, older
 * ones name the last of each family, and some do both with an empty list: whatever is there counts.
 */
export async function readContainerInterfaces(
  client: PveClient,
  { node, vmid }: GuestRef,
): Promise<GuestInterfaces | null> {
  const { data } = await client.get(apiPath`/nodes/${node}/lxc/${vmid}/interfaces`, {
    node,
    daemon: true,
    direct: true,
  });
  if (data === null) return null;
  if (!Array.isArray(data)) {
    throw new ProviderError(
      'bad_answer',
      `The node did not return a list of interfaces for container ${vmid}`,
      'Report this message and the Proxmox VE version of the node.',
    );
  }
  return interfaceFacts(data, (entry) => {
    const listed = entry['ip-addresses'];
    return [...(Array.isArray(listed) ? listed : []), ...oldField(entry.inet), ...oldField(entry.inet6)];
  });
}
