import type { Network } from '@/domain/inventory';
import type { SubnetNode } from '@/domain/ipam/subnet';
import type { TreeRow } from '@/ui/tree-table';

/** One line of the tree: a network, a prefix of it, or what keeps the prefixes below from being shown. */
export type PrefixItem =
  | { kind: 'network'; network: Network }
  | { kind: 'subnet'; network: Network; subnet: SubnetNode }
  | { kind: 'failure'; message: string };

/** What is known about one level below a network or prefix. */
export type Level = { items: readonly SubnetNode[] | undefined; loading: boolean; failure: string | null };

export type Branch = { network_id: string; parent_id?: string };

export const branchKey = ({ network_id, parent_id }: Branch): string => parent_id ?? network_id;

type Tree = {
  networks: readonly Network[];
  /** Whether a network or prefix (by id) is open. */
  isOpen: (id: string, depth: number) => boolean;
  /** What is below it, if requested. */
  levelOf: (branch: Branch) => Level | undefined;
};

/** The visible lines of the tree in order, and the branches that are open and must be read. */
export function prefixRows({ networks, isOpen, levelOf }: Tree): { rows: TreeRow<PrefixItem>[]; open: Branch[] } {
  const rows: TreeRow<PrefixItem>[] = [];
  const open: Branch[] = [];
  const below = (network: Network, branch: Branch, level: number) => {
    open.push(branch);
    const known = levelOf(branch);
    if (known?.failure) {
      const id = `${branchKey(branch)} failure`;
      rows.push({
        id,
        item: { kind: 'failure', message: known.failure },
        level,
        expanded: null,
        position: 1,
        siblings: 1,
      });
    }
    for (const [index, subnet] of (known?.items ?? []).entries()) {
      const next = { network_id: network.id, parent_id: subnet.id };
      const expanded = subnet.children_total > 0 ? isOpen(subnet.id, level) : null;
      rows.push({
        id: subnet.id,
        item: { kind: 'subnet', network, subnet },
        level,
        expanded,
        loading: expanded === true && levelOf(next)?.loading === true,
        position: index + 1,
        siblings: known?.items?.length ?? 0,
      });
      if (expanded) below(network, next, level + 1);
    }
  };
  for (const [index, network] of networks.entries()) {
    const branch = { network_id: network.id };
    const expanded = network.subnets_total > 0 ? isOpen(network.id, 1) : null;
    rows.push({
      id: network.id,
      item: { kind: 'network', network },
      level: 1,
      expanded,
      loading: expanded === true && levelOf(branch)?.loading === true,
      position: index + 1,
      siblings: networks.length,
    });
    if (expanded) below(network, branch, 2);
  }
  return { rows, open };
}
