import type { ImpactReader } from '@/domain/impact/stored-impact';
import type { Suggestion, SuggestionChange } from '@/domain/suggestion/suggestion';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { assertVersion, refuseField } from '../../lib/refusals';
import { lockSuggestion, type SuggestionRow, updateSuggestion } from '../queries/suggestions';
import { describeSuggestion, findVisibleSuggestion, readDraft } from './read-suggestion';

type Given = NonNullable<SuggestionChange['groups']>;

/** @throws AppError `conflict` while it is computed, or when that failed */
export function assertComputed({ status }: SuggestionRow): void {
  if (status === 'done') return;
  throw new AppError(
    'conflict',
    status === 'failed'
      ? 'The suggestion failed. Request another one.'
      : 'The suggestion is being computed. Wait until it is done.',
  );
}

/**
 * Groups that hold every workload of the suggestion once: one that is left out would lose its rules, and with another scope it
 * would get rules that were not asked for.
 */
async function assertGroups(row: SuggestionRow, groups: Given): Promise<void> {
  const read = await readDraft({ ...row, groups: null });
  const known = new Map(read?.evidence.workloads.map((one) => [one.id, one]));
  const seen = new Set<string>();
  const names = new Set<string>();
  for (const [at, { name, workload_ids }] of groups.entries()) {
    const scopes = new Set<boolean>();
    for (const [n, id] of workload_ids.entries()) {
      const workload = known.get(id);
      const field = `groups.${at}.workload_ids.${n}`;
      if (!workload) throw refuseField(field, 'This workload is not part of the suggestion.');
      if (seen.has(id)) throw refuseField(field, `${workload.name} is in two groups. Keep it in one.`);
      seen.add(id);
      scopes.add(workload.in_scope);
    }
    if (scopes.size > 1) {
      throw refuseField(`groups.${at}.workload_ids`, 'Workloads of the scope and others cannot be one group.');
    }
    if (name === null) continue;
    if (names.has(name.toLowerCase())) throw refuseField(`groups.${at}.name`, 'Another group has this name.');
    names.add(name.toLowerCase());
  }
  const [missing] = [...known.values()].filter(({ id }) => !seen.has(id));
  if (missing) throw refuseField('groups', `${missing.name} is in no group. Add it to one.`);
}

/**
 * Changes what was chosen: position, groups, addresses. The scores are those of the new draft. Another position discards edited groups.
 * @throws AppError `not_found`, `version_conflict`, `conflict` while it is computed, `refused` naming the group
 */
export async function updateSuggestionChoices(
  scope: Scope<'policy:write'>,
  reader: ImpactReader,
  id: string,
  { tightness, groups, widths, close, version }: SuggestionChange,
): Promise<Suggestion> {
  const row = await db.transaction(async (tx) => {
    const stored = await findVisibleSuggestion(scope, reader, id, (_, one) => lockSuggestion(tx, one));
    assertVersion('suggestion', stored.version, version);
    assertComputed(stored);
    const edited = groups === undefined ? (tightness === undefined ? stored.groups : null) : groups;
    const next = {
      position: tightness ?? stored.position,
      groups: edited,
      widths: widths ?? stored.widths,
      close: close ?? stored.close,
      version: stored.version + 1,
      // A change is of the draft that it was made from.
      ...{ change_id: null, impact_id: null },
    };
    if (groups) await assertGroups({ ...stored, ...next }, groups);
    await updateSuggestion(tx, id, next);
    return { ...stored, ...next };
  });
  return describeSuggestion(row);
}
