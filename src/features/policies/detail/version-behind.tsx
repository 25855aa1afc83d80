import type { Policy } from '@/domain/policies';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';

type Props = { policy: Policy; applyReason: string | null; onApply: () => void };

/** The version that was last applied, where the stored one requires something else; null: there is none. */
export function findVersionBehind(
  policy: Pick<Policy, 'deployment_status' | 'enabled' | 'definition' | 'last_deployment' | 'version'>,
): number | null {
  const { deployment_status: status, last_deployment: last, version } = policy;
  const isDeployed = policy.enabled && policy.definition.enforcement_mode === 'enforced';
  if (!isDeployed || status === null || status === 'active' || last?.kind !== 'apply') return null;
  return last.policy_version < version ? last.policy_version : null;
}

/** Says that workloads still run an earlier version, as after a version was restored, and offers to apply the stored one. */
export function VersionBehind({ policy, applyReason, onApply }: Props) {
  const t = useT();
  const version = findVersionBehind(policy);
  if (version === null) return null;
  return (
    <Notice
      tone="warn"
      title={t('Workloads run version {version}', { version })}
      action={
        <Button size="sm" variant="primary" onClick={onApply} disabledReason={applyReason}>
          {t('Apply version {version}', { version: policy.version })}
        </Button>
      }
    >
      {t('Version {version} is stored, but not applied.', { version: policy.version })}
    </Notice>
  );
}
