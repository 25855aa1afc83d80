import { FlowExplorer } from '@/features/flows/flow-explorer';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Flows'));

export default function FlowsPage() {
  return <FlowExplorer />;
}
