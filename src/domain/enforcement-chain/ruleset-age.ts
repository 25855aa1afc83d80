import type { ChainFacts } from './evaluate-chain';

/** Between what two readings a filter was edited, as far as it was seen. */
export type FilterTimes = {
  /** When it was first read as it is. */
  readonly changed_at: string;
  /** When it was last read as it was before; null: it has not been seen otherwise. */
  readonly unchanged_at: string | null;
};

export type RulesetTimes = {
  /** When the node's rules were first reported as they are; null: never. */
  readonly changed_at: string | null;
  /** The newest report. */
  readonly reported_at: string | null;
};

/** The services compile every 5 s (nftables) or 10 s (iptables); a report is made of rules listed just before. */
export const COMPILE_MS = 20_000;

/**
 * Whether a node has loaded the last edit that changes how packets are filtered: its rules changed after the last time that the filter
 * was read without the edit. A report that came before the node had time to compile proves nothing.
 */
export function compareAge(filter: FilterTimes | null, ruleset: RulesetTimes | null): ChainFacts['age'] {
  if (!filter || !ruleset || ruleset.reported_at === null || ruleset.changed_at === null) return 'unknown';
  // What was never seen otherwise is what the loaded rules were made of.
  if (filter.unchanged_at === null) return 'loaded';
  if (Date.parse(ruleset.changed_at) > Date.parse(filter.unchanged_at)) return 'loaded';
  return Date.parse(ruleset.reported_at) > Date.parse(filter.changed_at) + COMPILE_MS ? 'not_loaded' : 'waiting';
}
