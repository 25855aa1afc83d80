import { FlowExplorer } from '@/features/flows/flow-explorer';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Flows'));

export default function FlowsPage() {
  return <FlowExplorer />;
}
