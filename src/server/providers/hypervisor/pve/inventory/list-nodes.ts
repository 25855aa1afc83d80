import { z } from 'zod';
import { orNull } from '../../errors';
import type { Listing, NodeFact } from '../../types';
import { flagField } from '../answers/fields';
import { parseObject, toListing } from '../answers/parse-list';
import { apiPath } from '../http/encode';
import type { InventoryContext } from './context';
import type { NodeSummary } from './node-summaries';

const Status = z.object({ pveversion: z.string().max(200).optional() });
const FirewallOptions = z.object({ nftables: flagField.optional() });

/** Failures of one node that do not stop the read of the cluster. */
const NODE_FAILURES = [
  'forbidden',
  'node_unreachable',
  'timeout',
  'circuit_open',
  'server_error',
  'bad_answer',
] as const;

/** `pve-manager/9.2.11/14a22df35955b2c1` → `9.2.11` */
const parseVersion = (text: string | undefined): string | null =>
  /^pve-manager\/([\w.~+-]{1,40})/.exec(text ?? '')?.[1] ?? null;

async function readVersion({ client }: InventoryContext, node: string): Promise<string | null> {
  const { data } = await client.get(apiPath`/nodes/${node}/status`, { node });
  return parseVersion(parseObject(`the status of ${node}`, Status, data).pveversion);
}

/** Which firewall the node runs; only stored options are answered, and the stored default is off. */
async function readNftables({ client }: InventoryContext, node: string): Promise<boolean> {
  const { data } = await client.get(apiPath`/nodes/${node}/firewall/options`, { node });
  return parseObject(`the firewall options of ${node}`, FirewallOptions, data).nftables ?? false;
}

async function toFact(
  context: InventoryContext,
  summary: NodeSummary,
  address: string | null,
  audit: boolean,
): Promise<NodeFact> {
  const { node, status } = summary;
  const ask = audit && status === 'online';
  const [version, nftables] = await Promise.all([
    ask ? orNull(readVersion(context, node), ...NODE_FAILURES) : null,
    ask ? orNull(readNftables(context, node), ...NODE_FAILURES) : null,
  ]);
  return {
    name: node,
    status,
    address,
    tls_fingerprint: summary.ssl_fingerprint ?? null,
    provider_version: version,
    nftables,
    cpu_count: summary.maxcpu ?? null,
    memory_bytes: summary.maxmem ?? null,
    uptime_seconds: summary.uptime === undefined ? null : Math.floor(summary.uptime),
  };
}

/** Every node of the cluster. What a node does not tell at the moment is null. */
export async function listNodes(context: InventoryContext): Promise<Listing<NodeFact>> {
  const [{ items, problem }, status, permissions] = await Promise.all([
    context.nodes.get(),
    context.clusterStatus.get(),
    context.permissions.get(),
  ]);
  const findAddress = (name: string) => status?.nodes.find((node) => node.name === name)?.ip ?? null;
  const facts = items.map((summary) =>
    toFact(context, summary, findAddress(summary.node), permissions.has('Sys.Audit', `/nodes/${summary.node}`)),
  );
  return toListing(await Promise.all(facts), [context.report(problem), context.report(status?.problem ?? null)]);
}
