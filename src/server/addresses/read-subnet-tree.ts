import { prefixTree, type TreeNode } from '@/domain/ipam/prefix-tree';
import type { SubnetNode, SubnetTreeInput } from '@/domain/ipam/subnet';
import { computeUsage, noAddresses, type StateCounts } from '@/domain/ipam/usage';
import type { Page } from '@/domain/list';
import { type Cidr, parseCidr } from '@/domain/net/cidr';
import type { Scope } from '../auth/scope';
import { AppError } from '../lib/errors';
import { listNetworkSubnets, type SubnetWithoutUsage } from './queries/subnets';

const parseStoredCidr = ({ cidr }: SubnetWithoutUsage): Cidr => {
  const parsed = parseCidr(cidr);
  if (!parsed) throw new Error(`expected a stored prefix, not ${cidr}`);
  return parsed;
};

/** Adds what lies directly in each prefix to all prefixes around it. */
function sumUp(
  nodes: readonly TreeNode<SubnetWithoutUsage>[],
  direct: ReadonlyMap<string, StateCounts>,
): Map<TreeNode<SubnetWithoutUsage>, StateCounts> {
  const sums = new Map(nodes.map((node) => [node, { ...noAddresses(), ...direct.get(node.item.id) }]));
  // Narrower prefixes come after wider ones, so from the end every sum is complete before it is passed on.
  for (const node of [...nodes].reverse()) {
    const [own, above] = [sums.get(node), node.parent && sums.get(node.parent)];
    if (!own || !above) continue;
    for (const state of Object.keys(own) as (keyof StateCounts)[]) above[state] += own[state];
  }
  return sums;
}

/**
 * One level of a network's prefix tree, with utilization. Two queries for any tree size.
 * @throws AppError `malformed` for a cursor of another list
 */
export async function readSubnetTree(
  scope: Scope<'ipam:read'>,
  { network_id, parent_id, limit, cursor }: SubnetTreeInput,
): Promise<Page<SubnetNode>> {
  const { rows, direct } = await listNetworkSubnets(scope.reach, network_id);
  const nodes = prefixTree(rows, parseStoredCidr);
  const sums = sumUp(nodes, direct);
  const level = nodes.filter((node) => (node.parent?.item.id ?? undefined) === parent_id);
  const start = cursor === undefined ? 0 : level.findIndex((node) => node.item.id === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw new AppError('malformed', 'The cursor is not from this list. Start again without a cursor.', {
      errors: [{ field: 'cursor', message: 'Use next_cursor of the previous page, unchanged.' }],
    });
  }
  const page = level.slice(start, start + limit);
  const items = page.map((node): SubnetNode => {
    const { cluster_name: _, network_name: __, ...row } = node.item;
    return {
      ...row,
      parent_id: node.parent?.item.id ?? null,
      usage: computeUsage(parseStoredCidr(node.item), sums.get(node) ?? noAddresses()),
      children_total: node.children.length,
      descendants_total: node.descendants,
    };
  });
  const more = start + limit < level.length;
  return { items, next_cursor: more ? (items.at(-1)?.id ?? null) : null, total: level.length };
}
