import { lookup } from 'node:dns';
import { parseApiUrl } from '@/domain/net/url';
import { createAddressGuard, guardedLookup } from '../../net/address-guard';
import { ProviderError } from '../errors';
import { type ClientOptions, DEFAULT_TIMEOUTS } from './client-options';
import { EntryNode, type EntryNodeOptions } from './entry-node';
import { normalizeFingerprint } from './http/certificate-trust';

/** More are never needed: one living node answers for the whole cluster. */
const MAX_ENTRIES = 8;

export type Entry = { node: string | null; connection: EntryNode; isPrimary: boolean };
type Hooks = Pick<EntryNodeOptions, 'onRenewed'> & { vouch: (asker: Entry, fingerprint: string) => Promise<boolean> };

/** A wrong fingerprint must never match and never count as "none": it is kept as text that no certificate has. */
const pin = (text: string | null) => (text === null ? null : (normalizeFingerprint(text) ?? text));

function connectionOptions({ access, allowTargets, timeouts }: ClientOptions) {
  const guard = createAddressGuard(allowTargets);
  return {
    ca: access.tls_ca,
    nodeNames: access.entry_points.map(({ node }) => node),
    guard,
    lookup: guardedLookup(guard, lookup),
    connectTimeoutMs: timeouts?.connect ?? DEFAULT_TIMEOUTS.connect,
  };
}

/**
 * The addresses of a cluster: the one the administrator gave first, then the nodes learnt by syncs.
 * @throws ProviderError `unreachable` when the administrator's address is not one.
 */
export function createEntries(options: ClientOptions, hooks: Hooks): Entry[] {
  const { access } = options;
  const primary = parseApiUrl(access.api_url);
  if ('reason' in primary)
    throw new ProviderError('unreachable', primary.reason, 'Correct the address of the cluster.');
  const shared = connectionOptions(options);
  const entries: Entry[] = [];
  const add = (node: string | null, url: string, fingerprint: string | null) => {
    const target = parseApiUrl(url);
    const known = 'reason' in target || entries.some(({ connection }) => connection.target.url === target.url);
    if (known || entries.length >= MAX_ENTRIES) return;
    const connection: EntryNode = new EntryNode({
      ...shared,
      target,
      fingerprint: pin(fingerprint),
      onRenewed: hooks.onRenewed,
      vouch: (shown) => hooks.vouch(entry, shown),
    });
    const entry: Entry = { node, connection, isPrimary: entries.length === 0 };
    entries.push(entry);
  };
  add(null, primary.url, access.tls_fingerprint);
  for (const { node, url, fingerprint } of access.entry_points) add(node, url, fingerprint);
  return entries;
}

/** The same entry with its own connections, which asks no other node about its certificate. */
export function createWitness(options: ClientOptions, entry: Entry): EntryNode {
  return new EntryNode({
    ...connectionOptions(options),
    target: entry.connection.target,
    fingerprint: entry.connection.fingerprint,
    onRenewed: () => {},
    vouch: async () => false,
  });
}
