/**
 * What happens to the traffic between two ends, most important first: it is dropped (or rejected); a policy in audit
 * mode would drop it; a rule accepts it; the default policy of a guest accepts it; nothing is known to decide it.
 */
export const EDGE_VERDICTS = ['dropped', 'would_drop', 'accepted', 'default', 'observed'] as const;
export type EdgeVerdict = (typeof EDGE_VERDICTS)[number];

/** The same at one end, where `unknown` is more than `observed`: something decides there, and it is not known how. */
export type EndEdge = EdgeVerdict | 'unknown';

/** How weighty a verdict is: less is more important. */
export const WEIGHTS = Object.fromEntries(EDGE_VERDICTS.map((verdict, weight) => [verdict, weight])) as Record<
  EdgeVerdict,
  number
>;

/** The weightier of two verdicts. */
export const worseVerdict = (one: EdgeVerdict, other: EdgeVerdict): EdgeVerdict =>
  WEIGHTS[other] < WEIGHTS[one] ? other : one;
