'use client';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import type { DraftProposal, PolicyDraft } from '@/domain/policy-draft';
import { formatPercent } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import type { PolicyValues } from './policy-form-values';

type Props = { draft: PolicyDraft; form: UseFormReturn<PolicyValues, unknown, never> };

/** What a draft proposes at each end, and why: a group that has the workload, or nothing where nothing could be resolved. */
export function DraftNotice({ draft, form }: Props) {
  const t = useT();
  return (
    <Notice title={t('Draft in audit mode')}>
      <ul className="flex flex-col gap-1">
        <End form={form} side="sources" proposal={draft.source} />
        <End form={form} side="targets" proposal={draft.target} />
        {draft.evidence_score !== null && (
          <li>{t('Evidence of the last day: {share}', { share: formatPercent(draft.evidence_score) })}</li>
        )}
        {draft.rules.length === 0 && <li>{t('The service is not known. Add the rules you need.')}</li>}
      </ul>
    </Notice>
  );
}

function End({ form, side, proposal }: Pick<Props, 'form'> & { side: 'sources' | 'targets'; proposal: DraftProposal }) {
  const t = useT();
  const { endpoint, kind, label, workloads_total, workload_endpoint: alone, workload_name } = proposal;
  const chosen = useWatch({ control: form.control, name: `definition.${side}` });
  if (proposal.endpoints.length === 0) {
    return (
      <li>
        {side === 'sources' ? t('From: no endpoint proposed. Choose one.') : t('To: no endpoint proposed. Choose one.')}
      </li>
    );
  }
  if (kind !== 'security_group' || endpoint === null || alone === null) return null;
  const isGroup = chosen.length === 1 && chosen[0] === endpoint;
  const names = { workload: workload_name ?? alone, group: label ?? endpoint };
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      <span>
        {t('{workload} is in group {group} ({n, plural, one {# workload} other {# workloads}}).', {
          ...names,
          n: workloads_total,
        })}
      </span>
      <Button
        size="sm"
        onClick={() => form.setValue(`definition.${side}`, [isGroup ? alone : endpoint], { shouldDirty: true })}
      >
        {isGroup ? t('Use only {workload}', names) : t('Use group {group}', names)}
      </Button>
    </li>
  );
}
