import { z } from 'zod';
import { normalizeMac } from '@/domain/net/mac-address';
import { ProviderError } from '../../errors';
import type { Listing, SdnLease } from '../../types';
import { textField, vmidField } from '../answers/fields';
import { parseList, toListing } from '../answers/parse-list';
import { apiPath } from '../http/encode';
import type { InventoryContext } from '../inventory/context';
import { addressFact } from './parse-interfaces';

const MAX_LEASES = 100_000;
const name = z.string().min(1).max(64);
const Lease = z.object({
  zone: name,
  vnet: name.optional(),
  ip: z.string().max(100).optional(),
  mac: z.string().max(32).optional(),
  vmid: vmidField.optional().catch(undefined),
  hostname: textField().optional().catch(undefined),
  gateway: z.unknown().optional(),
});

/** The answer of a cluster on which the SDN was never set up, or of a version that does not have the call. */
const isAbsence = (error: unknown) =>
  error instanceof ProviderError &&
  (error.code === 'not_found' ||
    (error.code === 'server_error' && /not implemented|no such file/i.test(error.message)));

/** What the address management of the SDN gave to MAC addresses. Entries without one (gateways, networks) are left out. */
export async function listLeases(context: InventoryContext): Promise<Listing<SdnLease>> {
  let data: unknown;
  try {
    ({ data } = await context.client.get(apiPath`/cluster/sdn/ipams/pve/status`));
  } catch (error) {
    if (isAbsence(error)) return { items: [], complete: true, incompleteReason: null };
    throw error;
  }
  const { items, problem } = parseList('SDN leases', Lease, data ?? [], MAX_LEASES);
  const permissions = await context.permissions.get();
  const hidden = ['SDN.Audit', 'SDN.Allocate'].some((privilege) => permissions.hasBelow(privilege, '/sdn/zones'))
    ? null
    : 'the token does not have SDN.Audit on all of /sdn/zones, so leases may be hidden from it';
  const leases = items.flatMap(({ zone, vnet, ip, mac, vmid, hostname }) => {
    const [address, canonical] = [addressFact(ip, null), normalizeMac(mac ?? '')];
    return address && canonical
      ? [
          {
            zone,
            network: vnet ?? '',
            address: address.address,
            mac: canonical,
            vmid: vmid ?? null,
            hostname: hostname || null,
          },
        ]
      : [];
  });
  return toListing(leases, [hidden, context.report(problem)]);
}
