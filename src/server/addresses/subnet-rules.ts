import { type Cidr, cidrContains, parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { AppError } from '../lib/errors';
import { refuseField } from '../lib/refusals';

/** A stored or checked network; what is not one is a mistake of ours. */
export function cidrOf(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${text} is no network`);
  return cidr;
}

/** @throws AppError `refused` when the gateway does not lie in the subnet */
export function assertGateway(cidr: string, gateway: string | null): void {
  const ip = gateway === null ? null : parseIp(gateway);
  if (ip && !cidrContains(cidrOf(cidr), ip)) throw refuseField('gateway', `The gateway does not lie in ${cidr}.`);
}

/** The answer to a prefix that its network has already. */
export const prefixTaken = (cidr: string): AppError =>
  new AppError('conflict', `The network has the prefix ${cidr} already.`, {
    errors: [{ field: 'cidr', message: 'Choose another prefix, or change the one that is there.' }],
  });
