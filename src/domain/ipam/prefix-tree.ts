import { type Cidr, cidrCovers } from '../net/cidr';
import { compareIp } from '../net/ip-address';

export type TreeNode<T> = {
  item: T;
  parent: TreeNode<T> | null;
  children: TreeNode<T>[];
  /** Prefixes at any depth below it. */
  descendants: number;
};

/**
 * Nests prefixes: each one below the smallest that covers it. Prefixes of both families may be mixed; an equal one counts
 * as inside the one that comes first.
 * @returns every node in order: IPv4 first, by address, wider before narrower
 */
export function prefixTree<T>(items: readonly T[], cidrOf: (item: T) => Cidr): TreeNode<T>[] {
  const sorted = items
    .map((item) => ({ item, cidr: cidrOf(item) }))
    .sort((a, b) => compareIp(a.cidr.address, b.cidr.address) || a.cidr.prefix - b.cidr.prefix);
  const nodes: TreeNode<T>[] = [];
  const open: { node: TreeNode<T>; cidr: Cidr }[] = [];
  for (const { item, cidr } of sorted) {
    while (open.length > 0 && !cidrCovers((open.at(-1) as { cidr: Cidr }).cidr, cidr)) open.pop();
    const parent = open.at(-1)?.node ?? null;
    const node: TreeNode<T> = { item, parent, children: [], descendants: 0 };
    parent?.children.push(node);
    for (const above of open) above.node.descendants += 1;
    open.push({ node, cidr });
    nodes.push(node);
  }
  return nodes;
}
