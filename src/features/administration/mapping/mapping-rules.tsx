'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { useUrlTab } from '../../shared/use-url-state';
import { MappingConflictTable } from './mapping-conflict-table';
import { MappingRuleTable } from './mapping-rule-table';

const TABS = ['rules', 'conflicts'] as const;

/** The rules that give workloads to projects, and the workloads on which they disagree. */
export function MappingRules() {
  const t = useT();
  const trpc = useTRPC();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.mappingRules({ tab }));
  const conflicts = useQuery(trpc.mappingRules.conflicts.queryOptions({ limit: 1 }));
  return (
    <>
      <PageHeader
        title={t('Mapping rules')}
        description={t(
          'Mapping rules assign workloads to projects by pool or tag, at every sync and when a rule changes. Manual assignments stay.',
        )}
      />
      <Tabs
        label={t('Mapping rules')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'rules', label: t('Rules'), content: <MappingRuleTable /> },
          {
            value: 'conflicts',
            label: t('Conflicts'),
            count: conflicts.data?.total || null,
            content: <MappingConflictTable />,
          },
        ]}
      />
    </>
  );
}
