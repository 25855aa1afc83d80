import { AppError } from '../../lib/errors';
import type { PolicyState } from '../queries/policy-states';

/** What every answer to an apply says of the policy, refusals included. */
export const refusalOf = (policy: PolicyState, dry_run: boolean) => ({
  policy_id: policy.id,
  policy_version: policy.version,
  policy_mode: policy.definition.enforcement_mode,
  success: false,
  applied: false,
  dry_run,
});

const refuse = (policy: PolicyState, dry_run: boolean, message: string) =>
  new AppError('refused', message, { extra: { ...refusalOf(policy, dry_run), message } });

/** @throws AppError `refused`, with `policy_mode`, for a policy that is not to be in force */
export function assertApplicable(policy: PolicyState, dryRun: boolean): void {
  if (policy.definition.enforcement_mode === 'audit') {
    throw refuse(
      policy,
      dryRun,
      `${policy.name} is in audit mode: it only tells what it would do. Set its mode to enforced to apply it.`,
    );
  }
  if (!policy.enabled) throw refuse(policy, dryRun, `${policy.name} is disabled. Enable it to apply it.`);
}

/** Nothing of the policy can be put anywhere. */
export const refuseUnmapped = (policy: PolicyState, dryRun: boolean, message: string) =>
  refuse(policy, dryRun, message);
