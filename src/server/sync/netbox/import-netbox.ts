import { createHash } from 'node:crypto';
import { parseNetboxObjects } from '@/domain/netbox/objects';
import type { NetboxImportInput, NetboxSource } from '@/domain/netbox/source';
import { startImport } from '../../addresses/imports/imports';
import { loadImportContext } from '../../addresses/imports/plan-addresses';
import { getRequester, type ImportReader, runImport } from '../../addresses/imports/run-import';
import { findPreview, insertImport } from '../../addresses/queries/imports';
import { recordAudit } from '../../audit/record';
import { changeScope, type Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { changeMembersDirectly } from '../../enforcement/groups/members';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { unseal } from '../../lib/crypto';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { notFound, refuseField } from '../../lib/refusals';
import { createAddressGuard } from '../../providers/net/address-guard';
import { readNetbox } from '../../providers/netbox/read-netbox';
import {
  listKnownObjects,
  listNetworkClusters,
  readMemberContext,
  storeKnownObjects,
  updateLastImport,
} from '../queries/netbox-objects';
import { findNetboxSource, findNetboxSourceRow, type NetboxSourceRow } from '../queries/netbox-sources';
import { planNetbox } from './plan-netbox';
import { assertMayChangeGroups, netboxTokenContext } from './sources';

/** A preview counts only for the source as it was then. */
const hashSource = ({ id, version }: Pick<NetboxSource, 'id' | 'version'>) =>
  createHash('sha256').update(`${id} ${version}`).digest('hex');

/** @throws AppError `refused` unless the preview is one of this source as it is now, and lists the chosen conflicts */
async function assertPreviewed(source: NetboxSource, input: NetboxImportInput): Promise<void> {
  const refuse = (message: string) => refuseField('preview_id', message);
  if (input.preview_id === undefined) {
    if (input.overwrite.length > 0 || input.overwrite_all)
      throw refuse('Conflicts are chosen from a preview. Request a preview first, and send its ID.');
    return;
  }
  const preview = await findPreview(db, input.preview_id);
  if (preview?.kind !== 'netbox' || !preview.dry_run)
    throw refuse('The preview was not found. Preview the source again.');
  if (preview.sha256 !== hashSource(source))
    throw refuse('The preview was of another source, or the source was changed since. Preview the source again.');
  if (preview.status !== 'ok' || preview.plan_hash === null)
    throw refuse('The preview did not finish. Preview the source again.');
  const conflicts = new Set(preview.changes.flatMap(({ line, conflict }) => (conflict === undefined ? [] : [line])));
  const unknown = input.overwrite.find((line) => !conflicts.has(line));
  if (unknown !== undefined) throw refuseField('overwrite', `The preview lists no conflict in line ${unknown}.`);
}

type Requesting = { scope: Scope<'ipam:write'>; groups: Scope<'group:write'> | null };

/**
 * Has a source previewed, or what a preview listed written.
 * @throws AppError `not_found`, `refused` without a preview of the source as it is now, `forbidden` for groups without the permission
 */
export async function requestNetboxImport(
  { scope, groups }: Requesting,
  sourceId: string,
  input: NetboxImportInput,
): Promise<{ import_id: string }> {
  const source = await findNetboxSource(db, sourceId);
  if (!source) throw notFound('NetBox source');
  const dry_run = input.preview_id === undefined;
  if (!dry_run) assertMayChangeGroups(source.groups, groups);
  await assertPreviewed(source, input);
  const id = newId();
  const { preview_id, overwrite, overwrite_all } = input;
  await db.transaction(async (tx) => {
    await insertImport(tx, {
      ...{ id, kind: 'netbox', mode: 'skip_bad', dry_run, netbox_source_id: source.id, file_name: source.name },
      ...{ content: '', sha256: hashSource(source), preview_id, overwrite, overwrite_all },
      requested_by: scope.actor.kind === 'user' ? scope.actor.id : null,
      requested_by_name: scope.actor.name,
    });
    await publishEvent(tx, { type: 'ipam_import.changed', import_id: id });
    await recordAudit(tx, scope, {
      action: 'ipam.import_requested',
      object_kind: 'ipam_import',
      object_id: id,
      object_name: source.name,
      after: {
        ...{ kind: 'netbox', netbox_source_id: source.id, dry_run },
        ...(preview_id && { preview_id, overwrite: overwrite_all ? 'all' : overwrite }),
      },
    });
  });
  await startImport(id);
  return { import_id: id };
}

function openToken({ id, token_encrypted: sealed, secret_key_id: key_id }: NetboxSourceRow): string {
  try {
    return unseal({ sealed, key_id }, netboxTokenContext(id));
  } catch (cause) {
    throw new AppError(
      'upstream',
      'The token of the source cannot be decrypted with the current FABRIC_SECRET_KEY. Restore the previous key, or enter the token again.',
      { cause },
    );
  }
}

/** Reads the NetBox of an import. @throws AppError when it cannot be read */
const readSource: ImportReader = async (row, { signal, onRead }) => {
  const source = row.netbox_source_id === null ? null : await findNetboxSourceRow(db, row.netbox_source_id);
  if (!source) throw new AppError('not_found', 'The NetBox source was deleted.');
  if (hashSource(source) !== row.sha256)
    throw new AppError('conflict', 'The NetBox source was changed since the request. Preview the source again.');
  const access = {
    url: source.url,
    token: openToken(source),
    ca: source.ca_certificates,
    guard: createAddressGuard(env().FABRIC_ALLOW_PRIVATE_TARGETS),
    signal,
  };
  const raw = await readNetbox(access, { tenant: source.filter_tenant, tag: source.filter_tag }, onRead);
  const read = parseNetboxObjects(raw);
  return {
    rowsTotal: read.total,
    plan: async (tx) => {
      const places = await listNetworkClusters(
        tx,
        source.networks.map(({ network_id }) => network_id),
      );
      const context = await loadImportContext(tx, [...new Set(places.map(({ cluster }) => cluster))]);
      const members = await readMemberContext(
        tx,
        source.groups.map(({ security_group_id }) => security_group_id),
        context.clusters.map(({ id }) => id),
      );
      const known = await listKnownObjects(tx, source.id);
      const chosen = row.overwrite_all ? 'all' : new Set(row.overwrite);
      const plan = planNetbox(read, { source, context, known, members }, chosen);
      return {
        ...plan,
        clusters: context.clusters,
        writeMore: async () => {
          const scope = changeScope('group:write', { actor: getRequester(row), origin: null });
          for (const [group, add] of plan.members) await changeMembersDirectly(tx, scope, group, { add, remove: [] });
          await storeKnownObjects(tx, source.id, plan.known);
          await updateLastImport(tx, source.id, clock.now().toISOString());
        },
      };
    },
  };
};

/** Imports a waiting CSV file or NetBox, as `runImport`. */
export const runAnyImport = (importId: string, { signal }: { signal: AbortSignal }): Promise<void> =>
  runImport(importId, { signal, readNetbox: readSource });
