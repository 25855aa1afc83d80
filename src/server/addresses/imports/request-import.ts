import { createHash } from 'node:crypto';
import type { ImportInput } from '@/domain/ipam/csv-import';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { ipamImport } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { insertImport } from '../queries/ipam-imports';

/** Hands a waiting import to the queue; when that does not answer the schedule finds it within a minute. */
export async function startImport(import_id: string): Promise<void> {
  try {
    await enqueue(ipamImport, { import_id });
  } catch (error) {
    logger.warn({ err: error, import_id }, 'the import waits until the queue answers');
  }
}

/** Keeps a CSV file and has it taken over by a worker. */
export async function requestImport(scope: Scope<'ipam:write'>, input: ImportInput): Promise<{ import_id: string }> {
  const id = newId();
  const sha256 = createHash('sha256').update(input.content).digest('hex');
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
      after: { kind: input.kind, mode: input.mode, dry_run: input.dry_run, sha256 },
    });
  });
  await startImport(id);
  return { import_id: id };
}
