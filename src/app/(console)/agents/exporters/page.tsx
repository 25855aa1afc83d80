import { Exporters } from '@/features/agents/exporters/exporters';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Flow exporters'));

export default function FlowExportersPage() {
  return <Exporters />;
}
