import type { LiveNode, LiveNodeOptions } from '@/domain/firewall/live-state';
import { ProviderError } from '../../errors';
import type { UnreadablePart } from '../../firewall-types';
import { apiPath } from '../http/encode';
import type { InventoryContext } from '../inventory/context';
import { Semaphore } from '../limits/semaphore';
import { appendSegments, readRules } from './read-lists';
import { readStoredOptions } from './read-options';
import { readOwnNetworks } from './read-own-networks';
import { missingPrivilege, readPart } from './read-part';
import type { RunningSdn } from './read-vnet-firewalls';

/** Nodes that are read at the same time; the entry node answers four concurrent requests, for every reader. */
const NODES_AT_ONCE = 4;

const offline = (node: string) =>
  new ProviderError(
    'node_unreachable',
    `${node} is not online`,
    'Its firewall is read when the node is online again.',
    { object: node },
  );

/**
 * What every node has configured for its packet filter, three calls for each that is online. What a node does not answer
 * is null and named in `unreadable`.
 * @throws ProviderError when the cluster as a whole cannot be asked
 */
export async function readNodeFirewalls(
  context: InventoryContext,
  sdn: Promise<RunningSdn | null>,
  unreadable: UnreadablePart[],
): Promise<Record<string, LiveNode>> {
  const [{ items }, permissions] = await Promise.all([context.nodes.get(), context.permissions.get()]);
  const lanes = new Semaphore(NODES_AT_ONCE);
  const readNode = async (node: string, online: boolean): Promise<[string, LiveNode]> => {
    const mayRead = permissions.has('Sys.Audit', `/nodes/${node}`);
    const ask = async <T>(allowed: boolean, load: () => Promise<T>): Promise<T> => {
      if (!online) throw offline(node);
      if (!allowed) throw missingPrivilege('Sys.Audit', `/nodes/${node}`);
      return load();
    };
    const base = apiPath`/nodes/${node}/firewall`;
    const what = `the firewall options of ${node}`;
    const [options, rules, networks] = await Promise.all([
      readPart(
        { part: 'node_options', node },
        ask(
          mayRead,
          async () =>
            (await readStoredOptions(context.client, appendSegments(base, 'options'), what, {
              node,
            })) as LiveNodeOptions,
        ),
        unreadable,
      ),
      readPart(
        { part: 'node_rules', node },
        ask(mayRead, () => readRules(context.client, appendSegments(base, 'rules'), { node })),
        unreadable,
      ),
      readPart(
        { part: 'node_networks', node },
        ask(true, () => readOwnNetworks(context.client, permissions, node, sdn)),
        unreadable,
      ),
    ]);
    return [node, { options, networks, rules: rules?.items ?? null }];
  };
  const nodes = await Promise.all(
    items.map(({ node, status }) => lanes.run(() => readNode(node, status === 'online'))),
  );
  return Object.fromEntries(nodes.sort(([a], [b]) => (a < b ? -1 : 1)));
}
