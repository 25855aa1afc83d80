import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { PolicyTier } from '@/domain/policy/tier';
import { useT } from '@/lib/i18n/use-t';
import { PolicyLink } from '../shared/entity-links';

type Props = {
  rule: Pick<FirewallRuleView, 'owner' | 'policy_id' | 'policy_version' | 'visibility'> & {
    policy_name: string | null;
    tier: PolicyTier | null;
    residual: boolean;
  };
};

/** Owner of a rule: a Fabric policy with its version, unmanaged, or one that does not belong here. */
export function RuleOwner({ rule }: Props) {
  const t = useT();
  if (rule.residual) return <span className="text-warn">{t('Former tenant or project')}</span>;
  switch (rule.owner) {
    case 'nobody':
      return <span className="text-muted">{t('Unmanaged')}</span>;
    case 'other_installation':
      return <span className="text-warn">{t('Another Fabric installation')}</span>;
    case 'copied':
      return <span className="text-warn">{t('Copied from another workload')}</span>;
    case 'this_installation':
      // A user who sees it only as the platform allows cannot open the policy.
      if (rule.visibility && rule.tier) return <span>{rule.policy_name ?? t('Platform rule')}</span>;
      return rule.policy_id && rule.policy_name ? (
        <>
          <PolicyLink id={rule.policy_id} name={rule.policy_name} />{' '}
          <span className="text-muted">v{rule.policy_version}</span>
        </>
      ) : (
        <span className="text-warn">{t('Deleted policy')}</span>
      );
  }
}
