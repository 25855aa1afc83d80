import { NodeList } from '@/features/nodes/node-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Nodes'));

export default function NodesPage() {
  return <NodeList />;
}
