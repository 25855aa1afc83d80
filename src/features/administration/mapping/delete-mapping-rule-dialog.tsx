'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MappingRule } from '@/domain/mapping-rule';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from '../delete-dialog';
import { ruleName } from './mapping-labels';
import { MappingPreview } from './mapping-preview';

/** Asks before a rule goes, with what that moves. */
export function DeleteMappingRuleDialog({ rule, onClose }: { rule: MappingRule; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const remove = useMutation(
    trpc.mappingRules.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('Mapping rule deleted') });
        for (const touched of [trpc.mappingRules, trpc.workloads, trpc.projects, trpc.tenants]) {
          void queryClient.invalidateQueries(touched.pathFilter());
        }
        onClose();
      },
    }),
  );
  return (
    <DeleteDialog
      title={t('Delete mapping rule {name}?', { name: ruleName(t, rule) })}
      confirmLabel={t('Delete mapping rule')}
      remove={{ ...remove, mutate: () => remove.mutate({ id: rule.id }) }}
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
