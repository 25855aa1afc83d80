import { NodeTable } from '@/features/nodes/node-table';
import { InstallAgents } from '@/features/shared/agents/install-agents';
import { getT, withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';
import { PageHeader } from '@/ui/page-header';

export const generateMetadata = withTitle(msg('Nodes'));

export default async function NodesPage() {
  const t = await getT();
  return (
    <>
      <PageHeader title={t('Nodes')} actions={<InstallAgents />} />
      <NodeTable />
    </>
  );
}
