import type { Change, ChangeCreate } from '@/domain/change/change';
import type { DriftAdoption, DriftAdoptMany } from '@/domain/change/drift';
import type { ChangeEdit } from '@/domain/change/items';
import { DEFAULT_CONFIRM_SECONDS } from '@/domain/choices';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import type { Session } from '../../auth/scope';
import { db } from '../../db/client';
import { groupBy } from '../../lib/group-by';
import { createChange } from '../changes/draft/create-change';
import { normalizeItems } from '../changes/draft/normalize-items';
import { requestItemsImpact } from '../impact/request-impact';
import type { FoundDriftRow } from '../queries/drifts';
import { buildAdoptions } from './build-adoptions';
import { type DriftDeciders, findDecidable } from './drift';

/** What the change is called, and what it makes the content of policies. */
function describeAdoption(rows: readonly FoundDriftRow[]): Pick<ChangeCreate, 'title' | 'description'> {
  const [first, ...more] = rows;
  const what = first && more.length === 0 ? first.subject : `${rows.length} differences`;
  const names = [...new Set(rows.map(({ policy_name }) => policy_name))];
  const whose = names.length === 1 ? names[0] : `${names.length} policies`;
  const lines = rows.map(({ workload_name, vmid, live }) => `Live on ${workload_name} (${vmid}): ${live ?? 'nothing'}`);
  return {
    title: `Adopt ${what} of ${whose}`.slice(0, 120).trim(),
    description: lines.join('\n').slice(0, 2000).trim(),
  };
}

async function buildAdoption(
  deciders: DriftDeciders,
  { drift_ids, as }: DriftAdoptMany,
): Promise<Pick<ChangeCreate, 'title' | 'description'> & { items: ChangeEdit[] }> {
  const rows = await findDecidable(deciders, drift_ids);
  const places = groupBy(rows, ({ policy_id, workload_id }) => `${policy_id} ${workload_id}`);
  const asked = [...places.values()].map((same, at) => ({ at, field: 'drift_ids', as, rows: same }));
  return { ...describeAdoption(rows), items: await buildAdoptions(deciders, asked) };
}

/** Drafts one change that adopts all of these. @throws as `findDecidable`, `buildAdoptions` and `createChange` */
export async function adoptDrift(deciders: DriftDeciders, session: Session, input: DriftAdoptMany): Promise<Change> {
  return createChange(deciders.write, session, {
    ...(await buildAdoption(deciders, input)),
    confirm_within_seconds: DEFAULT_CONFIRM_SECONDS,
    waves: { canaries: null, pause_seconds: null },
    on_failure: 'stop',
    rollback_on_failed_check: false,
    log_new_rules: null,
    scheduled_at: null,
    within_maintenance: false,
  });
}

/** What `adoptDrift` would draft, and its impact. Nothing is drafted. @throws as `adoptDrift` */
export async function previewAdoption(
  deciders: DriftDeciders,
  session: Session,
  reader: ImpactReader,
  input: DriftAdoptMany,
): Promise<DriftAdoption> {
  const { title, items: edits } = await buildAdoption(deciders, input);
  const { items } = await db.transaction((tx) =>
    normalizeItems({ tx, scope: deciders.write, session, former: [] }, edits),
  );
  return { items, impact: await requestItemsImpact(reader, title, items) };
}
