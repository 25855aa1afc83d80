import { assemblePolicies } from './assemble';
import { buildBlocks, type Scores, scoreBlocks, type Widths } from './blocks';
import { classifyPairs } from './classify';
import { clusterWorkloads, RULE_WEIGHTS } from './cluster';
import type { ChosenGroup, DraftOptions, Evidence } from './draft';
import type { KnownGroup, LeftOut, ObservedPair, SuggestionWorkload } from './observed';

/** What a suggestion is computed from. */
export type SuggestionFacts = {
  readonly pairs: readonly ObservedPair[];
  readonly workloads: readonly SuggestionWorkload[];
  /** Canonical broadcast addresses of known subnets. */
  readonly broadcasts: ReadonlySet<string>;
  readonly known_groups: readonly KnownGroup[];
  readonly taken: Evidence['taken'];
};

/** One position of the slider. */
export type Position = Scores & {
  /** From 0, few broad rules, to 1, many tight ones. */
  readonly position: number;
  /** IDs of the workloads of each group. */
  readonly groups: readonly (readonly string[])[];
  readonly policies_total: number;
  readonly rules_total: number;
};

export type ComputedSuggestion = {
  readonly evidence: Evidence;
  readonly left_out: readonly LeftOut[];
  /** Broad first. */
  readonly positions: readonly Position[];
  /** Position of the one that is proposed; null: nothing was seen that rules could be written for. */
  readonly recommended: number | null;
};

/** Coverage of the held-out part from which on a tighter draft is not missing anything that matters. */
const ENOUGH = 0.99;
/** Less tight by no more than this is not worth more rules. */
const SAME_TIGHTNESS = 0.02;

export const DEFAULT_WIDTHS: Widths = { default: 'networks', services: {} };
const LAST = RULE_WEIGHTS.length - 1;
export const toPosition = (at: number) => at / LAST;
/** Groups nest from tight to broad; naming single workloads where a group would be far more is for the tight half. */
const isNarrow = (position: number) => position >= 0.5;

/** Options of a draft at a position. */
export const getDraftOptions = (position: number, widths: Widths, close: boolean): DraftOptions => ({
  widths,
  close,
  narrow: isNarrow(position),
});

export const toChosen = (groups: Position['groups']): ChosenGroup[] =>
  groups.map((workload_ids) => ({ name: null, workload_ids }));

/**
 * Of those that cover enough of the held-out part (else of those that cover most), the one with the fewest rules that is about as tight as
 * the tightest. Without a held-out part the shortest description.
 */
function recommend(positions: readonly Position[]): number | null {
  const [first] = positions;
  if (!first || first.coverage.training === null) return null;
  if (first.coverage.held_out === null) return toPosition(RULE_WEIGHTS.indexOf(1));
  const held = ({ coverage }: Position) => coverage.held_out ?? 0;
  const most = Math.max(...positions.map(held));
  const enough = positions.filter((one) => held(one) >= Math.min(ENOUGH, most));
  const tight = ({ tightness }: Position) => tightness ?? 1;
  const least = Math.max(...enough.map(tight)) - SAME_TIGHTNESS;
  const good = enough.filter((one) => tight(one) >= least);
  return good.reduce((kept, one) => (one.rules_total < kept.rules_total ? one : kept)).position;
}

/**
 * Groups, scores and evidence for every position of the slider. What is drafted comes from the training part of the window only; the
 * held-out part measures it.
 * @param pause gives way to other work
 */
export async function computeSuggestion(
  facts: SuggestionFacts,
  pause: () => Promise<void>,
): Promise<ComputedSuggestion> {
  const { talks, left_out } = classifyPairs(facts.pairs, facts.workloads, facts.broadcasts);
  const seen = new Set(talks.flatMap(({ client, server }) => [client.workload_id, server.workload_id]));
  const workloads = facts.workloads
    .filter(({ id }) => seen.has(id))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1));
  const ids = workloads.map(({ id }) => id);
  const inScope = new Set(workloads.filter(({ in_scope }) => in_scope).map(({ id }) => id));
  const partitions = await clusterWorkloads(talks, ids, (id) => inScope.has(id), pause);
  const positions: Position[] = [];
  for (const [at, partition] of partitions.entries()) {
    await pause();
    const position = toPosition(at);
    const groups = partition.map((members) => members.map((number) => ids[number] as string));
    const groupOf = new Map(groups.flatMap((members, group) => members.map((id) => [id, group] as const)));
    const blocks = buildBlocks(talks, { members: groups, groupOf }, DEFAULT_WIDTHS, isNarrow(position));
    const policies = assemblePolicies(blocks, (side) => {
      const id = side.kind === 'group' ? groups[side.group]?.[0] : side.kind === 'workloads' ? side.ids[0] : undefined;
      return id !== undefined && inScope.has(id);
    });
    positions.push({
      position,
      ...scoreBlocks(blocks, talks),
      groups,
      policies_total: policies.length,
      rules_total: policies.reduce((total, { rules }) => total + rules.length, 0),
    });
  }
  const { known_groups, taken } = facts;
  return {
    evidence: { talks, workloads, known_groups, taken },
    left_out,
    positions,
    recommended: recommend(positions),
  };
}
