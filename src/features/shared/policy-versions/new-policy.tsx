import type { PolicySnapshot } from '@/domain/policies';
import { listSnapshotFields } from '@/domain/policy/snapshot';
import { DEFAULT_VISIBILITY } from '@/domain/policy/tier';
import { useT } from '@/lib/i18n/use-t';
import { Properties } from '@/ui/properties';
import { useEndpointNames } from '../policy-endpoints/use-endpoint-names';
import { securityRuleText } from '../security-rule-labels';
import { FIELD_LABELS, valueText } from './version-labels';

/** Shown apart from the others: as the heading, and as one line. */
const APART: readonly string[] = ['name', 'definition.sources', 'definition.targets'];

/** A policy that does not exist yet: whether and how it is enforced, between whom, and its rules. */
export function NewPolicy({ policy }: { policy: PolicySnapshot }) {
  const t = useT();
  const { definition, rules } = policy;
  const nameEndpoint = useEndpointNames([...definition.sources, ...definition.targets]);
  const fields = listSnapshotFields(policy).filter(
    ({ field, value }) =>
      !APART.includes(field) &&
      value !== '' &&
      value !== null &&
      !(field === 'tenant_visibility' && value === DEFAULT_VISIBILITY),
  );
  return (
    <div className="flex flex-col gap-3">
      <p className="[overflow-wrap:anywhere]">
        <span className="mono">{definition.sources.map(nameEndpoint).join(', ') || '–'}</span> →{' '}
        <span className="mono">{definition.targets.map(nameEndpoint).join(', ') || '–'}</span>
      </p>
      <Properties
        items={fields.map(({ field, value }) => ({
          label: t(FIELD_LABELS[field] ?? field),
          value: valueText(t, field, value),
        }))}
      />
      <ul aria-label={t('Rules')} className="flex flex-col">
        {rules.map((rule) => (
          <li key={rule.id} className="mono [overflow-wrap:anywhere]">
            {securityRuleText(t, rule)}
          </li>
        ))}
      </ul>
    </div>
  );
}
