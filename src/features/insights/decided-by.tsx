import type { InsightDecider } from '@/domain/insights';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { PolicyLink } from '../shared/entity-links';

/** What decides a flow, short enough for a cell: the policy, the rule, or why none does. */
export function DecidedBy({ by }: { by: InsightDecider }) {
  const t = useT();
  if (by.policy_id && by.policy_name) {
    return (
      <span title={by.explanation}>
        <PolicyLink id={by.policy_id} name={by.policy_name} />{' '}
        <span className="text-muted">
          {t('position {position}, v{version}', { position: by.position, version: by.policy_version })}
        </span>
      </span>
    );
  }
  return (
    <span title={by.explanation} className={by.kind === 'unknown' ? 'text-muted' : undefined}>
      {deciderText(t, by)}
    </span>
  );
}

/** The same as text: `PVE security group web, position 3`, `Default DROP`, `Not filtered`. */
export function deciderText(t: Translate, by: InsightDecider): string {
  switch (by.kind) {
    case 'rule': {
      const { position, group } = by;
      if (by.policy_name !== null) return t('{policy}, position {position}', { position, policy: by.policy_name });
      if (by.policy_id) return t('Deleted policy, position {position}', { position });
      if (by.vnet !== undefined) return t('VNet {name}, position {position}', { position, name: by.vnet });
      return group === null
        ? t('Position {position}', { position })
        : t('PVE security group {group}, position {position}', { position: by.group_position, group });
    }
    case 'default':
      return by.detail ? t('Default policy {action}', { action: by.detail }) : t('Default policy');
    case 'builtin':
      return t('Built-in hypervisor rule');
    case 'not_enforced':
      return t('Not filtered');
    case 'unknown':
      return t('Unknown');
  }
}
