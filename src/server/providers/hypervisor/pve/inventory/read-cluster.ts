import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { orNull } from '../../errors';
import type { ClusterFact } from '../../types';
import { countField, textField } from '../answers/fields';
import { parseList, parseObject } from '../answers/parse-list';
import type { GetOptions, PveClient } from '../client';
import { apiPath } from '../http/encode';
import { missingWritePrivileges } from '../preflight/check-privileges';
import type { InventoryContext } from './context';

/** What `/version` answers. */
export const VersionAnswer = z.object({ version: textField(60), release: textField(60).optional() });
const FirewallOptions = z.object({ enable: countField.optional() });
const Certificate = z.object({ filename: z.string().optional(), pem: z.string().max(32_768).optional() });

/** The version of the node asked, such as `9.2.11`. */
export async function readVersion(client: PveClient, options: GetOptions = {}): Promise<string> {
  const { data } = await client.get(apiPath`/version`, options);
  return parseObject('the version', VersionAnswer, data).version;
}

/** Cluster option `enable`; null when the token may not read it (it needs Sys.Audit on /). */
export async function readFirewallEnabled(client: PveClient, options: GetOptions = {}): Promise<boolean | null> {
  const answer = await orNull(client.get(apiPath`/cluster/firewall/options`, options), 'forbidden');
  // Values above 1 are a trial that ends by itself; while it lasts the firewall filters.
  return answer && (parseObject('the firewall options', FirewallOptions, answer.data ?? {}).enable ?? 0) > 0;
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

/** The CA that signs the certificates of the cluster's nodes, read over a connection that is already trusted. */
async function readAuthority(context: InventoryContext): Promise<string | null> {
  const [status, nodes] = await Promise.all([context.clusterStatus.get(), context.nodes.get()]);
  const local = status?.nodes.find((node) => node.local)?.name;
  const node = local ?? nodes.items.find((summary) => summary.status === 'online')?.node;
  if (node === undefined) return null;
  const { data } = await context.client.get(apiPath`/nodes/${node}/certificates/info`, { node });
  const { items } = parseList('certificates', Certificate, data, 20);
  const pem = items.find(({ filename }) => filename === 'pve-root-ca.pem')?.pem;
  return pem !== undefined && isAuthority(pem) ? pem : null;
}

/** What holds for the cluster as a whole. What the token may not read is null. */
export async function readCluster(context: InventoryContext): Promise<ClusterFact> {
  const { client } = context;
  // A user who has just fixed the cluster and starts a sync must not get the failure of a moment ago.
  const version = await readVersion(client, { insist: true });
  const [status, firewall, permissions, authority] = await Promise.all([
    context.clusterStatus.get(),
    orNull(readFirewallEnabled(client), 'server_error', 'bad_answer'),
    orNull(context.permissions.get(), 'forbidden', 'server_error', 'bad_answer'),
    orNull(
      readAuthority(context),
      'forbidden',
      'node_unreachable',
      'timeout',
      'circuit_open',
      'server_error',
      'bad_answer',
    ),
  ]);
  return {
    version,
    name: status?.name ?? null,
    quorate: status?.quorate ?? null,
    firewall_enabled: firewall,
    missing_write_privileges: permissions && missingWritePrivileges(permissions),
    tls_ca: authority,
  };
}
