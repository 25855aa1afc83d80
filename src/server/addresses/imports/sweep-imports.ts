import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { MAX_ATTEMPTS } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { importLeases } from '../queries/ipam-imports';
import { startImport } from './request-import';

const MESSAGE = `The worker died ${MAX_ATTEMPTS} times during this import; nothing was written. Look into its log.`;

async function giveUp({ id }: { id: string }): Promise<void> {
  await db.transaction(async (tx) => {
    const outcome = { message: MESSAGE, finished_at: clock.now().toISOString(), content: '' };
    if (await importLeases.fail(tx, id, outcome))
      await publishEvent(tx, { type: 'ipam_import.changed', import_id: id });
  });
}

/** Imports without a worker get a job again, or are given up after too many attempts. */
export async function sweepImports(): Promise<void> {
  const orphans = await importLeases.listOrphans(db, []);
  await recoverRuns(orphans, { restart: ({ id }) => startImport(id), giveUp });
}
