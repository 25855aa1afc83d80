import type { PolicyListItem } from '@/domain/policies';
import type { POLICY_DIRECTIONS } from '@/domain/policy/policy';
import { DEPLOYMENT_REASONS, type DeploymentReason } from '@/domain/policy/status';
import { formatCount } from '@/lib/format';

type Deployments = PolicyListItem['deployments'];

/** Reasons of all clusters, each once, in their order of weight. */
export function allReasons({ deployments }: { deployments: Deployments }): DeploymentReason[] {
  const found = new Set(deployments.flatMap((deployment) => deployment.reasons));
  return DEPLOYMENT_REASONS.filter((reason) => found.has(reason));
}

const count = (n: number, one: string, many = `${one}s`) => `${formatCount(n)} ${n === 1 ? one : many}`;

/** `12 guests in 2 clusters`: where a policy wants rules or has some; null when nowhere. */
export function guestsText(deployments: Deployments): string | null {
  const places = deployments.filter((deployment) => deployment.guests > 0);
  const guests = places.reduce((sum, { guests: n }) => sum + n, 0);
  if (guests === 0) return null;
  return placesText(guests, places.length);
}

/** `12 guests in 2 clusters`, `1 guest`: one cluster goes without saying. */
export const placesText = (guests: number, clusters: number): string =>
  clusters > 1 ? `${count(guests, 'guest')} in ${count(clusters, 'cluster')}` : count(guests, 'guest');

/** Rules of the policy that are live now, wanted or not. */
export const liveRules = (deployments: Deployments): number =>
  deployments.reduce((sum, { live, outdated, leftover }) => sum + live + outdated + leftover, 0);

export const DIRECTION_WORDS: Record<(typeof POLICY_DIRECTIONS)[number], { label: string; description: string }> = {
  in: { label: 'Inbound', description: 'Rules stand at the targets and look at traffic that arrives there.' },
  out: { label: 'Outbound', description: 'Rules stand at the sources and look at traffic that leaves there.' },
  both: { label: 'Both', description: 'Rules stand at both ends: traffic must pass both.' },
};
