import type { ConflictKind, IpamConflict } from '@/domain/ipam/conflict';
import type { Fact } from '@/domain/notifications/condition';
import { listConflicts } from '../../addresses/list-conflicts';
import { systemScope } from '../../auth/scope';
import type { Collector } from './collector';

const PAGE = 500;
const MOST_PAGES = 20;

const WORDS: Record<ConflictKind, (conflict: IpamConflict, holder: string, other: string) => string> = {
  duplicate_address: ({ address }, holder, other) => `${address} is used by ${holder} and by ${other}.`,
  duplicate_mac: ({ mac }, holder, other) => `${holder} and ${other} have the same MAC address ${mac}.`,
  outside_subnet: ({ address, network_name }, holder) =>
    `${holder} uses ${address}, which is in no subnet of ${network_name ?? 'its network'}.`,
  reserved_in_use: ({ address }, _holder, other) => `${other} uses ${address}, which is reserved.`,
};

/** Who is out of reach, or not known, has no name here. */
const nameOf = (party: IpamConflict['workload']): string => party?.name ?? 'another workload';

function factOf(conflict: IpamConflict): Fact {
  const { id, kind, address, mac, cluster_name, workload, other_workload } = conflict;
  const other = kind === 'reserved_in_use' && other_workload === null ? workload : other_workload;
  return {
    condition: 'address_conflict',
    key: id,
    object_kind: 'ipam_conflict',
    object_id: id,
    object_name: `${address ?? mac ?? kind} (${cluster_name})`,
    detail: WORDS[kind](conflict, nameOf(workload), nameOf(other)),
  };
}

/** Conflicts of addresses in which a workload within reach is a party and that nobody decided yet. */
export const addressConflicts: Collector = async (reach) => {
  const scope = systemScope('ipam:read', 'notifications', reach);
  const facts: Fact[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const found = await listConflicts(scope, { status: 'open', limit: PAGE, ...(cursor && { cursor }) });
    facts.push(...found.items.map(factOf));
    cursor = found.next_cursor;
  }
  return { facts, incomplete: cursor !== null };
};
