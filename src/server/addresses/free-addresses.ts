import { usableBounds } from '@/domain/ipam/capacity';
import { firstAddresses, freeParts, type Interval } from '@/domain/ipam/free-space';
import { formatIp, type IpAddress, parseIp } from '@/domain/net/ip-address';
import type { Executor } from '../db/client';
import { listGaps, listSetAside, type SubnetRow } from './queries/ipam-space';
import { cidrOf } from './subnet-rules';

/** Gaps looked at in one query: nearly always enough. */
const GAPS_AT_ONCE = 256;

/**
 * The first addresses of a subnet that are neither stored nor set aside (gateway, ranges, narrower prefixes, network and
 * broadcast address), at most `count`. Three queries unless thousands of gaps are set aside.
 */
export async function freeAddresses(executor: Executor, subnet: SubnetRow, count: number): Promise<string[]> {
  const { first, last } = usableBounds(cidrOf(subnet.cidr));
  const gateway = subnet.gateway === null ? null : parseIp(subnet.gateway);
  const aside: Interval[] = await listSetAside(executor, subnet);
  if (gateway) aside.push({ first: gateway.value, last: gateway.value });
  const found: IpAddress[] = [];
  let from = first;
  while (found.length < count && from.value <= last.value) {
    const gaps = await listGaps(executor, subnet, from, last, GAPS_AT_ONCE);
    const end = gaps.at(-1);
    if (!end) break;
    const free = gaps.flatMap((gap) => freeParts(gap, aside));
    found.push(...firstAddresses(free, first.family, count - found.length));
    from = { family: first.family, value: end.last + 1n };
  }
  return found.map(formatIp);
}
