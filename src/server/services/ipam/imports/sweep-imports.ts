import { db } from '../../../db/client';
import { publishEvent } from '../../../events/publish-event';
import { clock } from '../../../lib/clock';
import { failOrphanImport, listOrphanImports, MAX_IMPORT_ATTEMPTS } from '../../../repositories/ipam-imports';
import { startImport } from './request-import';

/** An import waits this long for its job before the job counts as lost. */
const QUEUED_SECONDS = 30;

/** Imports without a worker get a job again, or are given up after too many attempts. */
export async function sweepImports(): Promise<void> {
  for (const { id, attempts } of await listOrphanImports(QUEUED_SECONDS)) {
    if (attempts < MAX_IMPORT_ATTEMPTS) {
      await startImport(id);
      continue;
    }
    await db.transaction(async (tx) => {
      const message = `The worker died ${MAX_IMPORT_ATTEMPTS} times during this import; nothing was written. Look into its log.`;
      if (await failOrphanImport(tx, id, message, clock.now().toISOString()))
        await publishEvent(tx, { type: 'ipam_import.changed', import_id: id });
    });
  }
}
