import type { SuggestedGroup, Suggestion, SuggestionChange } from '@/domain/suggestion/suggestion';

export type GivenGroup = NonNullable<SuggestionChange['groups']>[number];

/** Groups as they are sent: a name that was proposed stays, so that an edit of another one does not change it. */
export const toGiven = ({ kind, name, workloads }: SuggestedGroup): GivenGroup => ({
  name: kind === 'new' ? name : null,
  workload_ids: workloads.map(({ id }) => id),
});

/** All groups of the draft that a group was edited in, with its parts in its place. */
export const replaceGroup = (groups: readonly SuggestedGroup[], edited: SuggestedGroup, parts: readonly GivenGroup[]) =>
  groups.flatMap((one) => (one === edited ? parts : [toGiven(one)]));

/**
 * What is sent of a choice. Choices follow one after the other, each about the draft that is stored by then. Groups are all those of the
 * draft that they were edited in: written over another draft, they would undo what it changed.
 */
export function buildChoice(
  change: SuggestionChange,
  stored: Pick<Suggestion, 'version' | 'widths'> | undefined,
): SuggestionChange {
  if (!stored || change.groups) return change;
  const widths = change.widths && { widths: { ...stored.widths, ...change.widths } };
  return { ...change, ...widths, version: stored.version };
}
