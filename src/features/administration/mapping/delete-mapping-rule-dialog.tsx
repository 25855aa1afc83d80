'use client';
import type { MappingRule } from '@/domain/mapping-rule';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../../shared/delete-dialog';
import { ruleName } from './mapping-labels';
import { MappingPreview } from './mapping-preview';

/** Asks before a rule goes, with what that moves. */
export function DeleteMappingRuleDialog({ rule, onClose }: { rule: MappingRule; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete mapping rule {name}?', { name: ruleName(t, rule) })}
      confirmLabel={t('Delete mapping rule')}
      name={ruleName(t, rule)}
      remove={() => client.mappingRules.delete.mutate({ id: rule.id })}
      outdated={[trpc.mappingRules, trpc.workloads, trpc.projects, trpc.tenants].map((one) => one.pathFilter())}
      onClose={onClose}
    >
      <p>
        {t('Workloads assigned by this rule move to the project of the next matching rule, or leave {project}.', {
          project: rule.project_name,
        })}
      </p>
      <MappingPreview input={{ rule_id: rule.id }} />
    </DeleteDialog>
  );
}
