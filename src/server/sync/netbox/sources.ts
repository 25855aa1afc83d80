import type { NetboxSource, NetboxSourceInput, NetboxSourceUpdate } from '@/domain/netbox/source';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { keyId, seal } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound, refuseField } from '../../lib/refusals';
import { assertAllowedHttpTarget } from '../../settings/assert-allowed-target';
import { listNetworkClusters } from '../queries/netbox-objects';
import * as repository from '../queries/netbox-sources';

const noSuchSource = () => notFound('NetBox source');

/** What the token of a source is bound to. */
export const netboxTokenContext = (id: string) => `netbox_source:${id}:token`;

const sealToken = (id: string, token: string) => ({
  token_encrypted: seal(token, netboxTokenContext(id)).sealed,
  secret_key_id: keyId(),
});

/** What an audit record holds: of certificates only that there are some. */
const toAuditState = ({ name, url, ca_certificates, ...source }: NetboxSource) => ({
  name,
  url,
  has_ca_certificates: ca_certificates !== null,
  filter_tenant: source.filter_tenant,
  filter_tag: source.filter_tag,
  networks: source.networks.map(({ vrf, vlan, network_id }) => ({ vrf, vlan, network_id })),
  tenants: source.tenants,
  groups: source.groups.map(({ tag, security_group_id }) => ({ tag, security_group_id })),
});

/** @throws AppError `refused` naming the network */
async function assertNetworks(tx: Tx, networks: NetboxSourceInput['networks']): Promise<void> {
  const found = await listNetworkClusters(
    tx,
    networks.map(({ network_id }) => network_id),
  );
  const known = new Set(found.map(({ network_id }) => network_id));
  const index = networks.findIndex(({ network_id }) => !known.has(network_id));
  if (index >= 0) throw refuseField(`networks.${index}.network_id`, 'The network was not found. Choose another one.');
}

/** Members of groups decide which rules apply: a source may name groups only with the permission to change them. */
export function assertMayChangeGroups(groups: readonly unknown[], scope: Scope<'group:write'> | null): void {
  if (groups.length === 0 || scope?.reach === 'all') return;
  throw new AppError(
    'forbidden',
    'The source adds members to groups. This requires the permission group:write for the whole installation.',
    { extra: { permission: 'group:write' } },
  );
}

async function readStored(tx: Tx, id: string): Promise<NetboxSource> {
  const source = await repository.findNetboxSource(tx, id);
  if (!source) throw new Error('expected the stored source to exist');
  return source;
}

/** @throws AppError `not_found` */
export async function readNetboxSource(_scope: Scope<'ipam:write'>, id: string): Promise<NetboxSource> {
  const source = await repository.findNetboxSource(db, id);
  if (!source) throw noSuchSource();
  return source;
}

type Writing = { scope: Scope<'ipam:write'>; groups: Scope<'group:write'> | null };

/**
 * Adds a source. Nothing is read before a preview is requested.
 * @throws AppError `conflict` when the name is taken, `forbidden` for groups without the permission, `refused` for a target that no
 * connection may be made to, or an unknown network
 */
export async function createNetboxSource(
  { scope, groups }: Writing,
  { token, ...input }: NetboxSourceInput,
): Promise<NetboxSource> {
  assertMayChangeGroups(input.groups, groups);
  await assertAllowedHttpTarget('url', new URL(input.url));
  const id = newId();
  return db.transaction(async (tx) => {
    if (await repository.netboxSourceNameTaken(tx, input.name)) throw nameTaken('NetBox source', input.name);
    await assertNetworks(tx, input.networks);
    await repository.insertNetboxSource(tx, { id, ...input, ...sealToken(id, token) });
    const source = await readStored(tx, id);
    await recordAudit(tx, scope, {
      action: 'netbox_source.created',
      object_kind: 'netbox_source',
      object_id: id,
      object_name: input.name,
      tenant_id: null,
      after: toAuditState(source),
    });
    return source;
  });
}

/**
 * Changes a source; omitted fields stay.
 * @throws AppError `not_found`, `version_conflict`, and as for a new one; `refused` for another server without its token
 */
export async function updateNetboxSource(
  { scope, groups }: Writing,
  id: string,
  input: NetboxSourceUpdate,
): Promise<NetboxSource> {
  const { version, token, ...plain } = input;
  if (plain.url !== undefined) await assertAllowedHttpTarget('url', new URL(plain.url));
  return db.transaction(async (tx) => {
    const row = await repository.lockNetboxSource(tx, id);
    if (!row) throw noSuchSource();
    assertVersion('NetBox source', row.version, version);
    // A token belongs to its server: the stored one is not sent to another.
    if (plain.url !== undefined && token === undefined && new URL(plain.url).origin !== new URL(row.url).origin)
      throw refuseField('token', 'The URL is on another server: enter the token again.');
    const changes = changedFields(row, plain);
    const before = await readStored(tx, id);
    if (Object.keys(changes).length === 0 && token === undefined) return before;
    assertMayChangeGroups(changes.groups ?? [], groups);
    if (changes.networks) await assertNetworks(tx, changes.networks);
    if (changes.name !== undefined && (await repository.netboxSourceNameTaken(tx, changes.name)))
      throw nameTaken('NetBox source', changes.name);
    await repository.updateNetboxSourceRow(tx, id, { ...changes, ...(token !== undefined && sealToken(id, token)) });
    const source = await readStored(tx, id);
    await recordAudit(tx, scope, {
      action: 'netbox_source.updated',
      object_kind: 'netbox_source',
      object_id: id,
      object_name: source.name,
      tenant_id: null,
      before: toAuditState(before),
      after: { ...toAuditState(source), ...(token !== undefined && { has_new_token: true }) },
    });
    return source;
  });
}

/** Deletes a source. What was imported stays. @throws AppError `not_found` */
export function deleteNetboxSource(scope: Scope<'ipam:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    if (!(await repository.lockNetboxSource(tx, id))) throw noSuchSource();
    const before = await readStored(tx, id);
    assertVersion('NetBox source', before.version, version);
    await repository.deleteNetboxSourceRow(tx, id);
    await recordAudit(tx, scope, {
      action: 'netbox_source.deleted',
      object_kind: 'netbox_source',
      object_id: id,
      object_name: before.name,
      tenant_id: null,
      before: toAuditState(before),
    });
  });
}
