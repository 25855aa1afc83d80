import { createHash } from 'node:crypto';
import type { ImportChangesInput, ImportChangesPage, ImportInput, IpamImportDetail } from '@/domain/ipam/csv-import';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { ipamImport } from '../../jobs/definitions';
import { enqueue, enqueueOrWait } from '../../jobs/enqueue';
import { formatWorkerCrash } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { notFound, refuseField } from '../../lib/refusals';
import * as repository from '../queries/imports';
import { importLeases, insertImport } from '../queries/imports';

/**
 * One import with its report: each bad row by line and field.
 * @throws AppError `not_found`
 */
export async function readImport(_scope: Scope<'ipam:write'>, id: string): Promise<IpamImportDetail> {
  const found = await repository.findImport(id);
  if (!found) throw notFound('import');
  return found;
}

/** Changes of one import from an offset. @throws AppError `not_found` */
export async function readImportChanges(
  _scope: Scope<'ipam:write'>,
  id: string,
  input: ImportChangesInput,
): Promise<ImportChangesPage> {
  const found = await repository.findImportChanges(id, input);
  if (!found) throw notFound('import');
  return found;
}

/** Hands a waiting import to the queue; when that does not answer the schedule finds it within a minute. */
export async function startImport(import_id: string): Promise<void> {
  await enqueueOrWait('the import', { import_id }, () => enqueue(ipamImport, { import_id }));
}

/** @throws AppError `refused` unless the dry run was about the same file, and finished */
async function assertPreviewed(input: ImportInput, previewId: string, sha256: string): Promise<void> {
  const refuse = (message: string) => refuseField('preview_id', message);
  if (input.dry_run) throw refuse('Only an import has a dry run before it. Remove preview_id or dry_run.');
  const preview = await repository.findPreview(db, previewId);
  if (!preview?.dry_run) throw refuse('The dry run was not found. Check the file again.');
  if (preview.status !== 'ok' || preview.plan_hash === null)
    throw refuse('The dry run did not finish, or found no importable rows. Check the file again.');
  if (preview.sha256 !== sha256 || preview.kind !== input.kind)
    throw refuse('The dry run was about another file. Check this file first.');
}

/** Keeps a CSV file and has it taken over by a worker. @throws AppError `refused` for a dry run of something else */
export async function requestImport(scope: Scope<'ipam:write'>, input: ImportInput): Promise<{ import_id: string }> {
  const id = newId();
  const sha256 = createHash('sha256').update(input.content).digest('hex');
  if (input.preview_id !== undefined) await assertPreviewed(input, input.preview_id, sha256);
  await db.transaction(async (tx) => {
    await insertImport(tx, {
      ...input,
      id,
      sha256,
      requested_by: scope.actor.kind === 'user' ? scope.actor.id : null,
      requested_by_name: scope.actor.name,
    });
    await publishEvent(tx, { type: 'ipam_import.changed', import_id: id });
    await recordAudit(tx, scope, {
      action: 'ipam.import_requested',
      object_kind: 'ipam_import',
      object_id: id,
      object_name: input.file_name || `${input.kind}.csv`,
      after: {
        kind: input.kind,
        mode: input.mode,
        dry_run: input.dry_run,
        sha256,
        ...(input.preview_id && { preview_id: input.preview_id }),
      },
    });
  });
  await startImport(id);
  return { import_id: id };
}

const MESSAGE = `${formatWorkerCrash('import')} Nothing was written. Check the worker log.`;

async function failImport({ id }: { id: string }): Promise<void> {
  await db.transaction(async (tx) => {
    const outcome = { message: MESSAGE, finished_at: clock.now().toISOString(), content: '' };
    if (await importLeases.fail(tx, id, outcome))
      await publishEvent(tx, { type: 'ipam_import.changed', import_id: id });
  });
}

/** Requeues imports without a worker, or marks them as failed after too many attempts. */
export async function sweepImports(): Promise<void> {
  const orphans = await importLeases.listOrphans(db, []);
  await recoverRuns(orphans, { restart: ({ id }) => startImport(id), giveUp: failImport });
}
