import type { PolicyListItem } from '@/domain/policies';
import { DEPLOYMENT_REASONS, type DeploymentReason, toDisplayStatus } from '@/domain/policy/status';
import type { Translate } from '@/lib/i18n/translator';

type Deployments = PolicyListItem['deployments'];

/** Reasons of all clusters, each once, in their order of weight. */
export function allReasons({ deployments }: { deployments: Deployments }): DeploymentReason[] {
  const found = new Set(deployments.flatMap((deployment) => deployment.reasons));
  return DEPLOYMENT_REASONS.filter((reason) => found.has(reason));
}

/** The status of a policy as it is shown. */
export const getDisplayStatus = ({
  deployment_status: status,
  deployments,
}: Pick<PolicyListItem, 'deployment_status' | 'deployments'>) => toDisplayStatus({ status, deployments });

/** `12 guests in 2 clusters`: where a policy wants rules or has some; null when nowhere. */
export function guestsText(t: Translate, deployments: Deployments): string | null {
  const places = deployments.filter((deployment) => deployment.guests > 0);
  const guests = places.reduce((sum, { guests: n }) => sum + n, 0);
  if (guests === 0) return null;
  return placesText(t, guests, places.length);
}

/** `12 guests in 2 clusters`, `1 guest`: one cluster goes without saying. */
export const placesText = (t: Translate, guests: number, clusters: number): string =>
  clusters > 1
    ? t(
        '{guests, plural, one {# workload} other {# workloads}} in {clusters, plural, one {# cluster} other {# clusters}}',
        {
          guests,
          clusters,
        },
      )
    : t('{n, plural, one {# workload} other {# workloads}}', { n: guests });

/** Rules of the policy that are live now, desired or not. */
export const countLiveRules = (deployments: Deployments): number =>
  deployments.reduce((sum, { live, outdated, leftover }) => sum + live + outdated + leftover, 0);
